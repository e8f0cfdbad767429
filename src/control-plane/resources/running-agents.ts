import type { PrivateLocation } from "#contract/private-locations.ts";
import { version as ownVersion } from "#daemon/version.ts";
import { instant } from "../instants.ts";
import type { AgentSessionRow } from "../storage/storage.ts";

type RunningAgents = NonNullable<PrivateLocation["runningAgents"]>;

/** Agents by version, newest version first. An agent that renewed its session counts once. */
export function runningAgents(sessions: readonly AgentSessionRow[]): RunningAgents {
  const latest = new Map<string, AgentSessionRow>();
  for (const session of sessions) {
    const known = latest.get(session.agentId);
    if (known === undefined || known.lastSeenAtMs < session.lastSeenAtMs) latest.set(session.agentId, session);
  }
  return [...Map.groupBy(latest.values(), ({ version }) => version)]
    .toSorted(([a], [b]) => compareVersions(b, a))
    .map(([version, agents]) => ({
      version,
      isOutdated: compareVersions(version, ownVersion) < 0,
      count: agents.length,
      agents: agents.map(({ agentId, lastSeenAtMs }) => ({ id: agentId, lastSeenAt: instant(lastSeenAtMs) })),
    }));
}

export function lowestVersion(versions: readonly string[]): string | null {
  return versions.toSorted(compareVersions)[0] ?? null;
}

/** Numbers part by part; what is no number counts as 0. Enough for our own releases. */
export function compareVersions(a: string, b: string): number {
  const parts = (version: string): number[] => version.split(".").map((part) => Number.parseInt(part, 10) || 0);
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
