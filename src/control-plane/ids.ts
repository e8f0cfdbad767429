import { partsOf, uuidFrom } from "#domain/ids.ts";
import { resultId } from "./storage/numbers.ts";

/**
 * The UUIDs under which clients know rows: the row's number, the time of its run, and what it names. Clients keep
 * them, so slots are only ever added.
 */
const slots = { session: 1, job: 2, result: 3, sequence: 4 } as const;

interface OfRun {
  /** Epoch ms of the run that it belongs to. */
  readonly runAtMs: number;
}

export function sessionUuid({ no, runAtMs }: OfRun & { readonly no: number }): string {
  return uuidFrom(slots.session, runAtMs, no);
}

export function jobUuid({ no, runAtMs }: OfRun & { readonly no: number }): string {
  return uuidFrom(slots.job, runAtMs, no);
}

export function resultUuid({ jobNo, attempt, runAtMs }: OfRun & { readonly jobNo: number; readonly attempt: number }): string {
  return uuidFrom(slots.result, runAtMs, resultId(jobNo, attempt));
}

/** Shared by all attempts of a job, wherever they ran. */
export function sequenceUuid({ jobNo, runAtMs }: OfRun & { readonly jobNo: number }): string {
  return uuidFrom(slots.sequence, runAtMs, jobNo);
}

/** Undefined for what is no session's id. */
export function sessionNoOf(uuid: string): number | undefined {
  return numberOf(uuid, slots.session);
}

/** Undefined for what is no job's id. */
export function jobNoOf(uuid: string): number | undefined {
  return numberOf(uuid, slots.job);
}

/** The job whose attempts a sequence id names; undefined for what is no sequence's id. */
export function jobNoOfSequence(uuid: string): number | undefined {
  return numberOf(uuid, slots.sequence);
}

function numberOf(uuid: string, slot: number): number | undefined {
  const parts = partsOf(uuid);
  return parts?.slot === slot ? parts.n : undefined;
}
