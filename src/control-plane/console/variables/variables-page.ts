import type { EnvironmentVariable } from "#contract/variables.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { asksAgain } from "../asks-again.ts";
import { doneBox } from "../done-box.ts";
import { type FormProblems, postForm, problemBox } from "../form-view.ts";
import { pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { emptyVariable, isHidden, type VariableDraft, variableFields } from "./variable-form.ts";

interface VariablesView {
  readonly variables: readonly EnvironmentVariable[];
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly done?: string | null;
  /** What was typed of a new one, and what is wrong with it. */
  readonly draft?: VariableDraft;
  readonly problems?: FormProblems;
  readonly status?: number;
}

const doneTexts: Readonly<Record<string, string>> = {
  created: "The variable is made; runs that start from now on have it.",
  changed: "The variable is changed; that counts for runs that start from now on.",
  deleted: "The variable is deleted.",
};

export function variablesPage(visit: Visit, view: VariablesView): FormAnswer {
  const { variables, done = null, draft = emptyVariable, problems = {}, status = 200 } = view;
  const mayWrite = roleAllows(visit.role, "write");
  const content = html`${variableFields(draft, null, problems)}<div class="send"><button>Add the variable</button></div>`;
  const body = html`<h1>Variables</h1>
<p class="lead">What scripts and templates of all checks can use, as <code>{{NAME}}</code> and <code>process.env.NAME</code>. Variables of a group or a check win over these.</p>
${problemBox(problems[""])}
${doneBox(doneTexts, done)}
${variables.length === 0 ? html`<p class="box">There is no variable yet.</p>` : html`<ul class="list">${variables.map((one) => row(visit, one, mayWrite))}</ul>`}
${pageLinks({ ...view, path: "/variables", query: {}, noun: "variable" })}
${mayWrite && html`<section class="more"><h2>Add a variable</h2>${postForm("/variables", visit.csrf, content, "form")}</section>`}`;
  return { ...consolePage(visit, { title: "Variables", style: tellStyle, body }), status };
}

/** Of a value that is shown, the beginning. */
const mostShown = 200;

function row(visit: Visit, variable: EnvironmentVariable, mayWrite: boolean): Html {
  const { key, value, locked, secret } = variable;
  const shown = value ?? "";
  const text = isHidden(variable)
    ? html`<span>The value is not shown</span>`
    : html`<span><code>${shown.slice(0, mostShown)}${shown.length > mostShown && "…"}</code></span>`;
  return html`<li><div class="who"><strong><code>${key}</code>${secret && html` <span class="chip">secret</span>`}${locked && html` <span class="chip">locked</span>`}</strong>${text}</div>
${
  mayWrite &&
  html`<div class="does"><a class="button" href="/variables/${key}">Edit<span class="hidden"> ${key}</span></a>
${asksAgain(visit.csrf, `/variables/${key}/delete`, `Delete ${key}? Checks that use it go without it.`, "Delete", key)}</div>`
}</li>`;
}

/** One variable to be changed; its name stays. */
export function variablePage(
  visit: Visit,
  {
    variable,
    draft,
    problems = {},
    status = 200,
  }: {
    readonly variable: EnvironmentVariable;
    readonly draft: VariableDraft;
    readonly problems?: FormProblems;
    readonly status?: number;
  },
): FormAnswer {
  const { key } = variable;
  const content = html`${variableFields(draft, variable, problems)}<div class="send"><button>Save</button><a href="/variables">Cancel</a></div>`;
  const body = html`<p class="crumbs"><a href="/variables">Variables</a></p>
<h1><code>${key}</code></h1>
${problemBox(problems[""])}
${postForm(`/variables/${key}`, visit.csrf, content, "form")}`;
  return { ...consolePage(visit, { title: key, style: tellStyle, body }), status };
}
