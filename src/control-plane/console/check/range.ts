import { clockText, dateText } from "../../pages/public/units.ts";

/** How far back a page looks, and how fine. */
export interface Range {
  readonly name: string;
  readonly label: string;
  readonly lengthMs: number;
  readonly bucketMinutes: number;
}

const hourMs = 3_600_000;

const day: Range = { name: "24h", label: "24 hours", lengthMs: 24 * hourMs, bucketMinutes: 30 };
export const ranges: readonly Range[] = [
  { name: "1h", label: "Hour", lengthMs: hourMs, bucketMinutes: 2 },
  day,
  { name: "7d", label: "7 days", lengthMs: 7 * 24 * hourMs, bucketMinutes: 240 },
  { name: "30d", label: "30 days", lengthMs: 30 * 24 * hourMs, bucketMinutes: 1_440 },
];

export function rangeOf(name: string | null): Range {
  return ranges.find((range) => range.name === name) ?? day;
}

/** Texts for the axis of time: times of a day where the range is short, else days. */
export function ticksOf({ lengthMs }: Range, nowMs: number): readonly string[] {
  const at = [1, 0.75, 0.5, 0.25, 0].map((share) => nowMs - lengthMs * share);
  return at.map((ms) => (lengthMs <= 24 * hourMs ? clockText(ms) : dateText(ms).replace(/ \d{4}$/, "")));
}
