const units = {
  second: "seconds",
  sec: "seconds",
  minute: "minutes",
  min: "minutes",
  hour: "hours",
  hr: "hours",
  day: "days",
  week: "weeks",
  month: "months",
  year: "years",
} as const;
type Unit = keyof typeof units;

const days: ReadonlyMap<string, number> = new Map([
  ["now", 0],
  ["today", 0],
  ["yesterday", -1],
  ["tomorrow", 1],
]);

/** Five digits keep every date within what there are dates for. */
const span = new RegExp(`^(?<into>in )?(?<amount>\\d{1,5}|an?|one) (?<unit>${Object.keys(units).join("|")})s?(?<away> ago| from now)?$`);
const neighbour = /^(?<side>last|next) (?<unit>week|month|year)$/;

/**
 * The time that English words name, seen from `now`: `2 days ago`, `an hour from now`, `in 3 weeks`, `next month`, `yesterday`, `now`. The
 * time of the day is kept, and so is the day of the month as far as the month has it. Undefined for any other text.
 */
export function relativeTime(text: string, now: Temporal.ZonedDateTime): Temporal.ZonedDateTime | undefined {
  const words = text.trim().toLowerCase().replace(/\s+/g, " ");
  const day = days.get(words);
  const distance = day === undefined ? distanceOf(words) : { days: day };
  return distance === undefined ? undefined : now.add(distance);
}

function distanceOf(words: string): Temporal.DurationLike | undefined {
  const { side, unit: beside } = neighbour.exec(words)?.groups ?? {};
  if (beside !== undefined) return durationOf(side === "last" ? -1 : 1, beside);
  const { into, amount, unit, away } = span.exec(words)?.groups ?? {};
  // One of the two says the direction, never both.
  if (amount === undefined || unit === undefined || (into === undefined) === (away === undefined)) return undefined;
  const count = /^\d/.test(amount) ? Number(amount) : 1;
  return durationOf(away === " ago" ? -count : count, unit);
}

/** The expressions above let no other unit through. */
function durationOf(count: number, unit: string): Temporal.DurationLike {
  return { [units[unit as Unit]]: count };
}
