import { listPrivateLocations } from "#contract/private-locations.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { shownChecks, type TimelineDeps } from "../../pages/dashboards/shown-checks.ts";
import type { CheckIndexStore, IndexedCheck, LocationStore } from "../../storage/storage.ts";
import type { Ask } from "../ask.ts";
import { allChannels, channelName } from "../channels/channel-words.ts";
import { channelChoices } from "../edit/channel-choices.ts";
import { findStored, kindPages } from "../kind-pages.ts";
import { filterOf, matcherOf } from "../overview/filter.ts";
import { inListOrder, listingOf } from "../overview/listing.ts";
import { pageOf } from "../page-links.ts";
import { versionOf } from "../shown-version.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { allGroups, type StoredGroup } from "./all-groups.ts";
import { bodyOf, draftOf, type GroupDraft, typedDraft } from "./group-form.ts";
import { type GroupFormView, groupFormPage } from "./group-form-page.ts";
import { groupPage } from "./group-page.ts";
import type { Names } from "./group-words.ts";
import { groupsPage } from "./groups-page.ts";
import { type MoveDeps, moveChecks } from "./move.ts";
import { emptyRollUp, rankOf, rollUps } from "./roll-up.ts";

export interface GroupPageDeps extends TimelineDeps, MoveDeps {
  readonly checkIndex: Pick<CheckIndexStore, "ofAccount" | "byUuids">;
  readonly locations: Pick<LocationStore, "servedDataCenters">;
}

type Deps = GroupPageDeps & { readonly ask: Ask };

const groupsOfPage = 200;
const checksOfPage = 50;
const mostFound = 50;

const byName = new Intl.Collator("en", { numeric: true });

/** Groups of checks: how they stand, their settings, and which checks are in them. */
export function groupPages(ask: Ask, pageDeps: GroupPageDeps): readonly ConsolePage[] {
  const deps = { ...pageDeps, ask };
  return [
    { method: "GET", path: "/groups", access: "read", answer: (visit) => list(deps, visit) },
    { method: "POST", path: "/groups/move", access: "write", answer: (visit) => moveChecks(deps, visit) },
    { method: "GET", path: "/groups/{id}/edit", access: "write", answer: (visit) => edit(deps, visit) },
    ...kindPages<"check-group", GroupDraft>(ask, {
      kind: "check-group",
      path: "/groups",
      after: (done, stored) => (stored === null ? `/groups?done=${done}` : `/groups/${stored.id}?done=${done}`),
      // A form that was refused comes back; else a stored group is looked at.
      page: async (visit, { stored, ...view }) =>
        stored === null || view.status !== undefined ? formPage(deps, visit, { group: stored, ...view }) : show(deps, visit, stored),
      blank: () => blank,
      drafted: draftOf,
      typed: typedDraft,
      body: bodyOf,
      fields: () => ["name", "tags", "locations", "privateLocations", "alertChannelSubscriptions"],
      answered: ({ request }, { id }) => (request.params["id"] === undefined ? redirect(`/groups/${id}?done=created`) : undefined),
      shownTo: "read",
    }),
  ];
}

const blank: GroupDraft = {
  name: "",
  tags: "",
  activated: true,
  muted: false,
  privateLocations: [],
  locations: [],
  alertChannelSubscriptions: undefined,
};

async function list(deps: Deps, visit: Visit): Promise<FormAnswer> {
  const { query } = visit.request;
  const nowMs = deps.nowMs();
  const [groups, checks, names] = await Promise.all([
    allGroups(deps.ask, visit),
    deps.checkIndex.ofAccount(visit.account.id),
    namesOf(deps.ask, visit),
  ]);
  const sums = rollUps(checks, nowMs);
  const all = groups
    .map((group) => ({ group, rollUp: sums.get(group.id) ?? emptyRollUp }))
    .toSorted((a, b) => rankOf(a.rollUp) - rankOf(b.rollUp) || byName.compare(a.group.name, b.group.name) || a.group.id - b.group.id);
  const page = pageOf(query);
  const shown = all.slice((page - 1) * groupsOfPage, page * groupsOfPage);
  const loose = foundIn(
    checks.filter(({ ofGroup }) => ofGroup === null),
    query,
  );
  return groupsPage(visit, { shown, groups, names, page, pageSize: groupsOfPage, loose, nowMs });
}

async function show(deps: Deps, visit: Visit, group: StoredGroup): Promise<FormAnswer> {
  const { query } = visit.request;
  const nowMs = deps.nowMs();
  const [groups, all, names] = await Promise.all([
    allGroups(deps.ask, visit),
    deps.checkIndex.ofAccount(visit.account.id),
    namesOf(deps.ask, visit),
  ]);
  const members = all.filter(({ ofGroup }) => ofGroup?.id === group.id);
  const filter = { ...filterOf(new URLSearchParams()), page: pageOf(query) };
  const { chosen, ...listing } = listingOf(members, filter, nowMs);
  const others = all.filter(({ ofGroup }) => ofGroup?.id !== group.id);
  return groupPage(visit, {
    group,
    rollUp: rollUps(members, nowMs).get(group.id) ?? emptyRollUp,
    names,
    rows: await shownChecks(deps, chosen, nowMs),
    listing,
    pageSize: checksOfPage,
    otherGroups: groups.filter(({ id }) => id !== group.id).toSorted((a, b) => byName.compare(a.name, b.name)),
    found: query.has("q") ? foundIn(others, query) : null,
    nowMs,
  });
}

/** Some checks whose names have the words that the address says. Names are slow to compare: only those that are shown are put in order. */
function foundIn(among: readonly IndexedCheck[], query: URLSearchParams) {
  const { words } = filterOf(query);
  const matching = among.filter(matcherOf({ ...filterOf(new URLSearchParams()), words }));
  return { words, checks: inListOrder(matching.slice(0, mostFound)), total: matching.length };
}

async function edit(deps: Deps, visit: Visit): Promise<FormAnswer> {
  const group = await findStored(deps.ask, visit, "check-group");
  const draft = draftOf(group);
  return formPage(deps, visit, { group, draft, version: versionOf(draft) });
}

async function formPage(
  { ask, locations }: Deps,
  visit: Visit,
  view: Pick<GroupFormView, "group" | "draft" | "problems" | "status" | "version">,
): Promise<FormAnswer> {
  const [own, servedCenters, channels] = await Promise.all([
    ask(visit, listPrivateLocations),
    locations.servedDataCenters(),
    channelChoices(ask, visit),
  ]);
  const places = own.map(({ slugName, name }) => [slugName, name] as const);
  return groupFormPage(visit, { ...view, places, servedCenters, channels });
}

async function namesOf(ask: Ask, visit: Visit): Promise<Names> {
  const [locations, channels] = await Promise.all([ask(visit, listPrivateLocations), allChannels(ask, visit)]);
  return {
    locations: new Map(locations.map(({ slugName, name }) => [slugName, name])),
    channels: new Map(channels.map((channel) => [channel.id, channelName(channel)])),
  };
}
