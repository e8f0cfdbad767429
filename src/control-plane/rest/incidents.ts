import { changeIncidentUpdate, createIncidentUpdate, deleteIncidentUpdate, getIncident, updateIncident } from "#contract/incidents.ts";
import { AppError } from "#domain/app-error.ts";
import { type Handler, handler } from "../http/handler.ts";
import { documentAddress } from "../kinds/document-kind.ts";
import { findDocument, found } from "../kinds/find-document.ts";
import {
  type IncidentDefinition,
  incidentUpdateView,
  incidentView,
  isOpen,
  newIncidentUpdate,
  type StoredUpdate,
} from "../kinds/incident.ts";
import { notFound } from "../kinds/not-found.ts";
import type { DocumentRow, DocumentStore } from "../storage/storage.ts";

export interface IncidentDeps {
  readonly documents: Pick<DocumentStore, "find" | "update">;
  readonly nowMs: () => number;
}

type IncidentRow = DocumentRow<IncidentDefinition>;

const maxUpdates = 500;

/** What an incident can do beside what all kinds can. */
export function incidentHandlers(deps: IncidentDeps): readonly Handler[] {
  return [...handlersOfIncidents(deps), ...handlersOfUpdates(deps)];
}

function handlersOfIncidents({ documents, nowMs }: IncidentDeps): readonly Handler[] {
  return [
    handler(getIncident, async ({ params: { id }, query: { includeAllIncidentUpdates } }, { caller }) =>
      incidentView(
        await findDocument(documents, caller.account.id, "incident", documentAddress("incident", id)),
        includeAllIncidentUpdates,
      ),
    ),
    handler(updateIncident, async ({ params: { id }, query: { probe }, body: settings }, { caller }) => {
      const [accountId, address] = [caller.account.id, documentAddress("incident", id)];
      const change = ({ definition }: IncidentRow) => ({ definition: { ...definition, settings } });
      const row = probe
        ? await documents
            .find<IncidentDefinition>(accountId, "incident", address)
            .then((before) => before && { ...before, ...change(before) })
        : await documents.update(accountId, "incident", address, change, nowMs());
      return { ...incidentView(found(row, "incident", address), false), incidentUpdates: null };
    }),
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
      const updates = change(before.updates, index);
      return { definition: { ...before, updates }, open: isOpen(updates) };
    };
    return found(
      await documents.update(accountId, "incident", documentAddress("incident", incidentId), changed, nowMs()),
      "incident",
      documentAddress("incident", incidentId),
    );
  }
  return [
    handler(createIncidentUpdate, async ({ params: { incidentId }, body }, { caller }) => {
      const update = newIncidentUpdate(body, nowMs());
      const row = await changeUpdates(caller.account.id, incidentId, undefined, (updates) => {
        if (updates.length < maxUpdates) return [...updates, update];
        throw new AppError("conflict", `The incident has ${maxUpdates} updates already`);
      });
      return { ...incidentUpdateView(update), incidentId: row.uuid };
    }),
    handler(changeIncidentUpdate, async ({ params: { incidentId, id }, body: { description } }, { caller }) => {
      const { definition } = await changeUpdates(caller.account.id, incidentId, id, (updates, changed) =>
        updates.map((update, index) => (index === changed ? { ...update, description, updatedAtMs: nowMs() } : update)),
      );
      const update = definition.updates.find((one) => one.id === id.toLowerCase());
      if (update === undefined) throw notFound("incident update", id);
      return incidentUpdateView(update);
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
