import { noProjectBindings } from "#contract/project-bindings.ts";
import type { StatusPageIncident } from "#contract/status-pages/incidents.ts";
import { listStatusPages, type StatusPageListEntry } from "#contract/status-pages/pages.ts";
import type { StatusPageIncidentDefinition } from "#domain/incidents.ts";
import type { StatusPageDefinition } from "#domain/status-pages.ts";
import { type Handler, handler } from "../../http/handler.ts";
import { instant, instantOrNull } from "../../kinds/instants.ts";
import { servicesOnPage, statusPageView } from "../../kinds/status-page.ts";
import { statusPageIncidentView } from "../../kinds/status-page-incident.ts";
import { servicesByUuid } from "../../kinds/status-page-service.ts";
import type { AccountRow, DocumentRow, DocumentStore } from "../../storage/storage.ts";
import { cursorPage } from "../cursor-page.ts";

/** Of the account; an answer stays bounded where nobody resolves incidents. */
const maxOpenIncidents = 500;

/** The list of status pages tells open incidents, which no other kind has. */
export function statusPageHandlers({ documents }: { readonly documents: Pick<DocumentStore, "list" | "byUuids"> }): readonly Handler[] {
  return [
    handler(listStatusPages, async ({ query }, { caller: { account } }) => {
      const { rows, nextId } = await cursorPage<StatusPageDefinition>(documents, account.id, "status-page", query);
      const filter = { open: true, newestFirst: true, limit: maxOpenIncidents } as const;
      const { items: open } = await documents.list<StatusPageIncidentDefinition>(account.id, "status-page-incident", filter);
      const struck = open.flatMap(({ definition }) => definition.serviceIds);
      const services = await servicesByUuid(documents, account, [...rows.flatMap(servicesOnPage), ...struck]);
      const incidents = open.map((row) => statusPageIncidentView(row, services));
      const entryOf = (row: DocumentRow<StatusPageDefinition>) => entryView(row, account, statusPageView(row, services), incidents);
      return { length: rows.length, entries: rows.map(entryOf), nextId };
    }),
  ];
}

function entryView(
  row: DocumentRow<StatusPageDefinition>,
  account: AccountRow,
  page: ReturnType<typeof statusPageView>,
  openIncidents: readonly StatusPageIncident[],
): StatusPageListEntry {
  const shown = new Set(servicesOnPage(row));
  return {
    ...page,
    accountId: account.uuid,
    created_at: instant(row.createdAtMs),
    updated_at: instantOrNull(row.updatedAtMs),
    incidents: openIncidents.filter((incident) => incident.services.some(({ id }) => shown.has(id))),
    keys: [],
    projectBindings: noProjectBindings,
  };
}
