import type { HeartbeatState, HeartbeatTimer } from "#domain/heartbeat.ts";
import type { PingToken } from "./configuration-stores.ts";

export interface NewPing {
  readonly checkId: number;
  readonly atMs: number;
  /** Bounded by the caller. */
  readonly source: string | null;
  readonly userAgent: string | null;
}

export interface HeartbeatEventRow {
  readonly id: number;
  readonly checkId: number;
  readonly state: HeartbeatState;
  readonly atMs: number;
  readonly source: string | null;
  readonly userAgent: string | null;
}

export interface HeartbeatWindow {
  /** Included. */
  readonly fromMs: number;
  /** Not included. */
  readonly toMs: number;
  /** Only events of these; all when absent. */
  readonly states?: readonly HeartbeatState[];
}

/** How many events a heartbeat had: its availability is the share of those that are no alert. */
export interface HeartbeatCounts {
  readonly checkId: number;
  /** Pings, however late. */
  readonly pings: number;
  /** Alerts: FAILING events. */
  readonly alerts: number;
}

/** The timers of heartbeats and what happened to them. Checks are written by `CheckStore`, heartbeats with them. */
export interface HeartbeatStore {
  /** The check whose pings carry the token, of any account. */
  checkIdOf(token: PingToken): Promise<number | undefined>;
  /** Writes the ping, with the alert before it where one was due. Many at a time are one transaction. One of a deactivated check is dropped. */
  ping(ping: NewPing): Promise<void>;
  /** Writes the alerts that are due. Any number of processes may call it; each alert is written once. @returns how many were due */
  sweep(nowMs: number, limit: number): Promise<number>;
  /** Says that this process takes pings and sweeps: see `resume`. */
  markAlive(nowMs: number): Promise<void>;
  /**
   * To be called before sweeping begins. Where nobody was alive for longer than `toleratedMs`, no timer ran either: pings could not come, so
   * every timer is moved by the length of the outage. @returns that length, 0 when there was none
   */
  resume(nowMs: number, toleratedMs: number): Promise<number>;
  /** As it runs now; undefined where there is none. */
  timer(checkId: number): Promise<HeartbeatTimer | undefined>;
  /** Newest first. */
  events(checkId: number, window: HeartbeatWindow & { readonly limit: number }): Promise<readonly HeartbeatEventRow[]>;
  event(checkId: number, id: number): Promise<HeartbeatEventRow | undefined>;
  /** Heartbeats without events in the window are left out. */
  availability(checkIds: readonly number[], window: HeartbeatWindow): Promise<readonly HeartbeatCounts[]>;
  /** Deletes events from before, the oldest first. @returns whether there may be more */
  prune(olderThanMs: number, limit: number): Promise<{ deleted: number; more: boolean }>;
}
