import { noProjectBindings } from "#contract/project-bindings.ts";
import type { StatusPageCard, StatusPageWrite } from "#contract/status-pages/pages.ts";
import type { StatusPageService } from "#contract/status-pages/services.ts";
import type { StatusPageDefinition, StoredCard } from "#domain/status-pages.ts";
import type { DocumentRow } from "../storage/storage.ts";
import { documentKind } from "./document-kind.ts";
import { instant, instantOrNull } from "./instants.ts";
import { domainClaim, type PageAddress, statusPageUrlClaim } from "./page-addresses.ts";
import { servicesByUuid } from "./status-page-service.ts";

type Services = ReadonlyMap<string, StatusPageService>;

export const statusPageKind = documentKind<StatusPageDefinition, Services>()({
  kind: "status-page",
  create: ({ cards, ...settings }, { nowMs }) => ({ definition: { settings, cards: storedCards(cards, [], nowMs) } }),
  update: ({ cards, ...settings }, { definition }, { nowMs }) => ({
    definition: { settings, cards: storedCards(cards, definition.cards, nowMs) },
  }),
  pageAddresses: addressesOf,
  related: (rows, { documents, account }) => servicesByUuid(documents, account, rows.flatMap(servicesOnPage)),
  view: (row, _call, services) => ({ ...statusPageView(row, services), whiteLabel: true, projectBindings: noProjectBindings }),
  written(page) {
    const { projectBindings: _, ...written } = page;
    return written;
  },
  own: ["list"],
});

export function servicesOnPage({ definition }: DocumentRow<StatusPageDefinition>): string[] {
  return definition.cards.flatMap(({ serviceIds }) => serviceIds);
}

export function statusPageView({ uuid, definition: { settings, cards } }: DocumentRow<StatusPageDefinition>, services: Services) {
  return { ...settings, cards: cards.map((card) => cardView(card, services)), id: uuid, isPrivate: false };
}

/** Cards that the page has keep id and age; every other one is new, also under an id of another page. */
function storedCards(cards: StatusPageWrite["cards"], before: readonly StoredCard[], nowMs: number): StoredCard[] {
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

function addressesOf({ url, customDomain }: StatusPageWrite, accountId: number): PageAddress[] {
  return [
    { field: "url", value: url, claim: statusPageUrlClaim(url) },
    ...(customDomain ? [{ field: "customDomain", value: customDomain, claim: domainClaim(accountId, customDomain) }] : []),
  ];
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
