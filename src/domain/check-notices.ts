import { type Muted, mutedNow } from "./muted-for.ts";

/*
 * What people should know of a check beside how its runs went: why it does not run, why it sends no alerts, and when its first run comes. Lists,
 * its page and dashboards tell the same.
 */

/** A time of a maintenance window, and what it does to one check. */
export interface HeldWindow {
  readonly name: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly pauses: boolean;
  readonly silences: boolean;
}

export interface NoticeFacts extends Muted {
  /** As its group makes of it; `ofGroup` is what the group says itself, null where it is in none. */
  readonly activated: boolean;
  readonly ofGroup: { readonly activated: boolean; readonly muted: boolean } | null;
  readonly hasRun: boolean;
  /** Null: no schedule runs it. */
  readonly nextDueMs: number | null;
  /** Of all its locations; none of what runs nowhere. `lastSeenAtMs`: when an agent was heard of last; null: never. */
  readonly places: readonly { readonly name: string; readonly lastSeenAtMs: number | null }[];
  /** Windows that hold now, or later. */
  readonly windows: readonly HeldWindow[];
  /** The name of the project whose code owns it; null, or absent: none does. */
  readonly codeProject?: string | null;
}

export type CheckNotice =
  | { readonly kind: "paused"; readonly by: "check" | "group" }
  | { readonly kind: "maintenance"; readonly window: HeldWindow }
  | { readonly kind: "muted"; readonly by: "check" | "group"; readonly untilMs: number | null }
  /** Since the last of its locations was heard of; null: none ever was. */
  | { readonly kind: "no-agent"; readonly places: readonly string[]; readonly sinceMs: number | null }
  | { readonly kind: "first-run"; readonly atMs: number }
  | { readonly kind: "code"; readonly project: string };

/** @param goneMs a location that was not heard of for this long has no connected agent */
export function checkNotices(facts: NoticeFacts, nowMs: number, goneMs: number): readonly CheckNotice[] {
  const { codeProject = null } = facts;
  const ofCode: readonly CheckNotice[] = codeProject === null ? [] : [{ kind: "code", project: codeProject }];
  return [...standingNotices(facts, nowMs, goneMs), ...ofCode];
}

function standingNotices(facts: NoticeFacts, nowMs: number, goneMs: number): readonly CheckNotice[] {
  const muted = mutedNotice(facts, nowMs);
  const silent = muted === null ? [] : [muted];
  // What does not run at all is neither held up nor missed.
  if (!facts.activated) return [{ kind: "paused", by: facts.ofGroup?.activated === false ? "group" : "check" }, ...silent];
  const held = facts.windows.filter((window) => holdsAt(window, nowMs));
  const away = noAgent(facts, nowMs, goneMs);
  const first = away === null ? firstRun(facts) : null;
  return [
    ...held.map((window) => ({ kind: "maintenance", window }) as const),
    ...silent,
    ...(away === null ? [] : [away]),
    ...(first === null ? [] : [first]),
  ];
}

/** A group's mute outlasts that of its check: to unmute the check would change nothing. */
function mutedNotice(facts: NoticeFacts, nowMs: number): CheckNotice | null {
  const until = mutedNow(facts, nowMs);
  if (until === null) return null;
  return { kind: "muted", by: facts.ofGroup?.muted === true ? "group" : "check", untilMs: until === "always" ? null : until };
}

function noAgent({ places }: NoticeFacts, nowMs: number, goneMs: number): CheckNotice | null {
  const isConnected = (seenMs: number | null): boolean => seenMs !== null && seenMs >= nowMs - goneMs;
  if (places.length === 0 || places.some(({ lastSeenAtMs }) => isConnected(lastSeenAtMs))) return null;
  const seen = places.flatMap(({ lastSeenAtMs }) => lastSeenAtMs ?? []);
  return { kind: "no-agent", places: places.map(({ name }) => name), sinceMs: seen.length === 0 ? null : Math.max(...seen) };
}

/** A slot that a window pauses is no run: when the first one comes is not known before the window is over. */
function firstRun({ hasRun, nextDueMs, windows }: NoticeFacts): CheckNotice | null {
  if (hasRun || nextDueMs === null || windows.some((window) => window.pauses && holdsAt(window, nextDueMs))) return null;
  return { kind: "first-run", atMs: nextDueMs };
}

function holdsAt({ startsAtMs, endsAtMs }: HeldWindow, atMs: number): boolean {
  return startsAtMs <= atMs && atMs < endsAtMs;
}
