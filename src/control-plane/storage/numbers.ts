/*
 * Numbers that tell where they belong, so that no look-up needs an index of its own: a session's jobs are its number with a slot,
 * a job's results are its number with the attempt. All stay below 2^53.
 */

/** Jobs that one session can have: one per location and run. */
export const maxJobsOfSession = 256;
/** Attempts are numbered from 1 to 60; 0 is the record that a job was missed. */
export const attemptsOfJob = 64;
export const missedAttempt = 0;

export function jobNo(sessionNo: number, slot: number): number {
  return sessionNo * maxJobsOfSession + slot;
}

export function sessionOfJob(job: number): number {
  return Math.floor(job / maxJobsOfSession);
}

export function resultId(job: number, attempt: number): number {
  return job * attemptsOfJob + attempt;
}

export function jobOfResult(id: number): number {
  return Math.floor(id / attemptsOfJob);
}

/**
 * Under which number of a check the results of a session stand. Those of a test session are kept under the negative one: what reads the
 * results of a check never meets them.
 */
export function resultsKey(checkId: number, testSession: number | null): number {
  return testSession === null ? checkId : 0 - checkId; // a bare minus would make -0 of 0
}

/** In the place of a check's number, where what ran is stored nowhere but in its test session. Stored checks begin with 1. */
export const noCheck = 0;

export function attemptOfResult(id: number): number {
  return id % attemptsOfJob;
}
