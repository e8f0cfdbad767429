import type { Dashboard } from "#contract/dashboards.ts";
import type { StatusPageService } from "#contract/status-pages/services.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { countText } from "../../pages/public/units.ts";
import { asksAgain } from "../asks-again.ts";
import { doneBox } from "../done-box.ts";
import { type FormProblems, field, postForm, problemBox } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { addressOfDashboard, type ListedStatusPage, titleOf } from "./page-words.ts";

export interface PublishedView {
  readonly dashboards: readonly Dashboard[];
  readonly statusPages: readonly ListedStatusPage[];
  readonly services: readonly StatusPageService[];
  readonly done?: string | null;
  /** What was typed of a new service, and what is wrong with it. */
  readonly service?: string;
  readonly problems?: FormProblems;
  readonly status?: number;
}

const doneTexts: Readonly<Record<string, string>> = {
  created: "The dashboard is made.",
  deleted: "The dashboard is deleted; its address is free again.",
  serviceAdded: "The service is made. A status page shows it once one of its cards names it.",
  serviceDeleted: "The service is deleted; status pages and incidents are without it.",
};

const style = `${tellStyle}
.list .who .parts { display: flex; flex-wrap: wrap; gap: .3rem; margin-top: .3rem; }
.list .who .parts .chip { margin: 0; }
section > .head { margin-bottom: .9rem; }
section > .head h2 { font-size: 1.1rem; }
.one { display: flex; gap: .75rem; align-items: end; max-width: 30rem; }
.one .field { flex: 1; margin: 0; }
`;

/** What the account shows to others: its dashboards, its status pages and the services on them. */
export function publishedPage(visit: Visit, view: PublishedView): FormAnswer {
  const { dashboards, statusPages, services, done = null, problems = {}, status = 200 } = view;
  const mayWrite = roleAllows(visit.role, "write");
  const body = html`<h1>Pages</h1>
<p class="lead">What others see: dashboards of checks, and status pages of services.</p>
${problemBox(problems[""])}
${doneBox(doneTexts, done)}
<section><div class="head"><h2>Dashboards</h2>${mayWrite && html`<a class="button strong" href="/pages/dashboards/new">New dashboard</a>`}</div>
${list("There is no dashboard yet.", dashboards, (one) => dashboardRow(visit, one, mayWrite))}</section>
<section><h2>Status pages</h2>
${list("There is no status page yet. The REST API makes them.", statusPages, statusRow)}</section>
<section><h2>Services</h2>
<p class="hint">What status pages show and incidents strike.</p>
${list("There is no service yet.", services, (one) => serviceRow(visit, one, statusPages, mayWrite))}
${mayWrite && serviceForm(visit, view)}</section>`;
  return { ...consolePage(visit, { title: "Pages", style, body }), status };
}

function list<One>(none: string, all: readonly One[], row: (one: One) => Html): Html {
  return all.length === 0 ? html`<p class="box">${none}</p>` : html`<ul class="list">${all.map(row)}</ul>`;
}

function dashboardRow(visit: Visit, dashboard: Dashboard, mayWrite: boolean): Html {
  const { dashboardId, customDomain, tags, isPrivate } = dashboard;
  const title = titleOf(dashboard);
  const path = `/pages/dashboards/${dashboardId}`;
  const which = tags.length === 0 ? "all checks" : `checks with ${tags.join(dashboard.useTagsAndOperator === true ? " and " : " or ")}`;
  return html`<li><div class="who"><strong><a href="${addressOfDashboard(dashboard)}">${title}</a>${isPrivate && html` <span class="chip">private</span>`}</strong>
<span>${addressOfDashboard(dashboard)}${customDomain && ` · ${customDomain}`} · ${which}</span></div>
${
  mayWrite &&
  html`<div class="does"><a class="button" href="${path}">Edit<span class="hidden"> ${title}</span></a>
${asksAgain(visit.csrf, `${path}/delete`, `Delete ${title}? Its address leads nowhere then.`, "Delete", title)}</div>`
}</li>`;
}

function statusRow({ name, url, customDomain, cards, incidents }: ListedStatusPage): Html {
  const services = cards.flatMap((card) => card.services);
  return html`<li><div class="who"><strong><a href="/status/${url}">${name}</a></strong>
<span>/status/${url}${customDomain && ` · ${customDomain}`}</span>
<span class="parts">${services.map((service) => html`<span class="chip">${service.name}</span>`)}${services.length === 0 && "No service is on it"}</span></div>
<div class="does">${incidents.length > 0 && html`<a href="/incidents">${stateLabel("warn", countText(incidents.length, "open incident"))}</a>`}</div></li>`;
}

function serviceRow(visit: Visit, { id, name }: StatusPageService, statusPages: readonly ListedStatusPage[], mayWrite: boolean): Html {
  const on = statusPages.filter(({ cards }) => cards.some(({ services }) => services.some((service) => service.id === id)));
  const where = on.length === 0 ? "On no status page" : `On ${on.map((page) => page.name).join(", ")}`;
  return html`<li><div class="who"><strong>${name}</strong><span>${where}</span></div>
<div class="does">${mayWrite && asksAgain(visit.csrf, `/pages/services/${id}/delete`, `Delete ${name}? Status pages and incidents are without it then.`, "Delete", name)}</div></li>`;
}

function serviceForm(visit: Visit, { service = "", problems = {} }: PublishedView): Html {
  const content = html`${field({ name: "name", label: "New service", value: service, autocomplete: "off", maxLength: 255, problems })}<button class="quiet">Add</button>`;
  return html`<div class="send">${postForm("/pages/services", visit.csrf, content, "one")}</div>`;
}
