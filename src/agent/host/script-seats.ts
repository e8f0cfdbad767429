import { availableParallelism, totalmem } from "node:os";

const mebibyte = 1024 * 1024;
/** What the agent itself may take, and what one run does. */
const ownBytes = 400 * mebibyte;
const browserBytes = 900 * mebibyte;
const multiStepBytes = 450 * mebibyte;

/** Browser checks that this machine bears at once: more than its cores only delay each other. */
export function browserSeats(): number {
  return seats(availableParallelism(), browserBytes);
}

/** Multistep checks that this machine bears at once: they wait for answers half of their time. */
export function multiStepSeats(): number {
  return seats(2 * availableParallelism(), multiStepBytes);
}

function seats(most: number, bytesOfOne: number): number {
  return Math.max(1, Math.min(most, Math.floor((memoryBytes() - ownBytes) / bytesOfOne)));
}

/** Memory that this process may use, in bytes: of its cgroup where that has a limit, else of the machine. */
export function memoryBytes(): number {
  const given = process.constrainedMemory();
  return given > 0 && given < totalmem() ? given : totalmem();
}
