import type { EnvironmentVariable } from "#contract/variables.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { variableTexts as texts } from "../../texts/variables.ts";
import { type Html, html } from "../../view/html.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { doneBox } from "../done-box.ts";
import { type FormProblems, postForm, problemBox } from "../form-view.ts";
import { pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import { shownVersion } from "../shown-version.ts";
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

export function variablesPage(visit: Visit, view: VariablesView): FormAnswer {
  const { variables, done = null, draft = emptyVariable, problems = {}, status = 200 } = view;
  const mayWrite = roleAllows(visit.role, "write");
  const content = html`${variableFields(draft, null, problems)}<div class="send"><button>${texts.addIt}</button></div>`;
  const body = html`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${problemBox(problems[""])}
${doneBox(texts.done, done)}
${variables.length === 0 ? html`<p class="box">${texts.none}</p>` : html`<ul class="list">${variables.map((one) => row(visit, one, mayWrite))}</ul>`}
${pageLinks({ ...view, path: "/variables", query: {}, counted: texts.counted })}
${mayWrite && html`<section class="more"><h2>${texts.addHeading}</h2>${postForm("/variables", visit.csrf, content, "form")}</section>`}`;
  return { ...consolePage(visit, { title: texts.title, style: tellStyle, body }), status };
}

/** Of a value that is shown, the beginning. */
const mostShown = 200;

function row(visit: Visit, variable: EnvironmentVariable, mayWrite: boolean): Html {
  const { key, value, locked, secret } = variable;
  const shown = value ?? "";
  const text = isHidden(variable)
    ? html`<span>${texts.notShown}</span>`
    : html`<span><code>${shown.slice(0, mostShown)}${shown.length > mostShown && "…"}</code></span>`;
  return html`<li><div class="who"><strong><code>${key}</code>${secret && html` <span class="chip">${texts.secretChip}</span>`}${locked && html` <span class="chip">${texts.lockedChip}</span>`}</strong>${text}</div>
${
  mayWrite &&
  html`<div class="does"><a class="button" href="/variables/${key}">${actionTexts.edit}<span class="hidden"> ${key}</span></a>
${confirmedAction(visit.csrf, `/variables/${key}/delete`, texts.deleteQuestion(key), actionTexts.delete, key)}</div>`
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
    version,
  }: {
    readonly variable: EnvironmentVariable;
    readonly draft: VariableDraft;
    readonly problems?: FormProblems;
    readonly status?: number;
    readonly version?: string | undefined;
  },
): FormAnswer {
  const { key } = variable;
  const content = html`${shownVersion(version)}${variableFields(draft, variable, problems)}<div class="send"><button>${actionTexts.save}</button><a href="/variables">${actionTexts.cancel}</a></div>`;
  const body = html`<p class="crumbs"><a href="/variables">${texts.title}</a></p>
<h1><code>${key}</code></h1>
${problemBox(problems[""])}
${postForm(`/variables/${key}`, visit.csrf, content, "form")}`;
  return { ...consolePage(visit, { title: key, style: tellStyle, body }), status };
}
