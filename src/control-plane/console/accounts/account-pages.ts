import { createAccount, deleteAccount } from "#contract/accounts.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import { firstAccount } from "../../accounts/setup.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { AccountRow, AccountStore } from "../../storage/storage.ts";
import { accountTexts as texts } from "../../texts/accounts.ts";
import { actionTexts } from "../../texts/actions.ts";
import { type Html, html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import { type FormProblems, field, postForm, problemBox } from "../form-view.ts";
import { typed } from "../people/person-fields.ts";
import { refusedFields } from "../refused-fields.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";

export interface AccountPageDeps {
  readonly accounts: Pick<AccountStore, "list">;
}

interface View {
  /** Just now: its key is shown once. */
  readonly made?: { readonly name: string; readonly rawKey: string };
  readonly isRemoved?: boolean;
  readonly name?: string;
  readonly problems?: FormProblems;
  readonly status?: number;
}

const access = "admin";

/** The accounts of an installation, for those who operate it: OWNERs of the first one. */
export function accountPages(ask: Ask, deps: AccountPageDeps): readonly ConsolePage[] {
  const show = (visit: Visit, view: View): Promise<FormAnswer> => list(deps, visit, view);
  return [
    { method: "GET", path: "/accounts", access, answer: (visit) => show(visit, { isRemoved: visit.request.query.has("removed") }) },
    { method: "POST", path: "/accounts", access, answer: (visit) => create(ask, visit, show) },
    { method: "POST", path: "/accounts/{id}/remove", access, answer: (visit) => remove(deps, ask, visit, show) },
  ];
}

type Show = (visit: Visit, view: View) => Promise<FormAnswer>;

/** Whether this is somebody who operates the installation. */
export async function isOperator(deps: AccountPageDeps, { role, account }: Pick<Visit, "role" | "account">): Promise<boolean> {
  return role === "OWNER" && account.id === (await firstAccount(deps))?.id;
}

async function create(ask: Ask, visit: Visit, show: Show): Promise<FormAnswer> {
  const name = typed(visit.request.form, "name");
  try {
    return await show(visit, { made: await ask(visit, createAccount, { body: { name } }) });
  } catch (error) {
    return show(visit, { name, problems: refusedFields(error, ["name"]), status: 400 });
  }
}

/** Whoever deletes an account types its name: a click too many takes none away. */
async function remove(deps: AccountPageDeps, ask: Ask, visit: Visit, show: Show): Promise<FormAnswer> {
  const id = visit.request.params["id"] ?? "";
  const account = (await isOperator(deps, visit)) ? (await deps.accounts.list()).find(({ uuid }) => uuid === id.toLowerCase()) : undefined;
  if (account === undefined) throw new AppError("forbidden", texts.operatorsOnly);
  if (typed(visit.request.form, "name") !== account.name)
    return show(visit, { problems: { "": texts.wrongName(account.name) }, status: 400 });
  try {
    await ask(visit, deleteAccount, { params: { accountId: account.uuid } });
  } catch (error) {
    if (hasCode(error, "conflict")) return show(visit, { problems: { "": `${error.message}.` }, status: 409 });
    throw error;
  }
  return redirect("/accounts?removed=1");
}

async function list(deps: AccountPageDeps, visit: Visit, view: View): Promise<FormAnswer> {
  if (!(await isOperator(deps, visit))) throw new AppError("forbidden", texts.operatorsOnly);
  const { made, isRemoved = false, name = "", problems = {}, status = 200 } = view;
  const all = await deps.accounts.list();
  const body = html`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${problemBox(problems[""])}
${isRemoved && html`<p class="box good" role="status">${texts.removed}</p>`}
${made && madeBox(made)}
<ul class="list">${all.map((account, index) => row(visit, account, index === 0))}</ul>
<section class="more"><h2>${texts.makeHeading}</h2>${postForm(
    "/accounts",
    visit.csrf,
    html`${field({ name: "name", label: texts.name, value: name, autocomplete: "off", maxLength: 255, problems })}
<div class="send"><button>${texts.makeIt}</button></div>`,
    "form",
  )}</section>`;
  return { ...consolePage(visit, { title: texts.title, style: tellStyle, body }), status };
}

function madeBox({ name, rawKey }: NonNullable<View["made"]>): Html {
  const signIn = html`<a href="/sign-in">${texts.signIn}</a>`;
  return html`<div class="box good" role="status"><strong>${texts.made(name)}</strong> ${texts.shownOnce(signIn)}<br><code>${rawKey}</code></div>`;
}

function row(visit: Visit, { uuid, name }: AccountRow, isFirst: boolean): Html {
  const about = html`<div class="who"><strong>${name}</strong><span><code>${uuid}</code>${isFirst && html` · ${texts.first}`}</span></div>`;
  if (isFirst) return html`<li>${about}</li>`;
  const id = `name-${uuid}`;
  const form = html`<label class="hidden" for="${id}">${texts.typeName(name)}</label><input id="${id}" name="name" type="text" autocomplete="off" maxlength="255" required>
<button class="danger">${actionTexts.remove}</button>`;
  return html`<li>${about}<div class="does"><details class="asks"><summary>${actionTexts.remove}<span class="hidden"> ${name}</span></summary><div>
<p>${texts.removeHint(name)}</p>
${postForm(`/accounts/${uuid}/remove`, visit.csrf, form)}
</div></details></div></li>`;
}
