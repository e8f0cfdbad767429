import { formattedMoment } from "./moment-format.ts";
import { relativeTime } from "./relative-time.ts";

/** What moment.js writes without a format. */
const isoFormat = "YYYY-MM-DDTHH:mm:ss[Z]";

/**
 * What `moment "FORMAT"` and `moment "2 days ago" "FORMAT"` stand for, in UTC. A relative time alone is written as ISO 8601. Undefined
 * where the first of two texts is no time.
 */
export function momentText(expression: string, nowMs: number): string | undefined {
  const [first = "", second] = textsIn(expression);
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(nowMs)).toZonedDateTimeISO("UTC");
  const named = relativeTime(first, now);
  if (named !== undefined) return formattedMoment(named, second ?? isoFormat);
  return second === undefined ? formattedMoment(now, first) : undefined;
}

function textsIn(expression: string): string[] {
  return (expression.match(/"[^"]*"|'[^']*'/g) ?? []).map((quoted) => quoted.slice(1, -1));
}
