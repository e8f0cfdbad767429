import { noProjectBindings } from "#contract/project-bindings.ts";
import type { StatusPageIncident } from "#contract/status-pages/incidents.ts";
import {
  createStatusPage,
  deleteStatusPage,
  getStatusPage,
  listStatusPages,
  type StatusPage,
  type StatusPageCard,
  type StatusPageListEntry,
  type StatusPageWrite,
  updateStatusPage,
} from "#contract/status-pages/pages.ts";
import type { StatusPageService } from "#contract/status-pages/services.ts";
import type { StatusPageIncidentDefinition } from "#domain/incidents.ts";
import type { StatusPageDefinition, StoredCard } from "#domain/status-pages.ts";
import { type Handler, handler } from "../../http/handler.ts";
import { addressOf, findDocument, found } from "../../kinds/find-document.ts";
import { instant, instantOrNull } from "../../kinds/instants.ts";
import {
  type DomainDeps,
  domainClaim,
  type PageAddress,
  refuseDomainOfOthers,
  statusPageUrlClaim,
  withAddresses,
} from "../../kinds/page-addresses.ts";
import { removeDocument } from "../../kinds/remove-document.ts";
import type { AccountRow, DocumentRow, DocumentStore } from "../../storage/storage.ts";
import { cursorPage } from "../cursor-page.ts";
import { incidentView } from "./incident-view.ts";
import { assertServices, servicesByUuid } from "./services.ts";

export interface StatusPageDeps extends DomainDeps {
  readonly documents: DocumentStore;
  readonly nowMs: () => number;
}

type StatusPageRow = DocumentRow<StatusPageDefinition>;

type Services = ReadonlyMap<string, StatusPageService>;

/** Of the account; an answer stays bounded where nobody resolves incidents. */
const maxOpenIncidents = 500;

export function statusPageHandlers(deps: StatusPageDeps): readonly Handler[] {
  return [...readHandlers(deps), ...writeHandlers(deps)];
}

function readHandlers({ documents }: StatusPageDeps): readonly Handler[] {
  return [
    handler(listStatusPages, async ({ query }, { caller: { account } }) => {
      const { rows, nextId } = await cursorPage<StatusPageDefinition>(documents, account.id, "status-page", query);
      const filter = { open: true, newestFirst: true, limit: maxOpenIncidents } as const;
      const { items: open } = await documents.list<StatusPageIncidentDefinition>(account.id, "status-page-incident", filter);
      const struck = open.flatMap(({ definition }) => definition.serviceIds);
      const services = await servicesByUuid(documents, account, [...rows.flatMap(serviceIdsOf), ...struck]);
      const incidents = open.map((row) => incidentView(row, services));
      return { length: rows.length, entries: rows.map((row) => entryView(row, account, services, incidents)), nextId };
    }),
    handler(getStatusPage, async ({ params: { statusPageId } }, { caller: { account } }) => {
      const row = await findDocument<StatusPageDefinition>(documents, account.id, "status-page", addressOf(statusPageId));
      return { ...(await pageView(documents, account, row)), projectBindings: noProjectBindings };
    }),
  ];
}

function writeHandlers(deps: StatusPageDeps): readonly Handler[] {
  const { documents, nowMs } = deps;
  return [
    handler(createStatusPage, async ({ body: { cards, ...settings } }, { caller: { account } }) => {
      await assertServices(documents, account.id, referencesOf(cards));
      const definition = { settings, cards: storedCards(cards, [], nowMs()) };
      await refuseDomainOfOthers(deps, account.id, settings.customDomain);
      const row = await withAddresses(addressesOf(account.id, settings), (claims) =>
        documents.create({ accountId: account.id, kind: "status-page", definition, claims, nowMs: nowMs() }),
      );
      return pageView(documents, account, row);
    }),
    handler(updateStatusPage, async ({ params: { statusPageId }, body: { cards, ...settings } }, { caller: { account } }) => {
      await assertServices(documents, account.id, referencesOf(cards));
      await refuseDomainOfOthers(deps, account.id, settings.customDomain);
      const row = await withAddresses(addressesOf(account.id, settings), (claims) =>
        documents.update<StatusPageDefinition>(
          account.id,
          "status-page",
          addressOf(statusPageId),
          ({ definition }) => ({ definition: { settings, cards: storedCards(cards, definition.cards, nowMs()) }, claims }),
          nowMs(),
        ),
      );
      return pageView(documents, account, found(row, "status-page", addressOf(statusPageId)));
    }),
    handler(deleteStatusPage, ({ params: { statusPageId } }, { caller: { account } }) =>
      removeDocument(documents, account.id, "status-page", addressOf(statusPageId)),
    ),
  ];
}

type SentCards = StatusPageWrite["cards"];

/** Cards that the page has keep id and age; every other one is new, also under an id of another page. */
function storedCards(cards: SentCards, before: readonly StoredCard[], nowMs: number): StoredCard[] {
  const known = new Map(before.map((card) => [card.id, card]));
  return cards.map(({ id = "", name, services }) => {
    const old = known.get(id.toLowerCase());
    known.delete(id.toLowerCase()); // an id that stands twice names the first
    const serviceIds = services.map((service) => service.id.toLowerCase());
    return old
      ? { ...old, name, serviceIds, updatedAtMs: nowMs }
      : { id: crypto.randomUUID(), name, serviceIds, createdAtMs: nowMs, updatedAtMs: null };
  });
}

function referencesOf(cards: SentCards) {
  return cards.flatMap(({ services }, card) => services.map(({ id }, index) => ({ path: `cards[${card}].services[${index}].id`, id })));
}

function addressesOf(accountId: number, { url, customDomain }: StatusPageDefinition["settings"]): PageAddress[] {
  return [
    { field: "url", value: url, claim: statusPageUrlClaim(url) },
    ...(customDomain ? [{ field: "customDomain", value: customDomain, claim: domainClaim(accountId, customDomain) }] : []),
  ];
}

function serviceIdsOf({ definition }: StatusPageRow): string[] {
  return definition.cards.flatMap(({ serviceIds }) => serviceIds);
}

async function pageView(documents: DocumentStore, account: AccountRow, row: StatusPageRow): Promise<StatusPage> {
  return { ...storedView(row, await servicesByUuid(documents, account, serviceIdsOf(row))), whiteLabel: true };
}

function entryView(
  row: StatusPageRow,
  account: AccountRow,
  services: Services,
  openIncidents: readonly StatusPageIncident[],
): StatusPageListEntry {
  const shown = new Set(serviceIdsOf(row));
  return {
    ...storedView(row, services),
    accountId: account.uuid,
    created_at: instant(row.createdAtMs),
    updated_at: instantOrNull(row.updatedAtMs),
    incidents: openIncidents.filter((incident) => incident.services.some(({ id }) => shown.has(id))),
    keys: [],
    projectBindings: noProjectBindings,
  };
}

function storedView(row: StatusPageRow, services: Services) {
  const { settings, cards } = row.definition;
  return { ...settings, cards: cards.map((card) => cardView(card, services)), id: row.uuid, isPrivate: false };
}

function cardView({ id, name, serviceIds, createdAtMs, updatedAtMs }: StoredCard, services: Services): StatusPageCard {
  return {
    id,
    name,
    services: serviceIds.flatMap((serviceId) => services.get(serviceId) ?? []),
    created_at: instant(createdAtMs),
    updated_at: instantOrNull(updatedAtMs),
  };
}
