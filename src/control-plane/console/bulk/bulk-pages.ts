import { AppError } from "#domain/app-error.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { CheckIndexStore, IndexedCheck } from "../../storage/storage.ts";
import { bulkTexts as texts } from "../../texts/bulk.ts";
import type { Ask } from "../ask.ts";
import { filterOf, stateInList } from "../overview/filter.ts";
import { inListOrder, wantedOf } from "../overview/listing.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import { bulkActNameOf, bulkActOf, changeOf, isOfTag, isTag, maxBulk } from "./bulk-act.ts";
import { type ChoiceDeps, choicesOf } from "./bulk-choices.ts";
import { choicePage, donePage, nothingPage, previewPage, tagPage } from "./bulk-page.ts";
import { type PerformDeps, perform } from "./perform.ts";

export interface BulkPageDeps extends Omit<PerformDeps, "ask">, ChoiceDeps {
  readonly checkIndex: Pick<CheckIndexStore, "ofAccount" | "byUuids">;
}

type Deps = BulkPageDeps & { readonly ask: Ask };

/** An act on many checks: what it would do, by GET, as nothing is written; and doing it to those that were shown. */
export function bulkPages(ask: Ask, deps: BulkPageDeps): readonly ConsolePage[] {
  return [
    { method: "GET", path: "/checks/bulk", access: "write", answer: (visit) => preview({ ...deps, ask }, visit) },
    { method: "POST", path: "/checks/bulk", access: "write", answer: (visit) => act({ ...deps, ask }, visit) },
  ];
}

async function preview(deps: Deps, visit: Visit): Promise<FormAnswer> {
  const { query } = visit.request;
  const name = bulkActNameOf(query);
  const nowMs = deps.nowMs();
  const chosen = await selection(deps, visit, nowMs);
  if (chosen.length === 0) return nothingPage(visit, name, filterOf(query));
  const choices = await choicesOf(deps.ask, deps, visit, name);
  // Also where the list's field for a tag was filled in: it is no choice.
  if (choices !== null && !choices.some(([value]) => value === query.get("value")))
    return choicePage(visit, name, choices, filterOf(query));
  if (isOfTag(name) && !isTag((query.get("value") ?? "").trim())) return tagPage(visit, name, filterOf(query));
  const wanted = bulkActOf(query, choices);
  if (chosen.length > maxBulk) throw new AppError("invalid_input", texts.tooMany(chosen.length, maxBulk));
  const changes = inListOrder(chosen).flatMap((check) => {
    const change = changeOf(wanted, check, nowMs);
    return change === null ? [] : [{ check, change }];
  });
  return previewPage(visit, { act: wanted, changes, already: chosen.length - changes.length, filter: filterOf(query) });
}

/** Those that are ticked; or all that the filter of the list wants, of whatever page. */
async function selection({ checkIndex }: BulkPageDeps, visit: Visit, nowMs: number): Promise<readonly IndexedCheck[]> {
  const { query } = visit.request;
  if (query.get("scope") !== "all") return checkIndex.byUuids(visit.account.id, idsOf(query.getAll("check")));
  const filter = filterOf(query);
  const found = wantedOf(await checkIndex.ofAccount(visit.account.id), filter);
  return found.filter((check) => filter.state === null || stateInList(check, nowMs) === filter.state);
}

/** The ids are those of the preview: what came to match meanwhile is not touched. */
async function act(deps: Deps, visit: Visit): Promise<FormAnswer> {
  const { form } = visit.request;
  const wanted = bulkActOf(form, await choicesOf(deps.ask, deps, visit, bulkActNameOf(form)));
  const ids = idsOf((form.get("ids") ?? "").split(","));
  if (ids.length === 0) throw new AppError("invalid_input", texts.nothing);
  if (ids.length > maxBulk) throw new AppError("invalid_input", texts.tooMany(ids.length, maxBulk));
  const outcome = await perform(deps, visit, wanted, ids);
  const names = await deps.checkIndex.byUuids(
    visit.account.id,
    outcome.refused.slice(0, 100).map(({ id }) => id),
  );
  const list = filterOf(new URLSearchParams(form.get("list") ?? ""));
  return donePage(visit, { act: wanted, outcome, names: new Map(names.map(({ uuid, name }) => [uuid, name])), filter: list });
}

/** Each once; what is no id is left out. */
export function idsOf(given: readonly string[]): readonly string[] {
  return [...new Set(given.map((id) => id.trim().toLowerCase()))].filter((id) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(id));
}
