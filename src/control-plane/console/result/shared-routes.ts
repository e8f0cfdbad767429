import { getCheckResult, getCheckResultAsset } from "#contract/check-results.ts";
import { getCheckV1 } from "#contract/checks/operations.ts";
import { hasCode } from "#domain/app-error.ts";
import type { FormAnswer, FormRequest, FormRoute } from "../../http/form-routes.ts";
import { page } from "../../pages/page.ts";
import type { AccountStore, LocationStore } from "../../storage/storage.ts";
import { resultPageTexts } from "../../texts/result-page.ts";
import { shareTexts as texts } from "../../texts/share.ts";
import { html } from "../../view/html.ts";
import { momentElement } from "../../view/units.ts";
import type { Ask } from "../ask.ts";
import { checkPageStyle } from "../check-style.ts";
import { consoleStyle, shellStyle } from "../console-style.ts";
import { type PlaceName, placeNames } from "../place-names.ts";
import { cardPage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { runContent } from "./attempt-view.ts";
import { evidenceOf } from "./evidence.ts";
import { resultStyle } from "./result-style.ts";
import { type SharedRun, sharedPath, sharedRunOf } from "./share-links.ts";

export interface SharedRunDeps {
  readonly accounts: Pick<AccountStore, "byId">;
  readonly locations: Pick<LocationStore, "list">;
  readonly hashOf: (text: string) => string;
  readonly nowMs: () => number;
}

/** Runs for whoever has a link to them: what a reader of the account sees of this one run, and its files. */
export function sharedRoutes(ask: Ask, deps: SharedRunDeps): readonly FormRoute[] {
  const route = (path: FormRoute["path"], shown: (guest: Visit, run: SharedRun) => Promise<FormAnswer>): FormRoute => ({
    method: "GET",
    path,
    answer: async (request) => ofLink(await answered(deps, request, shown)),
  });
  return [
    route(`${sharedPath}/{token}`, (guest, run) => runPage(ask, guest, run)),
    route(`${sharedPath}/{token}/files/{name}`, async (guest, { checkId, resultId }) => {
      const params = { checkId, checkResultId: resultId, name: guest.request.params["name"] ?? "" };
      const file = await ask(guest, getCheckResultAsset, { params });
      return { type: file.contentType, body: "", file };
    }),
  ];
}

/** What is gone looks like a link that has expired: nothing is told to strangers. */
async function answered(
  { accounts, locations, hashOf, nowMs }: SharedRunDeps,
  request: FormRequest,
  shown: (guest: Visit, run: SharedRun) => Promise<FormAnswer>,
): Promise<FormAnswer> {
  const run = sharedRunOf(hashOf, request.params["token"] ?? "", nowMs());
  const account = run === undefined ? undefined : await accounts.byId(run.accountId);
  if (run === undefined || account === undefined) return deadLink();
  try {
    return await shown(guestOf(account, request, await placeNames(locations, account.id)), run);
  } catch (error) {
    if (hasCode(error, "not_found")) return deadLink();
    throw error;
  }
}

/** Nobody who is signed in: it may read, as the least of roles does, and change nothing. */
function guestOf(account: Visit["account"], request: FormRequest, placeName: PlaceName): Visit {
  const role = "READ_ONLY";
  return {
    account,
    role,
    user: null,
    actor: { keyId: "shared-link", maskedKey: texts.guest, kind: "service", role },
    csrf: "",
    tokenHash: "",
    method: "key",
    barred: null,
    request,
    accounts: [],
    placeName,
    audit: async () => {
      throw new Error("a shared link changes nothing");
    },
  };
}

async function runPage(ask: Ask, guest: Visit, { checkId, resultId, untilMs }: SharedRun): Promise<FormAnswer> {
  const [check, result] = await Promise.all([
    ask(guest, getCheckV1, { params: { id: checkId } }),
    ask(guest, getCheckResult, { params: { checkId, checkResultId: resultId } }),
  ]);
  const evidence = await evidenceOf(ask, guest, result);
  const folder = `${sharedPath}/${guest.request.params["token"] ?? ""}/files`;
  const { body, modules } = runContent(
    { checkName: check.name, place: guest.placeName(result.runLocation), result, usualMs: null, texts: evidence, hasTraceViewer: false },
    folder,
    {
      isShared: true,
    },
  );
  return page({
    title: resultPageTexts.title(check.name),
    style: consoleStyle + shellStyle + checkPageStyle + resultStyle,
    body: html`<main class="content" id="content"><p class="crumbs">${texts.shared(momentElement(untilMs))} · ${check.name}</p>${body}</main>`,
    showsFiles: true,
    modules,
  });
}

function deadLink(): FormAnswer {
  const body = html`<h1>${texts.dead}</h1>\n<p class="lead">${texts.aboutDead}</p>`;
  return cardPage({ title: texts.dead, body, status: 404 });
}

/** Its address must not be found, nor go on to other sites. */
function ofLink(answer: FormAnswer): FormAnswer {
  return { ...answer, headers: { ...answer.headers, "x-robots-tag": "noindex", "referrer-policy": "no-referrer" } };
}
