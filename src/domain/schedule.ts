/**
 * A check is due in slots: the instants t with t ≡ phase (mod period), counted from the epoch. Slots follow from the
 * check alone, so they survive restarts, and a late run does not shift the next one.
 */

/** The sub-minute periods, in seconds: what `frequencyOffset` means with frequency 0 (spec 2.10 rule 1). */
const subMinuteOffsets = [10, 20, 30] as const;
const hourMs = 3_600_000;

/**
 * Milliseconds between two runs.
 *
 * @param frequency minutes; 0 runs every `frequencyOffset` seconds
 */
export function periodMs(frequency: number, frequencyOffset: number | null): number {
  return frequency === 0 ? (frequencyOffset ?? 30) * 1_000 : frequency * 60_000;
}

/** What is wrong with an offset for its frequency (spec 2.10), as a clause that goes on after the name of the field; or null. */
export function offsetProblem(frequency: number, frequencyOffset: number): string | null {
  if (frequency === 0) {
    return subMinuteOffsets.some((offset) => offset === frequencyOffset) ? null : "must be 10, 20 or 30 with frequency 0";
  }
  const max = maxOffset(frequency);
  const fits = Number.isInteger(frequencyOffset) && frequencyOffset >= 1 && frequencyOffset <= max;
  return fits ? null : `must be an integer from 1 to ${max} with frequency ${frequency}`;
}

/**
 * The offset for a check that names none: the least used one, among those the one furthest from any that is used
 * more, so that checks of one frequency spread evenly over its period. With frequency 0, every 30 seconds.
 *
 * @param taken offsets of the existing checks of the same frequency, and how many have each
 */
export function spreadOffset(frequency: number, taken: ReadonlyMap<number, number>): number {
  if (frequency === 0) return 30;
  const uses = Array.from({ length: maxOffset(frequency) }, () => 0);
  for (const [offset, checks] of taken) if (uses[offset - 1] !== undefined) uses[offset - 1] = checks;
  const least = Math.min(...uses);
  const distances = distancesToBusy(uses, least);
  let best = -1;
  for (const [index, distance] of distances.entries()) {
    if (uses[index] === least && (best === -1 || distance > (distances[best] ?? 0))) best = index;
  }
  return best + 1;
}

/**
 * Where in its period a check runs. Offsets divide the period into equal parts: of 6 seconds up to 60 minutes (the
 * largest offset is ten times the frequency) and of one hour above. The offset chooses the part, a hash of the check's
 * id the millisecond within it. Without an offset that divides, the hash chooses within the whole period.
 */
export function phaseMs(checkId: string, frequency: number, frequencyOffset: number | null, period: number): number {
  const hash = hash32(checkId);
  if (frequency === 0 || frequencyOffset === null) return hash % period;
  const partMs = partLengthMs(frequency);
  return ((frequencyOffset - 1) * partMs + (hash % partMs)) % period;
}

/** The first slot strictly after `afterMs`. */
export function nextDueMs(slots: { readonly periodMs: number; readonly phaseMs: number; readonly afterMs: number }): number {
  const { periodMs: period, phaseMs: phase, afterMs } = slots;
  return (Math.floor((afterMs - phase) / period) + 1) * period + phase;
}

/** Where a check stands in its slots: kept with it, and only moved by the rules below. */
export interface SlotState {
  readonly nextDueMs: number;
  /** The latest slot that is accounted for: it ran, or stands in a gap. Never goes back. Null before the first. */
  readonly settledMs: number | null;
  /** The latest slot that came again because the clock was set back; null while time is new. */
  readonly relivedMs: number | null;
  /** How often the clock was set back over slots that had run. */
  readonly relives: number;
}

export interface DueDecision {
  readonly fire: boolean;
  /** The newest slot that is due; without one, the slot waited for. */
  readonly dueMs: number;
  /** To be stored: when to look again. */
  readonly nextDueMs: number;
}

/**
 * Whether a check is due, for which slot, and what is next.
 *
 * After a long stop or a jump of the clock forward the newest slot is run, and those before it are a gap (`schedule-gaps.ts`). When the
 * clock jumped back, the plan lies more than a period ahead; it is then drawn anew, so that nothing pauses for the length of the jump. Only
 * a jump smaller than a period can make the slot that ran last come again: that one is left out.
 */
export function dueDecision(check: {
  readonly nextDueMs: number;
  readonly settledMs: number | null;
  readonly nowMs: number;
  readonly periodMs: number;
  readonly phaseMs: number;
}): DueDecision {
  const { nextDueMs: planned, settledMs, nowMs, periodMs: period, phaseMs: phase } = check;
  const following = nextDueMs({ periodMs: period, phaseMs: phase, afterMs: nowMs });
  if (nowMs >= planned) return { fire: true, dueMs: Math.max(planned, following - period), nextDueMs: following };
  const ranLast = settledMs !== null && following === planned - period;
  const waitMs = planned - nowMs > period && !ranLast ? following : planned;
  return { fire: false, dueMs: waitMs, nextDueMs: waitMs };
}

/** The first slot from the planned one on that is not accounted for: a clock that was set back makes slots come again. */
export function firstUnsettledMs({
  nextDueMs: planned,
  settledMs,
  periodMs: period,
}: Pick<SlotState, "nextDueMs" | "settledMs"> & { readonly periodMs: number }): number {
  if (settledMs === null || planned > settledMs) return planned;
  return planned + (Math.floor((settledMs - planned) / period) + 1) * period;
}

/**
 * The date of a slot's run, and the state after it. A slot that is new dates its run. One that comes again, because the clock was set back,
 * has its run or its gap already: the run of the n-th time is dated n milliseconds after the slot, so that no two runs have one date.
 */
export function datedRun(slotMs: number, state: Omit<SlotState, "nextDueMs">): Omit<SlotState, "nextDueMs"> & { readonly runAtMs: number } {
  const { settledMs, relivedMs } = state;
  if (settledMs === null || slotMs > settledMs) return { runAtMs: slotMs, settledMs: slotMs, relivedMs: null, relives: state.relives };
  const relives = relivedMs === null || slotMs <= relivedMs ? state.relives + 1 : state.relives;
  return { runAtMs: slotMs + relives, settledMs, relivedMs: slotMs, relives };
}

/** Rules 2 and 3 of spec 2.10. */
function maxOffset(frequency: number): number {
  return frequency <= 60 ? Math.floor(frequency * 10) : Math.ceil(frequency / 60);
}

function partLengthMs(frequency: number): number {
  return frequency <= 60 ? 6_000 : hourMs;
}

/** For each offset, how far round the period the next busier one is; infinite when all are alike. */
function distancesToBusy(uses: readonly number[], least: number): number[] {
  const distances = uses.map(() => Number.POSITIVE_INFINITY);
  const size = uses.length;
  for (const step of [1, -1]) {
    let sinceBusy = Number.POSITIVE_INFINITY;
    for (let walked = 0; walked < 2 * size; walked += 1) {
      const index = (((step * walked) % size) + size) % size;
      sinceBusy = (uses[index] ?? 0) > least ? 0 : sinceBusy + 1;
      distances[index] = Math.min(distances[index] ?? sinceBusy, sinceBusy);
    }
  }
  return distances;
}

/** FNV-1a with a final mix: evenly spread also for ids that differ in one digit, and the same for ever. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
