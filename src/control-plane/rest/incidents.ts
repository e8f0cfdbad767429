import {
  changeIncidentUpdate,
  createIncident,
  createIncidentUpdate,
  deleteIncident,
  deleteIncidentUpdate,
  getIncident,
  type Incident,
  type IncidentUpdate,
  type IncidentUpdateInput,
  updateIncident,
} from "#contract/incidents.ts";
import { AppError } from "#domain/app-error.ts";
import { stoppedAtMs } from "#domain/incidents.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { type Handler, handler } from "../http/handler.ts";
import { addressOf, findDocument, found } from "../kinds/find-document.ts";
import { type IncidentDefinition, type StoredUpdate } from "../kinds/incident.ts";
import { instant, instantOrNull } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import { removeDocument } from "../kinds/remove-document.ts";
import type { DocumentRow, DocumentStore } from "../storage/storage.ts";

export interface IncidentDeps {
  readonly documents: DocumentStore;
  readonly nowMs: () => number;
}

type IncidentRow = DocumentRow<IncidentDefinition>;

const maxUpdates = 500;

export function incidentHandlers(deps: IncidentDeps): readonly Handler[] {
  return [...handlersOfIncidents(deps), ...handlersOfUpdates(deps)];
}

function handlersOfIncidents({ documents, nowMs }: IncidentDeps): readonly Handler[] {
  return [
    handler(createIncident, async ({ body: { dashboardId, incidentUpdates, ...settings } }, { caller }) => {
      const accountId = caller.account.id;
      const dashboard = await documents.find(accountId, "dashboard", { id: dashboardId });
      if (!dashboard) throw foreignDashboard(dashboardId);
      const now = nowMs();
      const definition = { settings, updates: incidentUpdates.map((update) => newUpdate(update, now)) };
      const row = await documents.create({
        accountId,
        kind: "incident",
        parentId: dashboard.id,
        definition,
        open: isOpen(definition),
        nowMs: now,
      });
      return incidentView(row, true);
    }),
    handler(getIncident, async ({ params: { id }, query: { includeAllIncidentUpdates } }, { caller }) =>
      incidentView(await findDocument(documents, caller.account.id, "incident", addressOf(id)), includeAllIncidentUpdates),
    ),
    handler(updateIncident, async ({ params: { id }, query: { probe }, body: settings }, { caller }) => {
      const [accountId, address] = [caller.account.id, addressOf(id)];
      const change = ({ definition }: IncidentRow) => ({ definition: { ...definition, settings } });
      const row = probe
        ? await documents
            .find<IncidentDefinition>(accountId, "incident", address)
            .then((before) => before && { ...before, ...change(before) })
        : await documents.update(accountId, "incident", address, change, nowMs());
      return { ...incidentView(found(row, "incident", address), false), incidentUpdates: null };
    }),
    handler(deleteIncident, ({ params: { id } }, { caller }) => removeDocument(documents, caller.account.id, "incident", addressOf(id))),
  ];
}

function handlersOfUpdates({ documents, nowMs }: IncidentDeps): readonly Handler[] {
  /** `change` gets the updates and the index of the one that is named. */
  async function changeUpdates(
    accountId: number,
    incidentId: string,
    updateId: string | undefined,
    change: (updates: readonly StoredUpdate[], index: number) => readonly StoredUpdate[],
  ): Promise<IncidentRow> {
    const changed = ({ definition: before }: IncidentRow) => {
      const index = before.updates.findIndex(({ id }) => id === updateId?.toLowerCase());
      if (updateId !== undefined && index < 0) throw notFound("incident update", updateId);
      const definition = { ...before, updates: change(before.updates, index) };
      return { definition, open: isOpen(definition) };
    };
    return found(await documents.update(accountId, "incident", addressOf(incidentId), changed, nowMs()), "incident", addressOf(incidentId));
  }
  return [
    handler(createIncidentUpdate, async ({ params: { incidentId }, body }, { caller }) => {
      const update = newUpdate(body, nowMs());
      const row = await changeUpdates(caller.account.id, incidentId, undefined, (updates) => {
        if (updates.length < maxUpdates) return [...updates, update];
        throw new AppError("conflict", `The incident has ${maxUpdates} updates already`);
      });
      return { ...updateView(update), incidentId: row.uuid };
    }),
    handler(changeIncidentUpdate, async ({ params: { incidentId, id }, body: { description } }, { caller }) => {
      const { definition } = await changeUpdates(caller.account.id, incidentId, id, (updates, changed) =>
        updates.map((update, index) => (index === changed ? { ...update, description, updatedAtMs: nowMs() } : update)),
      );
      const update = definition.updates.find((one) => one.id === id.toLowerCase());
      if (update === undefined) throw notFound("incident update", id);
      return updateView(update);
    }),
    handler(deleteIncidentUpdate, async ({ params: { incidentId, id } }, { caller }) => {
      await changeUpdates(caller.account.id, incidentId, id, (updates, removed) => {
        if (updates.length === 1) throw new AppError("conflict", "An incident keeps at least one update; delete the incident instead");
        return updates.toSpliced(removed, 1);
      });
      return undefined;
    }),
  ];
}

function foreignDashboard(dashboardId: number): AppError {
  return invalidInput([{ path: "dashboardId", message: `names no dashboard of this account; received ${dashboardId}` }]);
}

function newUpdate({ status, description }: IncidentUpdateInput, nowMs: number): StoredUpdate {
  return { id: crypto.randomUUID(), status, description, createdAtMs: nowMs, updatedAtMs: null };
}

function isOpen({ updates }: IncidentDefinition): boolean {
  return updates.at(-1)?.status !== "RESOLVED";
}

function incidentView(row: IncidentRow, withAllUpdates: boolean): Incident {
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
      .map(updateView),
  };
}

function updateView({ id, status, description, createdAtMs, updatedAtMs }: StoredUpdate): IncidentUpdate {
  return { id, status, description, created_at: instant(createdAtMs), updated_at: instantOrNull(updatedAtMs) };
}
