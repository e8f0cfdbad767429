import type { StatusPageIncident, StatusPageIncidentUpdate } from "#contract/status-pages/incidents.ts";
import type { StatusPageService } from "#contract/status-pages/services.ts";
import { durationMs, latestFirst, type StatusPageIncidentDefinition, type StoredIncidentUpdate, statusOf } from "#domain/incidents.ts";
import { instant } from "../../kinds/instants.ts";
import type { DocumentRow } from "../../storage/storage.ts";

export type StatusPageIncidentRow = DocumentRow<StatusPageIncidentDefinition>;

/** @param services at least those of the incident that still exist */
export function incidentView(row: StatusPageIncidentRow, services: ReadonlyMap<string, StatusPageService>): StatusPageIncident {
  const { name, severity, serviceIds, updates } = row.definition;
  return {
    name,
    severity,
    id: row.uuid,
    services: serviceIds.flatMap((id) => services.get(id) ?? []),
    incidentUpdates: updatesView(updates),
    lastUpdateStatus: statusOf(updates),
    duration: durationMs(updates),
    created_at: instant(row.createdAtMs),
    updated_at: instant(row.updatedAtMs ?? row.createdAtMs),
  };
}

/** The latest first. */
export function updatesView(updates: readonly StoredIncidentUpdate[]): StatusPageIncidentUpdate[] {
  return latestFirst(updates).map(updateView);
}

export function updateView({ publicAtMs, createdAtMs, ...update }: StoredIncidentUpdate): StatusPageIncidentUpdate {
  return { ...update, publicIncidentUpdateDate: instant(publicAtMs), created_at: instant(createdAtMs) };
}
