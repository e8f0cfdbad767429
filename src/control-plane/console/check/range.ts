import { maxWindowDays, type TimeWindow } from "#domain/time-range.ts";
import { checkPageTexts } from "../../texts/check-page.ts";
import { clockText, dateText } from "../../view/units.ts";
import type { FormProblems } from "../form-view.ts";

const texts = checkPageTexts.range;

interface NamedRange {
  readonly name: keyof typeof texts.names;
  readonly lengthMs: number;
}

/** The time that a page looks at. */
export interface Range extends TimeWindow {
  /** One of `ranges`; null where the address tells both ends. */
  readonly name: NamedRange["name"] | null;
}

/** What an address asks for, and what of it cannot be. */
export interface AskedRange {
  /** The last day where what was asked for cannot be. */
  readonly range: Range;
  readonly problems: FormProblems;
  /** As they were typed. */
  readonly from: string;
  readonly to: string;
  /** Whether the same time some weeks before is shown beside it. */
  readonly isCompared: boolean;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const lastDay: NamedRange = { name: "24h", lengthMs: dayMs };
export const ranges: readonly NamedRange[] = [
  { name: "1h", lengthMs: hourMs },
  lastDay,
  { name: "7d", lengthMs: 7 * dayMs },
  { name: "30d", lengthMs: 30 * dayMs },
];

export function namedRange(query: URLSearchParams): NamedRange {
  return ranges.find(({ name }) => name === query.get("range")) ?? lastDay;
}

/** The query with the range of a new check, where it asks for none: the shortest that shows all that it can have measured. */
export function withFittingRange(query: URLSearchParams, createdAtMs: number, nowMs: number): URLSearchParams {
  const fitting = ranges.find(({ lengthMs }) => nowMs - createdAtMs <= lengthMs);
  const isAsked = ["range", "from", "to"].some((name) => query.has(name));
  if (isAsked || fitting === undefined || fitting.lengthMs >= lastDay.lengthMs) return query;
  return new URLSearchParams([...query, ["range", fitting.name]]);
}

/** `from` and `to` win over `range`; without `to` it ends now. */
export function rangeOf(query: URLSearchParams, nowMs: number): AskedRange {
  const from = (query.get("from") ?? "").trim();
  const to = (query.get("to") ?? "").trim();
  const { name, lengthMs } = namedRange(query);
  const named: Range = { name, fromMs: nowMs - lengthMs, toMs: nowMs };
  const isCompared = query.get("compare") === "week";
  if (from === "" && to === "") return { range: named, problems: {}, from, to, isCompared };
  const fromMs = from === "" ? null : instantOf(from);
  const toMs = to === "" ? nowMs : instantOf(to);
  const problems = problemsOf({ from, to }, fromMs, toMs, nowMs);
  if (problems !== null) return { range: named, problems, from, to, isCompared };
  // Nothing has been measured after now.
  return { range: { name: null, fromMs: fromMs ?? 0, toMs: Math.min(toMs ?? nowMs, nowMs) }, problems: {}, from, to, isCompared };
}

/** How many days before the same weekdays and hours were, without an overlap: a week for what is no longer than one. */
export function daysBefore({ fromMs, toMs }: TimeWindow): number {
  return 7 * Math.max(1, Math.ceil((toMs - fromMs) / (7 * dayMs)));
}

/** Locations that an address names. */
export function chosenOf(query: URLSearchParams): readonly string[] {
  return [...new Set(query.getAll("location"))].slice(0, 100);
}

function problemsOf(
  { from, to }: Pick<AskedRange, "from" | "to">,
  fromMs: number | null,
  toMs: number | null,
  nowMs: number,
): FormProblems | null {
  const notATime = (given: string): string => texts.notATime(given.slice(0, 60));
  if (from === "") return { from: texts.noBegin };
  if (fromMs === null) return { from: notATime(from), ...(toMs === null && { to: notATime(to) }) };
  if (toMs === null) return { to: notATime(to) };
  if (fromMs >= nowMs) return { from: texts.inFuture };
  if (fromMs >= toMs) return { from: texts.upsideDown };
  if (Math.min(toMs, nowMs) - fromMs < minuteMs) return { to: texts.tooShort };
  if (toMs - fromMs > maxWindowDays * dayMs) return { from: texts.tooLong(maxWindowDays) };
  return null;
}

/** Milliseconds since the epoch, an instant in ISO 8601, or what an input of date and time sends, which is in UTC. */
function instantOf(given: string): number | null {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  const [, local] = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)$/.exec(given) ?? [];
  if (local === undefined && !/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/.test(given)) return null;
  const ms = Date.parse(local === undefined ? given : `${local}Z`);
  return Number.isNaN(ms) ? null : ms;
}

/** What an input of date and time shows, in UTC. */
export function inputTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16);
}

/** Texts for the axis of time, evenly spread: times of a day where the range is short, else days. */
export function ticksOf({ fromMs, toMs }: TimeWindow): readonly string[] {
  const textOf = toMs - fromMs <= 36 * hourMs ? clockText : (ms: number): string => dateText(ms).replace(/ \d{4}$/, "");
  return [0, 0.25, 0.5, 0.75, 1].map((share) => textOf(fromMs + (toMs - fromMs) * share));
}
