import {
  createStatusPageIncidentUpdate,
  deleteStatusPageIncidentUpdate,
  getStatusPageIncidentUpdate,
  listStatusPageIncidentUpdates,
  maxIncidentUpdates,
  patchStatusPageIncident,
  type StatusPageIncidentUpdateWrite,
  updateStatusPageIncidentUpdate,
} from "#contract/status-pages/incidents.ts";
import { AppError } from "#domain/app-error.ts";
import { type StatusPageIncidentDefinition, type StoredIncidentUpdate, statusOf } from "#domain/incidents.ts";
import { type Handler, handler } from "../../http/handler.ts";
import { documentAddress } from "../../kinds/document-kind.ts";
import { findDocument, found } from "../../kinds/find-document.ts";
import { notFound } from "../../kinds/not-found.ts";
import { refuseUnknownReferences } from "../../kinds/references.ts";
import { newUpdate, statusPageIncidentView, updatesView, updateView } from "../../kinds/status-page-incident.ts";
import { servicesByUuid } from "../../kinds/status-page-service.ts";
import type { DocumentRow, DocumentStore } from "../../storage/storage.ts";

export interface IncidentUpdateDeps {
  readonly documents: DocumentStore;
  readonly nowMs: () => number;
}

const kind = "status-page-incident";

export function incidentUpdateHandlers(deps: IncidentUpdateDeps): readonly Handler[] {
  const { documents, nowMs } = deps;
  return [
    ...readHandlers(deps),
    ...writeHandlers(deps),
    handler(patchStatusPageIncident, async ({ params: { incidentId }, body: { services, ...rest } }, { caller: { account } }) => {
      await refuseUnknownReferences(documents, account.id, kind, { services });
      const address = documentAddress(kind, incidentId);
      const changed = await documents.update<StatusPageIncidentDefinition>(
        account.id,
        kind,
        address,
        ({ definition }) => ({
          definition: {
            ...definition,
            ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
            ...(services !== undefined && { serviceIds: [...new Set(services.map(({ id }) => id.toLowerCase()))] }),
          },
        }),
        nowMs(),
      );
      const row = found(changed, kind, address);
      return statusPageIncidentView(row, await servicesByUuid(documents, account, row.definition.serviceIds));
    }),
  ];
}

function readHandlers({ documents }: IncidentUpdateDeps): readonly Handler[] {
  const updatesOf = async (accountId: number, incidentId: string) =>
    (await findDocument<StatusPageIncidentDefinition>(documents, accountId, kind, documentAddress(kind, incidentId))).definition.updates;
  return [
    handler(listStatusPageIncidentUpdates, async ({ params: { incidentId } }, { caller }) =>
      updatesView(await updatesOf(caller.account.id, incidentId)),
    ),
    handler(getStatusPageIncidentUpdate, async ({ params: { incidentId, incidentUpdateId } }, { caller }) =>
      updateView(named(await updatesOf(caller.account.id, incidentId), incidentUpdateId)),
    ),
  ];
}

function writeHandlers({ documents, nowMs }: IncidentUpdateDeps): readonly Handler[] {
  /** @returns the updates as they are then */
  async function changeUpdates(
    accountId: number,
    incidentId: string,
    change: (updates: readonly StoredIncidentUpdate[]) => readonly StoredIncidentUpdate[],
  ): Promise<readonly StoredIncidentUpdate[]> {
    const changed = ({ definition }: DocumentRow<StatusPageIncidentDefinition>) => {
      const updates = change(definition.updates);
      return { definition: { ...definition, updates }, open: statusOf(updates) !== "RESOLVED" };
    };
    const row = await documents.update(accountId, kind, documentAddress(kind, incidentId), changed, nowMs());
    return found(row, kind, documentAddress(kind, incidentId)).definition.updates;
  }
  return [
    handler(createStatusPageIncidentUpdate, async ({ params: { incidentId }, body }, { caller }) => {
      const updates = await changeUpdates(caller.account.id, incidentId, (before) => {
        if (before.length < maxIncidentUpdates) return [...before, newUpdate(body, before, nowMs())];
        throw new AppError("conflict", `The incident has ${maxIncidentUpdates} updates already`);
      });
      return updateView(named(updates, updates.at(-1)?.id ?? ""));
    }),
    handler(updateStatusPageIncidentUpdate, async ({ params: { incidentId, incidentUpdateId }, body }, { caller }) => {
      const updates = await changeUpdates(caller.account.id, incidentId, (before) => {
        const one = named(before, incidentUpdateId);
        return before.map((update) => (update === one ? replaced(update, body) : update));
      });
      return updateView(named(updates, incidentUpdateId));
    }),
    handler(deleteStatusPageIncidentUpdate, async ({ params: { incidentId, incidentUpdateId } }, { caller }) => {
      await changeUpdates(caller.account.id, incidentId, (before) => {
        const one = named(before, incidentUpdateId);
        return before.filter((update) => update !== one);
      });
      return undefined;
    }),
  ];
}

function replaced(before: StoredIncidentUpdate, body: StatusPageIncidentUpdateWrite): StoredIncidentUpdate {
  const { description, notifySubscribers, status = before.status, publicIncidentUpdateDate: date } = body;
  return { ...before, description, notifySubscribers, status, publicAtMs: date === undefined ? before.publicAtMs : Date.parse(date) };
}

/** @throws {AppError} not_found */
function named(updates: readonly StoredIncidentUpdate[], id: string): StoredIncidentUpdate {
  const update = updates.find((one) => one.id === id.toLowerCase());
  if (update === undefined) throw notFound("incident update", id);
  return update;
}
