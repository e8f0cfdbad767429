import type { IncidentStatus } from "#contract/incidents.ts";
import type { StatusPageIncident, StatusPageIncidentStatus } from "#contract/status-pages/incidents.ts";

/** An update of a status page's incident, as far as the incident's state follows from it. */
export interface PublicUpdate {
  readonly status: StatusPageIncidentStatus;
  /** When it happened, as pages tell it; users may write it later. */
  readonly publicAtMs: number;
}

/** An update as it is stored. */
export interface StoredIncidentUpdate extends PublicUpdate {
  readonly id: string;
  readonly description: string;
  readonly notifySubscribers: boolean;
  readonly createdAtMs: number;
}

/** What is stored of a status page's incident: its updates stand in it, so that its status is never another one than theirs. */
export interface StatusPageIncidentDefinition {
  readonly name: string;
  readonly severity: StatusPageIncident["severity"];
  readonly serviceIds: readonly string[];
  /** In the order in which they were written. */
  readonly updates: readonly StoredIncidentUpdate[];
}

/** The latest first; of updates with the same date the one that was written last. */
export function latestFirst<U extends PublicUpdate>(updates: readonly U[]): readonly U[] {
  return updates.toReversed().toSorted((a, b) => b.publicAtMs - a.publicAtMs);
}

/** Every incident begins like this. */
export function statusOf(updates: readonly PublicUpdate[]): StatusPageIncidentStatus {
  return latestFirst(updates)[0]?.status ?? "INVESTIGATING";
}

/** From the first update to the one that resolved the incident; null while it is open. */
export function durationMs(updates: readonly PublicUpdate[]): number | null {
  const sorted = latestFirst(updates);
  const [latest, first] = [sorted[0], sorted.at(-1)];
  return latest?.status === "RESOLVED" && first ? latest.publicAtMs - first.publicAtMs : null;
}

/** When an incident of a dashboard ended: what the user says, otherwise when its last update resolved it. Updates: oldest first. */
export function stoppedAtMs(
  saidMs: number | null,
  updates: readonly { readonly status: IncidentStatus; readonly createdAtMs: number }[],
): number | null {
  const last = updates.at(-1);
  return saidMs ?? (last?.status === "RESOLVED" ? last.createdAtMs : null);
}
