import type { Dashboard } from "#contract/dashboards.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { timeElement } from "../../pages/public/units.ts";
import { asksAgain } from "../asks-again.ts";
import { doneBox } from "../done-box.ts";
import { checkbox, textArea } from "../form-inputs.ts";
import { type FormProblems, field, postForm, problemBox, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { type DashboardDraft, type DashboardField, dashboardSections } from "./dashboard-fields.ts";
import { addressOfDashboard, titleOf } from "./page-words.ts";

interface DashboardView {
  /** Null: it is yet to be made. */
  readonly dashboard: Dashboard | null;
  readonly draft: DashboardDraft;
  /** A key that was made just now: it is shown once. */
  readonly rawKey?: string | undefined;
  readonly done?: string | null;
  readonly problems?: FormProblems;
  readonly status?: number;
}

const doneTexts: Readonly<Record<string, string>> = {
  changed: "The dashboard is changed.",
  revoked: "The key is revoked; who has it sees the dashboard no more.",
};

/** A dashboard to be made or changed, with its keys. */
export function dashboardFormPage(visit: Visit, view: DashboardView): FormAnswer {
  const { dashboard, draft, rawKey, done = null, problems = {}, status = 200 } = view;
  const title = dashboard === null ? "New dashboard" : titleOf(dashboard);
  const content = html`${dashboardSections.map(
    (one) => html`<section><h2>${one.title}</h2>${one.fields.map((each) => input(each, draft, problems))}</section>`,
  )}
<div class="send"><button>${dashboard === null ? "Create the dashboard" : "Save"}</button><a href="/pages">Cancel</a></div>`;
  const body = html`<p class="crumbs"><a href="/pages">Pages</a></p>
<h1>${title}</h1>
${dashboard !== null && html`<p class="lead"><a href="${addressOfDashboard(dashboard)}">${addressOfDashboard(dashboard)}</a></p>`}
${problemBox(problems[""])}
${doneBox(doneTexts, done)}
${rawKey !== undefined && html`<div class="box good" role="status"><strong>A key of this dashboard.</strong> It is shown only now:<br><code>${rawKey}</code></div>`}
${postForm(dashboard === null ? "/pages/dashboards" : pathOf(dashboard), visit.csrf, content, "form")}
${dashboard !== null && keySection(visit, dashboard)}`;
  return { ...consolePage(visit, { title, style: tellStyle, body }), status };
}

function pathOf({ dashboardId }: Dashboard): string {
  return `/pages/dashboards/${dashboardId}`;
}

function input({ name, label, kind, hint, options = [] }: DashboardField, draft: DashboardDraft, problems: FormProblems): Html {
  const stored = draft[name];
  if (kind === "flag") return checkbox({ name, label, isOn: stored === true });
  const value = textOf(stored);
  if (kind === "choice" || kind === "rate") return select({ name, label, value, options });
  const optional = { name, label: `${label} (optional)`, value, hint, problems, isOptional: true };
  if (kind === "prose") return textArea({ ...optional, rows: 3, maxLength: 2_000, isProse: true });
  if (kind === "css") return textArea({ ...optional, rows: 5, maxLength: 100_000 });
  return field({ ...optional, autocomplete: "off", maxLength: kind === "tags" ? 25_000 : 2_048 });
}

function textOf(stored: unknown): string {
  if (Array.isArray(stored)) return stored.join(", ");
  return typeof stored === "string" || typeof stored === "number" ? String(stored) : "";
}

/** As many as REST gives out: one in use, and one to replace it with. */
const mostKeys = 2;

function keySection(visit: Visit, dashboard: Dashboard): Html {
  const { isPrivate, keys } = dashboard;
  if (!isPrivate && keys.length === 0) return html``;
  const rows = keys.map(
    ({
      id,
      maskedKey,
      created_at: createdAt,
    }) => html`<li><div class="who"><strong><code>${maskedKey}</code></strong><span>made ${timeElement(Date.parse(createdAt))}</span></div>
<div class="does">${asksAgain(visit.csrf, `${pathOf(dashboard)}/keys/${id}/revoke`, "Revoke this key? Who has it sees the dashboard no more.", "Revoke", maskedKey)}</div></li>`,
  );
  return html`<section class="more"><h2>Keys</h2>
<p class="hint">Who has one of them sees the dashboard while it is private. To replace one: make the second, hand it out, revoke the first.</p>
${keys.length === 0 ? html`<p class="box">There is no key: nobody sees the dashboard.</p>` : html`<ul class="list">${rows}</ul>`}
${keys.length < mostKeys && html`<div class="send">${postForm(`${pathOf(dashboard)}/keys`, visit.csrf, html`<button class="quiet">Make a key</button>`)}</div>`}</section>`;
}
