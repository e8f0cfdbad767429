import type { Span } from "./maintenance.ts";

/*
 * Slots that never became a run are told as gaps: one span of slots with one reason, however long it is. A slot is owed unless a maintenance
 * window pauses its check at that instant.
 */

/** Why nobody ran them. Names are stored. */
export const gapReasons = ["control_plane_down", "store_unavailable", "clock_jump", "check_changed"] as const;
export type GapReason = (typeof gapReasons)[number];

/** A time in which no slot could run, as whoever schedules knows it. */
export interface Interruption extends Span {
  readonly reason: GapReason;
}

export interface Gap {
  readonly reason: GapReason;
  readonly firstSlotMs: number;
  readonly lastSlotMs: number;
  readonly slots: number;
}

/** Slots of one schedule, from the first to the last. */
export interface Slots {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly periodMs: number;
}

/**
 * The gaps that stand for all of these slots but those that are paused. Where no interruption tells why, nobody took turns: no control plane
 * ran, or it stood still. Costs by the number of spans, not of slots.
 */
export function gapsOf(
  { firstMs, lastMs, periodMs }: Slots,
  pauses: readonly Span[],
  interruptions: readonly Interruption[],
): readonly Gap[] {
  if (lastMs < firstMs) return [];
  const edges = [...pauses, ...interruptions].flatMap(({ startsAtMs, endsAtMs }) => [startsAtMs, endsAtMs]);
  const inside = edges.filter((edge) => edge > firstMs && edge <= lastMs).toSorted((a, b) => a - b);
  const cuts = [firstMs, ...new Set(inside), lastMs + 1];
  const gaps: Gap[] = [];
  for (const [index, fromMs] of cuts.slice(0, -1).entries()) {
    if (isPausedAt(pauses, fromMs)) continue;
    const untilMs = cuts[index + 1] ?? fromMs;
    const firstSlotMs = firstMs + Math.ceil((fromMs - firstMs) / periodMs) * periodMs;
    if (firstSlotMs >= untilMs) continue;
    const slots = Math.ceil((untilMs - firstSlotMs) / periodMs); // an edge may lie within a millisecond
    const reason = interruptions.find((one) => contains(one, fromMs))?.reason ?? "control_plane_down";
    add(gaps, { reason, firstSlotMs, lastSlotMs: firstSlotMs + (slots - 1) * periodMs, slots }, periodMs);
  }
  return gaps;
}

/** How many slots of a gap lie in a time; one from the first instant up to but without the second. */
export function slotsIn({ firstSlotMs, lastSlotMs, slots }: Gap, fromMs: number, toMs: number): number {
  const periodMs = slots === 1 ? 1 : (lastSlotMs - firstSlotMs) / (slots - 1);
  const before = (ms: number): number => Math.min(slots, Math.max(0, Math.ceil((ms - firstSlotMs) / periodMs)));
  return before(toMs) - before(fromMs);
}

export function isPausedAt(pauses: readonly Span[], atMs: number): boolean {
  return pauses.some((span) => contains(span, atMs));
}

function contains({ startsAtMs, endsAtMs }: Span, atMs: number): boolean {
  return startsAtMs <= atMs && atMs < endsAtMs;
}

/** What goes on for the same reason is one gap. */
function add(gaps: Gap[], next: Gap, periodMs: number): void {
  const last = gaps.at(-1);
  if (last?.reason !== next.reason || last.lastSlotMs + periodMs !== next.firstSlotMs) gaps.push(next);
  else gaps[gaps.length - 1] = { ...last, lastSlotMs: next.lastSlotMs, slots: last.slots + next.slots };
}
