import type { Dashboard } from "#contract/dashboards.ts";
import type { PageDomain } from "#contract/page-domains.ts";
import type { StatusPageService } from "#contract/status-pages/services.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { publishedTexts as texts } from "../../texts/published.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { doneBox } from "../done-box.ts";
import { type FormProblems, field, postForm, problemBox } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { addressOfDashboard, addressOfStatusPage, type ListedStatusPage, titleOf } from "./page-words.ts";
import { publishedStyle } from "./published-style.ts";

/** What is told above the list, and of a new service. */
export interface ListNews {
  readonly done?: string | null;
  /** What was typed of a new service, and what is wrong with it. */
  readonly service?: string;
  readonly problems?: FormProblems;
  readonly status?: number;
}

interface PublishedView extends ListNews {
  readonly dashboards: readonly Dashboard[];
  readonly statusPages: readonly ListedStatusPage[];
  readonly services: readonly StatusPageService[];
  /** Domains that no page answers under yet. */
  readonly unproved: readonly PageDomain[];
}

/** What the account shows to others: its dashboards, its status pages and the services on them. */
export function publishedPage(visit: Visit, view: PublishedView): FormAnswer {
  const { dashboards, statusPages, services, unproved, done = null, problems = {}, status = 200 } = view;
  const mayWrite = roleAllows(visit.role, "write");
  const body = html`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${problemBox(problems[""])}
${doneBox(texts.done, done)}
${unproved.length > 0 && domainBox(unproved)}
<section><div class="head"><h2>${texts.dashboards}</h2>${mayWrite && html`<a class="button strong" href="/pages/dashboards/new">${texts.newDashboard}</a>`}</div>
${list(texts.noDashboards, dashboards, (one) => dashboardRow(visit, one, mayWrite))}</section>
<section><div class="head"><h2>${texts.statusPages}</h2>${mayWrite && html`<a class="button strong" href="/pages/status/new">${texts.newStatusPage}</a>`}</div>
${list(texts.noStatusPages, statusPages, (one) => statusRow(visit, one, mayWrite))}</section>
<section id="services"><h2>${texts.services}</h2>
<p class="hint">${texts.aboutServices}</p>
${list(texts.noServices, services, (one) => serviceRow(visit, one, statusPages, mayWrite))}
${mayWrite && serviceForm(visit, view)}</section>`;
  return { ...consolePage(visit, { title: texts.title, style: publishedStyle, body }), status };
}

/** What to write into the zones of domains. */
function domainBox(domains: readonly PageDomain[]): Html {
  return html`<div class="box"><p>${texts.aboutDomains}</p>
<ul>${domains.map(({ domain, record }) => html`<li>${domain}: <code>${record.name}</code> ${record.type} <code>${record.value}</code></li>`)}</ul></div>`;
}

function list<One>(none: string, all: readonly One[], row: (one: One) => Html): Html {
  return all.length === 0 ? html`<p class="box">${none}</p>` : html`<ul class="list">${all.map(row)}</ul>`;
}

function dashboardRow(visit: Visit, dashboard: Dashboard, mayWrite: boolean): Html {
  const { dashboardId, customDomain, tags, isPrivate } = dashboard;
  const title = titleOf(dashboard);
  const all = dashboard.useTagsAndOperator === true ? texts.checksWithAll(tags) : texts.checksWithAny(tags);
  const which = tags.length === 0 ? texts.allChecks : all;
  return html`<li><div class="who"><strong><a href="${addressOfDashboard(dashboard)}">${title}</a>${isPrivate && html` <span class="chip">${texts.private}</span>`}</strong>
<span>${addressOfDashboard(dashboard)}${customDomain && ` · ${customDomain}`} · ${which}</span></div>
${mayWrite && does(visit, { path: `/pages/dashboards/${dashboardId}`, name: title, question: texts.deleteDashboard(title) })}</li>`;
}

function statusRow(visit: Visit, { id, name, url, customDomain, cards, incidents }: ListedStatusPage, mayWrite: boolean): Html {
  const services = cards.flatMap((card) => card.services);
  const address = addressOfStatusPage(url);
  return html`<li><div class="who"><strong><a href="${address}">${name}</a></strong>
<span>${address}${customDomain && ` · ${customDomain}`} · <a href="/pages/status/${id}/subscribers">${texts.subscribers}<span class="hidden"> – ${name}</span></a></span>
${incidents.length > 0 && html`<span><a href="/incidents">${stateLabel("warn", texts.openIncidents(incidents.length))}</a></span>`}
<span class="parts">${services.map((service) => html`<span class="chip">${service.name}</span>`)}${services.length === 0 && texts.noServicesOnIt}</span></div>
${mayWrite && does(visit, { path: `/pages/status/${id}`, name, question: texts.deleteStatusPage(name) })}</li>`;
}

function serviceRow(visit: Visit, { id, name }: StatusPageService, statusPages: readonly ListedStatusPage[], mayWrite: boolean): Html {
  const on = statusPages.filter(({ cards }) => cards.some(({ services }) => services.some((service) => service.id === id)));
  const where = on.length === 0 ? texts.onNoPage : texts.onPages(on.map((page) => page.name));
  return html`<li><div class="who"><strong>${name}</strong><span>${where}</span></div>
${mayWrite && does(visit, { path: `/pages/services/${id}`, name, question: texts.deleteService(name), edit: texts.rename })}</li>`;
}

interface Row {
  /** Of its form. */
  readonly path: string;
  readonly name: string;
  /** Before it is deleted. */
  readonly question: string;
  readonly edit?: string;
}

function does(visit: Visit, { path, name, question, edit = actionTexts.edit }: Row): Html {
  return html`<div class="does"><a class="button" href="${path}">${edit}<span class="hidden"> ${name}</span></a>
${confirmedAction(visit.csrf, `${path}/delete`, question, actionTexts.delete, name)}</div>`;
}

function serviceForm(visit: Visit, { service = "", problems = {} }: PublishedView): Html {
  const content = html`${field({ name: "name", label: texts.newService, value: service, autocomplete: "off", maxLength: 255, problems })}<button class="quiet">${actionTexts.add}</button>`;
  return html`<div class="send">${postForm("/pages/services", visit.csrf, content, "one")}</div>`;
}
