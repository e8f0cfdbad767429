import { getOwnAccount, updateOwnAccount } from "#contract/accounts.ts";
import { hasCode } from "#domain/app-error.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { accountRuleTexts as texts } from "../../texts/second-factor.ts";
import { html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import { doneBox } from "../done-box.ts";
import { postForm, problemBox, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";

const path = "/members/sign-in";

/** What an account asks of those who sign in to it. */
export function signInRulePages(ask: Ask): readonly ConsolePage[] {
  return [
    { method: "GET", path, access: "admin", answer: (visit) => show(ask, visit) },
    { method: "POST", path, access: "admin", answer: (visit) => save(ask, visit) },
  ];
}

async function save(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { form } = visit.request;
  try {
    await ask(visit, updateOwnAccount, { body: { settings: { secondFactor: form.get("secondFactor"), signIn: form.get("signIn") } } });
  } catch (error) {
    if (hasCode(error, "conflict")) return show(ask, visit, `${error.message}.`, 409);
    if (hasCode(error, "invalid_input")) return show(ask, visit, `${error.message}.`, 400);
    throw error;
  }
  return redirect(`${path}?done=saved`);
}

async function show(ask: Ask, visit: Visit, problem?: string, status = 200): Promise<FormAnswer> {
  const { settings } = await ask(visit, getOwnAccount);
  const choice = (name: "secondFactor" | "signIn", label: string, options: Readonly<Record<string, string>>) =>
    select({ name, label, value: settings[name], options: Object.entries(options) });
  const body = html`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${problemBox(problem)}
${doneBox(texts.done, visit.request.query.get("done"))}
<section class="narrow">${postForm(
    path,
    visit.csrf,
    html`${choice("secondFactor", texts.secondFactorLabel, texts.secondFactors)}
${choice("signIn", texts.signInLabel, texts.signIns)}
<button>${texts.save}</button>`,
  )}</section>`;
  return { ...consolePage(visit, { title: texts.title, body }), status };
}
