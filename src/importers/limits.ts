import { closestFrequency, durationMs } from "./durations.ts";
import type { Importing } from "./imported.ts";

/** What a check type takes, milliseconds (behaviour 2.3). */
const limits = {
  API: { max: 30_000, degraded: 5000 },
  TCP: { max: 5000, degraded: 3000 },
  DNS: { max: 5000, degraded: 500 },
  SSL: { max: 30_000, degraded: 3000 },
} as const;
export type TimedType = keyof typeof limits;

/** A time-out as the response time from which a check of this type fails. Absent: the type's own default stays. */
export function timeLimits(importing: Importing, where: string, type: TimedType, timeoutMs: number | undefined): object {
  if (timeoutMs === undefined) return {};
  const { max, degraded } = limits[type];
  if (timeoutMs > max) importing.warn(where, `the time-out is longer than a check of type ${type} takes: it becomes ${max / 1000} seconds`);
  const maxResponseTime = Math.max(1, Math.min(Math.round(timeoutMs), max));
  return { maxResponseTime, degradedResponseTime: Math.min(degraded, maxResponseTime) };
}

/** The fields that make a check run about this often; a warning when there is no such period. */
export function frequencyFields(importing: Importing, where: string, interval: unknown, defaultMs: number): object {
  const ms = interval === undefined || interval === null ? defaultMs : durationMs(interval);
  if (ms === undefined) {
    importing.warn(where, "the interval cannot be read: the check keeps the default of 10 minutes");
    return {};
  }
  const { fields, isExact, told } = closestFrequency(ms);
  if (!isExact) importing.warn(where, `no check runs exactly that often: it becomes every ${told}`);
  return fields;
}
