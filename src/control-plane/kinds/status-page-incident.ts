import type {
  StatusPageIncident,
  StatusPageIncidentCreate,
  StatusPageIncidentUpdate,
  StatusPageIncidentUpdateWrite,
} from "#contract/status-pages/incidents.ts";
import type { StatusPageService } from "#contract/status-pages/services.ts";
import { durationMs, latestFirst, type StatusPageIncidentDefinition, type StoredIncidentUpdate, statusOf } from "#domain/incidents.ts";
import type { DocumentRow } from "../storage/storage.ts";
import { documentKind } from "./document-kind.ts";
import { instant } from "./instants.ts";
import { servicesByUuid } from "./status-page-service.ts";

type Services = ReadonlyMap<string, StatusPageService>;

export const statusPageIncidentKind = documentKind<StatusPageIncidentDefinition, Services>()({
  kind: "status-page-incident",
  newestFirst: true,
  create({ incidentUpdates, ...body }, { nowMs }) {
    const updates = incidentUpdates.reduce<StoredIncidentUpdate[]>((before, update) => [...before, newUpdate(update, before, nowMs)], []);
    return { definition: { ...settingsOf(body), updates }, open: statusOf(updates) !== "RESOLVED" };
  },
  update: (body, { definition: { updates } }) => ({ definition: { ...settingsOf(body), updates } }),
  related: (rows, { documents, account }) =>
    servicesByUuid(
      documents,
      account,
      rows.flatMap(({ definition }) => definition.serviceIds),
    ),
  view: (row, _call, services) => statusPageIncidentView(row, services),
});

/** @param before the updates that the incident has */
export function newUpdate(
  body: StatusPageIncidentUpdateWrite,
  before: readonly StoredIncidentUpdate[],
  nowMs: number,
): StoredIncidentUpdate {
  return {
    id: crypto.randomUUID(),
    description: body.description,
    status: body.status ?? statusOf(before),
    publicAtMs: body.publicIncidentUpdateDate === undefined ? nowMs : Date.parse(body.publicIncidentUpdateDate),
    notifySubscribers: body.notifySubscribers,
    createdAtMs: nowMs,
  };
}

function settingsOf({ name, severity, services }: Pick<StatusPageIncidentCreate, "name" | "severity" | "services">) {
  return { name, severity, serviceIds: [...new Set(services.map(({ id }) => id.toLowerCase()))] };
}

/** @param services at least those of the incident that still exist */
export function statusPageIncidentView(row: DocumentRow<StatusPageIncidentDefinition>, services: Services): StatusPageIncident {
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
