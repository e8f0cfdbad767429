import { getOwnAccount, updateOwnAccount } from "#contract/accounts.ts";
import { analyseCheck, analyseErrorGroup } from "#contract/root-cause-analyses.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { storedAnalysis } from "../../root-causes/stored-analysis.ts";
import type { AnalysisStore } from "../../storage/storage.ts";
import { causeTexts as texts } from "../../texts/causes.ts";
import { html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import { doneBox } from "../done-box.ts";
import { postForm, problemBox, select } from "../form-view.ts";
import { takeOver } from "../result/accept-suggestion.ts";
import { consolePage } from "../shell.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";

export interface CausePageDeps {
  readonly analyses: Pick<AnalysisStore, "find">;
  /** Null: the operator has no model. */
  readonly rootCauseModel: object | null;
}

const path = "/alerts/causes";

/** Asking why something fails, and when an account has that asked. */
export function causePages(ask: Ask, deps: CausePageDeps): readonly ConsolePage[] {
  return [
    { method: "GET", path, access: "admin", answer: (visit) => show(ask, deps, visit) },
    { method: "POST", path, access: "admin", answer: (visit) => save(ask, deps, visit) },
    { method: "POST", path: `${path}/ask`, access: "run", answer: (visit) => analyse(ask, visit) },
    { method: "POST", path: "/checks/{checkId}/analyses/{analysis}/change", access: "write", answer: (visit) => change(ask, deps, visit) },
  ];
}

/** Pages that show causes; whatever else a form names leads to the alerts. */
const showsCauses = /^\/(?:checks|alerts\/episodes|incidents)\/[0-9a-f-]{36}$/;

async function analyse(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { form } = visit.request;
  const checkId = form.get("check");
  if (checkId !== null) await ask(visit, analyseCheck, { params: { checkId }, body: {} });
  else await ask(visit, analyseErrorGroup, { params: { errorGroupId: form.get("group") ?? "" }, body: {} });
  const to = form.get("to") ?? "";
  return redirect(showsCauses.test(to) ? `${to}#likely-cause` : "/alerts");
}

/** Takes over what an analysis suggested: a change of the check like any other, by whoever says so. */
async function change(ask: Ask, { analyses }: CausePageDeps, visit: Visit): Promise<FormAnswer> {
  const { checkId = "", analysis = "" } = visit.request.params;
  const row = await analyses.find(visit.account.id, analysis.toLowerCase());
  const suggested = storedAnalysis(row?.completed?.analysis)?.change;
  if (suggested == null || suggested.checkId !== checkId.toLowerCase())
    throw new AppError("not_found", "this analysis suggests no such change");
  await takeOver(ask, visit, checkId, suggested);
  return redirect(`/checks/${checkId}/edit`);
}

async function save(ask: Ask, deps: CausePageDeps, visit: Visit): Promise<FormAnswer> {
  const { form } = visit.request;
  const given = (["rootCauses", "rootCauseModel", "agenticModel"] as const).map((name) => [name, form.get(name)] as const);
  const settings = Object.fromEntries(given.filter(([, value]) => value !== null));
  try {
    await ask(visit, updateOwnAccount, { body: { settings } });
  } catch (error) {
    if (hasCode(error, "invalid_input")) return show(ask, deps, visit, `${error.message}.`, 400);
    throw error;
  }
  return redirect(`${path}?done=saved`);
}

async function show(ask: Ask, { rootCauseModel }: CausePageDeps, visit: Visit, problem?: string, status = 200): Promise<FormAnswer> {
  const { settings } = await ask(visit, getOwnAccount);
  const choice = (name: "rootCauses" | "rootCauseModel" | "agenticModel", label: string, options: Readonly<Record<string, string>>) =>
    select({ name, label, value: settings[name], options: Object.entries(options) });
  const model =
    rootCauseModel === null ? html`<p class="soft">${texts.noModel}</p>` : choice("rootCauseModel", texts.modelLabel, texts.modelChoices);
  const form = html`${choice("rootCauses", texts.whenLabel, texts.when)}
${model}
${choice("agenticModel", texts.agenticLabel, texts.agenticChoices)}
<button>${texts.save}</button>`;
  const body = html`<h1>${texts.settingsTitle}</h1>
<p class="lead">${texts.settingsLead}</p>
${problemBox(problem)}
${doneBox(texts.done, visit.request.query.get("done"))}
<section class="narrow">${postForm(path, visit.csrf, form)}</section>`;
  return { ...consolePage(visit, { title: texts.settingsTitle, body }), status };
}
