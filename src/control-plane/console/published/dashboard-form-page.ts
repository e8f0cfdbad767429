import type { Dashboard } from "#contract/dashboards.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { dashboardFormTexts as texts } from "../../texts/dashboard-form.ts";
import { publishedTexts } from "../../texts/published.ts";
import { type Html, html } from "../../view/html.ts";
import { timeElement } from "../../view/units.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { doneBox } from "../done-box.ts";
import { type FormProblems, postForm, problemBox } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { shownVersion } from "../shown-version.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { dashboardSections } from "./dashboard-fields.ts";
import { fieldSection } from "./page-field-view.ts";
import type { PageDraft } from "./page-fields.ts";
import { addressOfDashboard, titleOf } from "./page-words.ts";

interface DashboardView {
  /** Null: it is yet to be made. */
  readonly dashboard: Dashboard | null;
  readonly draft: PageDraft;
  /** A key that was made just now: it is shown once. */
  readonly rawKey?: string | undefined;
  readonly done?: string | null;
  readonly problems?: FormProblems;
  readonly status?: number;
  readonly version?: string | undefined;
}

/** A dashboard to be made or changed, with its keys. */
export function dashboardFormPage(visit: Visit, view: DashboardView): FormAnswer {
  const { dashboard, draft, rawKey, done = null, problems = {}, status = 200 } = view;
  const title = dashboard === null ? texts.new : titleOf(dashboard);
  const content = html`${shownVersion(view.version)}${dashboardSections.map((one) => fieldSection(one, draft, problems))}
<div class="send"><button>${dashboard === null ? texts.create : actionTexts.save}</button><a href="/pages">${actionTexts.cancel}</a></div>`;
  const body = html`<p class="crumbs"><a href="/pages">${publishedTexts.title}</a></p>
<h1>${title}</h1>
${dashboard !== null && html`<p class="lead"><a href="${addressOfDashboard(dashboard)}">${addressOfDashboard(dashboard)}</a></p>`}
${problemBox(problems[""])}
${doneBox(texts.done, done)}
${rawKey !== undefined && html`<div class="box good" role="status"><strong>${texts.newKey}</strong> ${texts.shownOnce}<br><code>${rawKey}</code></div>`}
${postForm(dashboard === null ? "/pages/dashboards" : pathOf(dashboard), visit.csrf, content, "form")}
${dashboard !== null && keySection(visit, dashboard)}`;
  return { ...consolePage(visit, { title, style: tellStyle, body }), status };
}

function pathOf({ dashboardId }: Dashboard): string {
  return `/pages/dashboards/${dashboardId}`;
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
    }) => html`<li><div class="who"><strong><code>${maskedKey}</code></strong><span>${texts.made(timeElement(Date.parse(createdAt)))}</span></div>
<div class="does">${confirmedAction(visit.csrf, `${pathOf(dashboard)}/keys/${id}/revoke`, texts.revokeKey, texts.revoke, maskedKey)}</div></li>`,
  );
  return html`<section class="more"><h2>${texts.keys}</h2>
<p class="hint">${texts.aboutKeys}</p>
${keys.length === 0 ? html`<p class="box">${texts.noKeys}</p>` : html`<ul class="list">${rows}</ul>`}
${keys.length < mostKeys && html`<div class="send">${postForm(`${pathOf(dashboard)}/keys`, visit.csrf, html`<button class="quiet">${texts.makeKey}</button>`)}</div>`}</section>`;
}
