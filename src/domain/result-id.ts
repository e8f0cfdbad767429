import { partsOf, uuidFrom } from "./ids.ts";

/** Ids of results by those of their jobs, as the control plane makes both; clients keep them, so this never changes. */
const resultSlot = 3;
const attemptsOfJob = 64;

/** The id under which the result of an attempt will be known; null for what is no job's id. */
export function resultIdOf(jobUuid: string, attempt: number): string | null {
  const job = partsOf(jobUuid);
  return job === null ? null : uuidFrom(resultSlot, job.ms, job.n * attemptsOfJob + attempt);
}
