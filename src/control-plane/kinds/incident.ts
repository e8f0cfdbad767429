import type { Incident, IncidentReplacement, IncidentStatus, IncidentUpdate, IncidentUpdateInput } from "#contract/incidents.ts";
import { stoppedAtMs } from "#domain/incidents.ts";
import type { DocumentRow } from "../storage/storage.ts";
import { documentKind } from "./document-kind.ts";
import { instant, instantOrNull } from "./instants.ts";

export interface StoredUpdate {
  readonly id: string;
  readonly status: IncidentStatus;
  readonly description: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number | null;
}

/** What is stored of a dashboard's incident. Its dashboard is the document's parent. */
export interface IncidentDefinition {
  readonly settings: IncidentReplacement;
  /** Oldest first, at least one. */
  readonly updates: readonly StoredUpdate[];
}

export const incidentKind = documentKind<IncidentDefinition>()({
  kind: "incident",
  create({ dashboardId, incidentUpdates, ...settings }, { nowMs }) {
    const updates = incidentUpdates.map((update) => newIncidentUpdate(update, nowMs));
    return { parentId: dashboardId, definition: { settings, updates }, open: isOpen(updates) };
  },
  view: (row) => incidentView(row, true),
  own: ["find", "update"],
});

export function newIncidentUpdate({ status, description }: IncidentUpdateInput, nowMs: number): StoredUpdate {
  return { id: crypto.randomUUID(), status, description, createdAtMs: nowMs, updatedAtMs: null };
}

export function isOpen(updates: readonly StoredUpdate[]): boolean {
  return updates.at(-1)?.status !== "RESOLVED";
}

export function incidentView(row: DocumentRow<IncidentDefinition>, withAllUpdates: boolean): Incident {
  const { settings, updates } = row.definition;
  const saidMs = settings.stoppedAt ? Date.parse(settings.stoppedAt) : null;
  return {
    name: settings.name,
    impact: settings.impact,
    startedAt: settings.startedAt ?? instant(row.createdAtMs),
    stoppedAt: instantOrNull(stoppedAtMs(saidMs, updates)),
    dashboardId: row.parentId ?? 0,
    id: row.uuid,
    created_at: instant(row.createdAtMs),
    updated_at: instantOrNull(row.updatedAtMs),
    incidentUpdates: updates
      .slice(withAllUpdates ? 0 : -1)
      .toReversed()
      .map(incidentUpdateView),
  };
}

export function incidentUpdateView({ id, status, description, createdAtMs, updatedAtMs }: StoredUpdate): IncidentUpdate {
  return { id, status, description, created_at: instant(createdAtMs), updated_at: instantOrNull(updatedAtMs) };
}
