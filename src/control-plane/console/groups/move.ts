import { getCheckGroup } from "#contract/check-groups.ts";
import { AppError } from "#domain/app-error.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { CheckIndexStore } from "../../storage/storage.ts";
import { groupTexts as texts } from "../../texts/groups.ts";
import type { Ask } from "../ask.ts";
import { maxBulk } from "../bulk/bulk-act.ts";
import { donePage } from "../bulk/bulk-page.ts";
import { idsOf } from "../bulk/bulk-pages.ts";
import { type PerformDeps, perform } from "../bulk/perform.ts";
import { filterOf } from "../overview/filter.ts";
import { redirect, type Visit } from "../visit.ts";
import { noGroup } from "./handle.ts";

export interface MoveDeps extends Omit<PerformDeps, "ask"> {
  readonly checkIndex: Pick<CheckIndexStore, "byUuids">;
}

/**
 * Puts checks into a group, or out of theirs, each by the update that REST has for it. A form that says of which group (`from`) they are leaves
 * alone what somebody moved elsewhere meanwhile.
 *
 * @throws {AppError} invalid_input for what no page of ours sends, not_found for a group of another account
 */
export async function moveChecks(deps: MoveDeps & { readonly ask: Ask }, visit: Visit): Promise<FormAnswer> {
  const { form } = visit.request;
  const to = form.get("to") ?? "";
  if (to !== noGroup && !isNumber(to)) throw new AppError("invalid_input", texts.noTarget(to));
  const text = to === noGroup ? texts.noGroup : (await deps.ask(visit, getCheckGroup, { params: { id: to } })).name;
  const given = idsOf(form.getAll("check").slice(0, maxBulk));
  if (given.length === 0) throw new AppError("invalid_input", texts.noneSelected);
  const known = await deps.checkIndex.byUuids(visit.account.id, given);
  const from = form.get("from");
  const ids = known.filter(({ ofGroup }) => from === null || String(ofGroup?.id) === from).map(({ uuid }) => uuid);
  const act = { name: "group", value: to, text } as const;
  const outcome = await perform(deps, visit, act, ids);
  if (outcome.refused.length + outcome.left.length === 0) return redirect(`${pageOf(form)}?done=moved`);
  const names = new Map(known.map(({ uuid, name }) => [uuid, name]));
  return donePage(visit, { act, outcome, names, filter: filterOf(new URLSearchParams(to === noGroup ? {} : { group: text })) });
}

/** The page that the form stood on. */
function pageOf(form: URLSearchParams): string {
  const back = form.get("back") ?? "";
  return isNumber(back) ? `/groups/${back}` : "/groups";
}

function isNumber(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text);
}
