import { createHash } from "node:crypto";

/** Above the ports that Linux gives out by itself (32768 to 60999), so that one of these is seldom taken. */
const firstMark = 61_000;
const lastMark = 65_535;
const candidates = 8;

/**
 * The source ports (or identifiers) of a flow, in the order to try them. The same target gets the same ones in every run, so that
 * equal ways do not look like a change from run to run.
 *
 * @param key what the flow is: method, address, port
 */
export function flowMarks(key: string): readonly number[] {
  const start = createHash("sha256").update(key).digest().readUInt32BE(0);
  const range = lastMark - firstMark + 1;
  return Array.from({ length: candidates }, (_, index) => firstMark + ((start + index) % range));
}
