/*
 * What is told where data stays away. It is never told as a failure of a target: nobody looked at it. A location whose agents went silent is one
 * notice, whatever runs there; its checks are marked as having no data, and nothing of their own is told. A check that has no data at a
 * location whose agents are there is told once for this location.
 */

/** A location without an agent for so long is silent (behaviour 5). */
export const silentAfterMs = 10 * 60_000;
/** So many intervals without data are a hole; a run waits 6 minutes in a queue before it is given up. */
const missedIntervals = 3;
const leastMs = 6 * 60_000;

export interface CheckHere {
  readonly checkId: number;
  /** Between two runs; infinite where no data of it is waited for here. */
  readonly intervalMs: number;
  /** Of its newest run; null: there was none. */
  readonly dataMs: number | null;
  /** It was made, was activated, or came to this location. */
  readonly sinceMs: number;
}

export interface LocationSeen {
  /** An agent was heard of; null: none ever was. */
  readonly agentSeenMs: number | null;
  readonly checks: readonly CheckHere[];
}

/** Kept by location. */
export interface SilenceState {
  /** Since when nobody is there; null: somebody is. */
  readonly silentSinceMs: number | null;
  /** Agents are there since; data is waited for from then on. */
  readonly backMs: number;
  /** Checks that were told to have no data. */
  readonly withoutData: readonly number[];
}

export interface Notice {
  readonly kind: "AGENTS_SILENT" | "AGENTS_BACK" | "NO_DATA" | "DATA_AGAIN";
  /** Epoch ms: silent, without data, since. */
  readonly sinceMs: number;
  /** Ascending; those that are marked where agents are silent. */
  readonly checkIds: readonly number[];
}

export interface SilenceStep {
  readonly state: SilenceState;
  readonly notices: readonly Notice[];
  /** Checks that have no data here: told alone, or because nobody is there. Their reminders wait. */
  readonly marked: readonly number[];
}

export const notSilent: SilenceState = { silentSinceMs: null, backMs: 0, withoutData: [] };

export function nextSilence(before: SilenceState, { agentSeenMs, checks }: LocationSeen, nowMs: number): SilenceStep {
  const ids = checks.map(({ checkId }) => checkId).toSorted((a, b) => a - b);
  if (ids.length === 0) return { state: notSilent, notices: [], marked: [] };
  // Where no agent ever was, the first check waits for one.
  const seenMs = agentSeenMs ?? Math.min(...checks.map(({ sinceMs }) => sinceMs));
  if (nowMs - seenMs >= silentAfterMs) {
    const notice: Notice = { kind: "AGENTS_SILENT", sinceMs: seenMs, checkIds: ids };
    const state = { ...before, silentSinceMs: before.silentSinceMs ?? seenMs, withoutData: [] };
    return { state, notices: before.silentSinceMs === null ? [notice] : [], marked: ids };
  }
  return withAgents(before, checks, seenMs, nowMs);
}

/** Data that stays away since agents were heard of the last time is a matter of agents: it is told with their silence, or comes with them. */
function withAgents(before: SilenceState, checks: readonly CheckHere[], heardMs: number, nowMs: number): SilenceStep {
  const isBack = before.silentSinceMs !== null;
  const backMs = isBack ? nowMs : before.backMs;
  const waitingSinceMs = ({ dataMs, sinceMs }: CheckHere): number => Math.max(dataMs ?? sinceMs, sinceMs, backMs);
  const without = checks.filter((check) => heardMs - waitingSinceMs(check) >= Math.max(missedIntervals * check.intervalMs, leastMs));
  const ids = without.map(({ checkId }) => checkId).toSorted((a, b) => a - b);
  const [told, missing] = [new Set(before.withoutData), new Set(ids)];
  const fresh = without.filter(({ checkId }) => !told.has(checkId));
  const again = checks.filter(({ checkId }) => told.has(checkId) && !missing.has(checkId));
  const notices = [
    ...(isBack ? [{ kind: "AGENTS_BACK", sinceMs: nowMs, checkIds: [] } as const] : []),
    ...noticeOf("NO_DATA", fresh, waitingSinceMs),
    ...noticeOf("DATA_AGAIN", again, waitingSinceMs),
  ];
  return { state: { silentSinceMs: null, backMs, withoutData: ids }, notices, marked: ids };
}

function noticeOf(kind: Notice["kind"], checks: readonly CheckHere[], sinceMsOf: (check: CheckHere) => number): readonly Notice[] {
  if (checks.length === 0) return [];
  return [{ kind, sinceMs: Math.min(...checks.map(sinceMsOf)), checkIds: checks.map(({ checkId }) => checkId).toSorted((a, b) => a - b) }];
}
