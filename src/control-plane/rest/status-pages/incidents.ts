import {
  createStatusPageIncident,
  deleteStatusPageIncident,
  getStatusPageIncident,
  listStatusPageIncidents,
  type StatusPageIncidentCreate,
  updateStatusPageIncident,
} from "#contract/status-pages/incidents.ts";
import { type StatusPageIncidentDefinition, type StoredIncidentUpdate, statusOf } from "#domain/incidents.ts";
import { type Handler, handler } from "../../http/handler.ts";
import { addressOf, findDocument, found } from "../../kinds/find-document.ts";
import { removeDocument } from "../../kinds/remove-document.ts";
import type { AccountRow, DocumentStore } from "../../storage/storage.ts";
import { cursorPage } from "../cursor-page.ts";
import { incidentUpdateHandlers, newUpdate } from "./incident-updates.ts";
import { incidentView, type StatusPageIncidentRow } from "./incident-view.ts";
import { assertServices, servicesByUuid } from "./services.ts";

export interface StatusPageIncidentDeps {
  readonly documents: DocumentStore;
  readonly nowMs: () => number;
}

const kind = "status-page-incident";

export function statusPageIncidentHandlers(deps: StatusPageIncidentDeps): readonly Handler[] {
  return [...readHandlers(deps), ...writeHandlers(deps), ...incidentUpdateHandlers(deps)];
}

function readHandlers({ documents }: StatusPageIncidentDeps): readonly Handler[] {
  return [
    handler(listStatusPageIncidents, async ({ query }, { caller: { account } }) => {
      const { rows, nextId } = await cursorPage<StatusPageIncidentDefinition>(documents, account.id, kind, query, true);
      const services = await servicesOf(documents, account, rows);
      return { length: rows.length, entries: rows.map((row) => incidentView(row, services)), nextId };
    }),
    handler(getStatusPageIncident, async ({ params: { incidentId } }, { caller: { account } }) => {
      const row = await findDocument<StatusPageIncidentDefinition>(documents, account.id, kind, addressOf(incidentId));
      return incidentView(row, await servicesOf(documents, account, [row]));
    }),
  ];
}

function writeHandlers({ documents, nowMs }: StatusPageIncidentDeps): readonly Handler[] {
  return [
    handler(createStatusPageIncident, async ({ body }, { caller: { account } }) => {
      const settings = await settingsOf(documents, account, body);
      const now = nowMs();
      const updates = body.incidentUpdates.reduce<StoredIncidentUpdate[]>(
        (before, update) => [...before, newUpdate(update, before, now)],
        [],
      );
      const definition = { ...settings, updates };
      const row = await documents.create({ accountId: account.id, kind, definition, open: statusOf(updates) !== "RESOLVED", nowMs: now });
      return incidentView(row, await servicesOf(documents, account, [row]));
    }),
    handler(updateStatusPageIncident, async ({ params: { incidentId }, body }, { caller: { account } }) => {
      const settings = await settingsOf(documents, account, body);
      const change = ({ definition: { updates } }: StatusPageIncidentRow) => ({ definition: { ...settings, updates } });
      const row = found(await documents.update(account.id, kind, addressOf(incidentId), change, nowMs()), kind, addressOf(incidentId));
      return incidentView(row, await servicesOf(documents, account, [row]));
    }),
    handler(deleteStatusPageIncident, ({ params: { incidentId } }, { caller: { account } }) =>
      removeDocument(documents, account.id, kind, addressOf(incidentId)),
    ),
  ];
}

/** @throws {AppError} invalid_input naming a service that is not the account's */
async function settingsOf(
  documents: DocumentStore,
  account: AccountRow,
  { name, severity, services }: Pick<StatusPageIncidentCreate, "name" | "severity" | "services">,
): Promise<Omit<StatusPageIncidentDefinition, "updates">> {
  await assertServices(
    documents,
    account.id,
    services.map(({ id }, index) => ({ path: `services[${index}].id`, id })),
  );
  return { name, severity, serviceIds: [...new Set(services.map(({ id }) => id.toLowerCase()))] };
}

function servicesOf(documents: DocumentStore, account: AccountRow, rows: readonly StatusPageIncidentRow[]) {
  return servicesByUuid(
    documents,
    account,
    rows.flatMap(({ definition }) => definition.serviceIds),
  );
}
