import type { PrivateLocation } from "#contract/private-locations.ts";
import { version as ownVersion } from "#daemon/version.ts";
import { compareVersions } from "#domain/version-order.ts";
import { instant } from "../kinds/instants.ts";
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
