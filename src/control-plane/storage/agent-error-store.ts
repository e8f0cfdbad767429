import type { ErrorEvent } from "#contract/agent-protocol.ts";
import type { Page } from "./page.ts";

/** Errors of one report, the same ones counted. */
export interface ReportedAgentErrors {
  readonly accountId: number;
  readonly locationId: number;
  readonly agentId: string;
  readonly nowMs: number;
  /** `hash`: of what makes two errors the same. Each hash once. */
  readonly errors: readonly (ErrorEvent & { readonly hash: string; readonly count: number })[];
}

export interface AgentErrorRow extends ErrorEvent {
  readonly id: number;
  /** Of the agent that reported it last. */
  readonly agentId: string;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  readonly count: number;
}

/** What agents of private locations report of themselves: the newest of each location, each error once. */
export interface AgentErrorStore {
  add(reported: ReportedAgentErrors): Promise<void>;
  /** The one seen last first. */
  list(accountId: number, locationId: number, page: { readonly page: number; readonly limit: number }): Promise<Page<AgentErrorRow>>;
  /** Removes up to `limit` of those last seen before. @returns how many there were */
  prune(olderThanMs: number, limit: number): Promise<number>;
}
