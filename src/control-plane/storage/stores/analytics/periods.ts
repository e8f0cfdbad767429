/*
 * Hours and days are counted from the epoch, in UTC. One number is a check's hour, another one its day: both stay below 2^53 for ids of
 * checks up to 2^32, and those of one check follow each other.
 */

export const hourMs = 3_600_000;
export const hoursOfDay = 24;
/** More hours than there will be: they end in the year 2089. */
export const periodsOfCheck = 2 ** 20;

export function periodId(checkId: number, period: number): number {
  return checkId * periodsOfCheck + period;
}

export function checkOfPeriod(id: number): number {
  return Math.floor(id / periodsOfCheck);
}

/** The hour or day in the number. */
export function periodOf(id: number): number {
  return id % periodsOfCheck;
}

export function hourOf(startedAtUs: number): number {
  return Math.floor(startedAtUs / (1_000 * hourMs));
}

export function dayOfHour(hour: number): number {
  return Math.floor(hour / hoursOfDay);
}

/** What `dirty_hours` and `dirty_days` hold changes with each change of the period, so that a writer knows what it has not seen. */
export function newMark(): number {
  return Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
}
