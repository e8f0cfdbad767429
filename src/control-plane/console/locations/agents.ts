import { noticeableSkewMs } from "#contract/agent-protocol.ts";
import { version as ownVersion } from "#daemon/version.ts";
import { compareVersions } from "#domain/version-order.ts";
import type { AgentSessionRow } from "../../storage/storage.ts";

/** An agent of a location as people see it: what its newest session told. */
export interface Agent
  extends Pick<
    AgentSessionRow,
    | "agentId"
    | "keyId"
    | "name"
    | "version"
    | "checkTypes"
    | "runtimes"
    | "sandboxLevel"
    | "capabilities"
    | "outboxDepth"
    | "eventLoopDelayMs"
    | "lastSeenAtMs"
    | "lastExecutedAtMs"
    | "platform"
    | "clockAheadMs"
  > {
  /** `stopped` said so before it went, `silent` did not. */
  readonly state: "connected" | "stopping" | "stopped" | "silent";
  readonly isOutdated: boolean;
  readonly isClockOff: boolean;
}

const order: readonly Agent["state"][] = ["connected", "stopping", "silent", "stopped"];

/**
 * One entry for each agent, those that are connected first, then the one heard of last. An agent that renewed its session counts once; what it
 * ran in an earlier one counts, too.
 *
 * @param goneMs an agent that was not heard of for this long no longer counts as connected
 */
export function agentsOf(sessions: readonly AgentSessionRow[], nowMs: number, goneMs: number): readonly Agent[] {
  return [...Map.groupBy(sessions, ({ agentId }) => agentId).values()]
    .flatMap((ofAgent) => {
      const byAge = ofAgent.toSorted((a, b) => b.lastSeenAtMs - a.lastSeenAtMs || b.id - a.id);
      const [newest] = byAge;
      if (newest === undefined) return [];
      const executedMs = Math.max(...ofAgent.map(({ lastExecutedAtMs }) => lastExecutedAtMs ?? 0));
      const clockAheadMs = byAge.find((one) => one.clockAheadMs !== null)?.clockAheadMs ?? null; // a session tells it with its first heartbeat
      const isClockOff = Math.abs(clockAheadMs ?? 0) >= noticeableSkewMs;
      const told = { lastExecutedAtMs: executedMs === 0 ? null : executedMs, clockAheadMs, isClockOff };
      return { ...newest, ...told, ...conditionOf(newest, nowMs, goneMs) };
    })
    .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || b.lastSeenAtMs - a.lastSeenAtMs);
}

function conditionOf(
  { lastSeenAtMs, state, version }: AgentSessionRow,
  nowMs: number,
  goneMs: number,
): Pick<Agent, "state" | "isOutdated"> {
  const isGone = lastSeenAtMs < nowMs - goneMs;
  const isOutdated = compareVersions(version, ownVersion) < 0;
  if (state === "draining") return { state: isGone ? "stopped" : "stopping", isOutdated };
  return { state: isGone ? "silent" : "connected", isOutdated };
}
