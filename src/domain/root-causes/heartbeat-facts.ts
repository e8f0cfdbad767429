import type { HeartbeatState } from "../heartbeat.ts";
import type { CauseFacts } from "./cause-facts.ts";

/** A ping that came. */
export interface PingFact {
  readonly state: HeartbeatState;
  readonly atMs: number;
  /** As it says: its Origin, its Referer. */
  readonly source: string | null;
  /** Its user agent. */
  readonly program: string | null;
}

/** Another heartbeat of the account, at the same time. */
export interface OtherHeartbeatFact {
  readonly checkId: string;
  readonly name: string;
  readonly isMissed: boolean;
}

/** All that rules look at where a heartbeat was missed. */
export interface HeartbeatFacts extends Pick<CauseFacts, "changes" | "windows"> {
  readonly check: { readonly id: string; readonly name: string; readonly type: "HEARTBEAT"; readonly host: null };
  readonly periodMs: number;
  readonly graceMs: number;
  /** The first alert after the last ping. */
  readonly missedAtMs: number;
  /** Before that, the newest first. */
  readonly pings: readonly PingFact[];
  /** The first ping after it; null: none came yet. */
  readonly cameAtMs: number | null;
  /** Those that were to be pinged about then. */
  readonly others: readonly OtherHeartbeatFact[];
}

/** When the last ping was to be followed by another one; null where there was none. */
export function dueMs({ pings: [last], periodMs, graceMs }: HeartbeatFacts): number | null {
  return last === undefined ? null : last.atMs + periodMs + graceMs;
}

/** Times between pings, the newest first. */
export function intervalsOf({ pings }: Pick<HeartbeatFacts, "pings">): readonly number[] {
  return pings.slice(1).map(({ atMs }, index) => (pings[index]?.atMs ?? atMs) - atMs);
}
