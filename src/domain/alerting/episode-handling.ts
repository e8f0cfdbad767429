/** What people did with an episode. Instants are on the wall clock. */
export interface EpisodeHandling {
  readonly acknowledged: Quiet | null;
  readonly snoozed: Quiet | null;
  readonly assignee: Assignee | null;
}

/** Keeps reminders back. */
export interface Quiet {
  readonly atMs: number;
  readonly untilMs: number;
  /** Who did it, as people know him. */
  readonly by: string;
}

/** A person of the account. */
export interface Assignee {
  readonly id: string;
  readonly name: string;
}

export type EpisodeAct =
  | { readonly kind: "acknowledged" }
  | { readonly kind: "unacknowledged" }
  | { readonly kind: "snoozed"; readonly untilMs: number }
  | { readonly kind: "unsnoozed" }
  | { readonly kind: "assigned"; readonly to: Assignee | null }
  | { readonly kind: "commented"; readonly text: string }
  /** `id` of an incident that was opened for it. */
  | { readonly kind: "incident"; readonly id: string };

export type EpisodeActKind = EpisodeAct["kind"];

/**
 * An acknowledgement that nobody follows up ends by itself, so that what was forgotten is reminded of again: after a day, when whoever
 * acknowledged it is at work again.
 */
export const acknowledgedForMs = 24 * 3_600_000;
/** Longer than that it is no snooze: mute the check. */
export const longestSnoozeMs = 30 * 24 * 3_600_000;

export const unhandled: EpisodeHandling = { acknowledged: null, snoozed: null, assignee: null };

/** Acts that concern reminders: of an episode that is over there are none. */
const ofOpenOnes: ReadonlySet<EpisodeActKind> = new Set(["acknowledged", "unacknowledged", "snoozed", "unsnoozed"]);

export function isPossible({ kind }: EpisodeAct, isOpen: boolean): boolean {
  return isOpen || !ofOpenOnes.has(kind);
}

export function afterAct(before: EpisodeHandling, act: EpisodeAct, by: string, atMs: number): EpisodeHandling {
  if (act.kind === "acknowledged") return { ...before, acknowledged: { atMs, untilMs: atMs + acknowledgedForMs, by } };
  if (act.kind === "unacknowledged") return { ...before, acknowledged: null };
  if (act.kind === "snoozed") return { ...before, snoozed: { atMs, untilMs: Math.min(act.untilMs, atMs + longestSnoozeMs), by } };
  if (act.kind === "unsnoozed") return { ...before, snoozed: null };
  return act.kind === "assigned" ? { ...before, assignee: act.to } : before;
}

/** Reminders begin again then; null: nothing keeps them back. */
export function remindFromMs({ acknowledged, snoozed }: EpisodeHandling): number | null {
  const ends = [acknowledged, snoozed].flatMap((one) => one?.untilMs ?? []);
  return ends.length === 0 ? null : Math.max(...ends);
}

/** What still keeps reminders back now; null: nothing does. */
export function quietNow(
  { acknowledged, snoozed }: EpisodeHandling,
  nowMs: number,
): { readonly kind: "acknowledged" | "snoozed"; readonly quiet: Quiet } | null {
  if (acknowledged !== null && acknowledged.untilMs > nowMs) return { kind: "acknowledged", quiet: acknowledged };
  return snoozed !== null && snoozed.untilMs > nowMs ? { kind: "snoozed", quiet: snoozed } : null;
}
