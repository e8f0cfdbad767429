import { flag } from "../../src/control-plane/storage/stores/results/result-rows.ts";
import { randomFrom } from "../../test/support/random-from.ts";

/*
 * Results as a site with a thousand checks has them, the same for the same seed: each row comes from its own place in time alone, so that
 * it does not matter in which order they are made. Of a thousand checks 10 run every minute at 4 locations, 990 every 10 minutes at 2:
 * 10.3 million runs in 30 days, some with a retry.
 */

const seed = 42;
const minuteMs = 60_000;
/** Codes of the locations, by the number that a row says. */
export const seededLocations = ["berlin", "paris", "tokyo", "boston"] as const;
/** The first ones. */
export const heavyChecks = 10;
/** Far from the sessions that the store numbers itself. */
const firstSession = 100_000_000;
/** In 2026, so that numbers stay small. */
const firstMinute = 29_450_000;

export interface SeededRow {
  readonly checkNo: number;
  readonly location: number;
  readonly startedAtMs: number;
  readonly id: number;
  readonly type: 0 | 1;
  readonly status: number;
  readonly flags: number;
  /** Microseconds: response time, then wait, dns, tcp, tls, first byte, download. */
  readonly timesUs: readonly number[];
}

/** Everything that starts in a minute. @param minute counted from the epoch */
export function* resultsOfMinute(minute: number, checks: number): Generator<SeededRow> {
  for (let checkNo = 0; checkNo < checks; checkNo += 1) yield* resultsOfCheckAt(minute, checkNo);
}

/** Everything of one check that starts in these minutes, the last one not included. */
export function* resultsOfCheck(checkNo: number, fromMinute: number, toMinute: number): Generator<SeededRow> {
  for (let minute = fromMinute; minute < toMinute; minute += 1) yield* resultsOfCheckAt(minute, checkNo);
}

function* resultsOfCheckAt(minute: number, checkNo: number): Generator<SeededRow> {
  const isHeavy = checkNo < heavyChecks;
  if (!isHeavy && (minute + checkNo) % 10 !== 0) return;
  const locations = isHeavy ? [0, 1, 2, 3] : [checkNo % 4, (checkNo + 1) % 4];
  for (const [slot, location] of locations.entries()) yield* runOf(minute, checkNo, location, slot);
}

function* runOf(minute: number, checkNo: number, location: number, slot: number): Generator<SeededRow> {
  const random = randomFrom(seed, minute, checkNo, location);
  const session = firstSession + (minute - firstMinute) * 10_000 + checkNo;
  const job = session * 256 + slot;
  const startedAtMs = minute * minuteMs + ((checkNo * 97) % 50_000) + Math.floor(random() * 900);
  const row = (attempt: number, status: number, type: 0 | 1): SeededRow => ({
    checkNo,
    location,
    startedAtMs: startedAtMs + attempt,
    id: job * 64 + attempt,
    type,
    status,
    flags: status === 0 ? flag.failures | flag.errors : status >= 400 ? flag.failures : 0,
    timesUs: times(checkNo, location, random),
  });
  const status = statusOf(minute, checkNo, random);
  if (status >= 500 || status === 0) yield row(1, status, 1);
  yield row(status >= 500 || status === 0 ? 2 : 1, random() < 0.4 ? 200 : status, 0);
}

/** Now and then a check fails for an hour. */
function statusOf(minute: number, checkNo: number, random: () => number): number {
  const share = random();
  if (checkNo % 37 === 0 && Math.floor(minute / 60) % 11 === 0) return share < 0.7 ? 503 : 200;
  return share < 0.985 ? 200 : share < 0.99 ? 204 : share < 0.995 ? 404 : share < 0.999 ? 500 : 0;
}

const distance = [1, 1.6, 3.2, 0.4] as const;

/** Logarithms of response times are normal around the check's own, with a few that are much slower. */
function times(checkNo: number, location: number, random: () => number): readonly number[] {
  const ofCheck = randomFrom(seed, checkNo, 0, 0);
  const usual = (40 + ofCheck() * ofCheck() * 900) * (distance[location] ?? 1);
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const total = Math.max(2, usual * Math.exp(0.35 * normal) * (random() < 0.01 ? 6 : 1));
  const [wait, dns] = [random() * 0.8, random() < 0.2 ? 1 + random() * 20 : 0.1 + random() * 0.4];
  const [tcp, tls, download] = [total * 0.1 * random(), total * 0.15 * random(), total * 0.05 * random()];
  const firstByte = Math.max(0.5, total - wait - dns - tcp - tls - download);
  return [total, wait, dns, tcp, tls, firstByte, download].map((ms) => Math.round(ms * 1_000));
}
