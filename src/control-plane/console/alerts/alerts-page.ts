import type { AlertNotification } from "#contract/alert-notifications.ts";
import type { CheckAlert } from "#contract/check-alerts.ts";
import { isPinged } from "#contract/checks/traits.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { alertTexts as texts } from "../../texts/alerts.ts";
import { checkTypeTexts } from "../../texts/check-fields.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { timeElement } from "../../view/units.ts";
import type { CheckRead } from "../check-types/check-type.ts";
import { addressWith, pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { deliveryAnswer } from "./delivery-answer.ts";
import { deliveryState } from "./delivery-state.ts";
import { type AlertKind, alertKindNames, saidBy } from "./said-by.ts";

export interface AlertsView {
  readonly alerts: readonly CheckAlert[];
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  /** Null: all. */
  readonly kind: AlertKind | null;
  /** Whose alerts alone are shown. */
  readonly check: CheckRead | null;
  readonly sent: ReadonlyMap<string | undefined, readonly AlertNotification[]>;
  /** Of channels, by id. */
  readonly names: ReadonlyMap<number, string>;
}

export function alertsPage(visit: Visit, view: AlertsView): FormAnswer {
  const { alerts, total, kind, check } = view;
  const query = { kind: kind ?? "", check: check?.id ?? "" };
  const body = html`<h1>${texts.log}</h1>
${alertTabs("/alerts/log")}
${kindLinks(view)}
${check !== null && html`<p class="chosen">${texts.ofCheck(html`<a href="/checks/${check.id}">${check.name}</a>`, html`<a href="${addressWith("/alerts/log", { kind: query.kind })}">${texts.allChecks}</a>`)}</p>`}
${
  alerts.length === 0
    ? html`<p class="box">${total > 0 ? texts.emptyPage : kind === null ? texts.none : texts.noneSuch}</p>`
    : html`<ul class="events">${alerts.map((alert) => row(visit, alert, view))}</ul>`
}
${pageLinks({ ...view, path: "/alerts/log", query, counted: texts.countedAlerts })}`;
  return consolePage(visit, { title: texts.log, style: tellStyle, isPacked: true, body });
}

/** The sides of it: what fails and failed, what was to be told, what was sent, and what could not be. */
export function alertTabs(here: "/alerts" | "/alerts/log" | "/alerts/sent" | "/alerts/given-up"): Html {
  const tabs = [
    ["/alerts", texts.alerts],
    ["/alerts/log", texts.log],
    ["/alerts/sent", texts.sent],
    ["/alerts/given-up", texts.givenUp],
  ] as const;
  return html`<nav aria-label="${texts.alerts}"><ul class="ranges">${tabs.map(
    ([path, label]) => html`<li><a href="${path}"${path === here && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>`;
}

function kindLinks({ kind, check }: AlertsView): Html {
  const link = (value: AlertKind | null, label: string): Html =>
    html`<li><a href="${addressWith("/alerts/log", { kind: value ?? "", check: check?.id ?? "" })}"${value === kind && html` aria-current="true"`}>${label}</a></li>`;
  return html`<nav aria-label="${texts.kinds}"><ul class="kinds">${link(null, texts.all)}${alertKindNames.map((value) => link(value, texts.kindNames[value]))}</ul></nav>`;
}

function row(visit: Visit, alert: CheckAlert, { sent, names, check }: AlertsView): Html {
  const { tone, text } = saidBy(alert);
  const { checkId, checkResultId, name, runLocation, error, reminder, failedRuns } = alert;
  const at = timeElement(Date.parse(alert.created_at));
  const isOfMany = check === null;
  return html`<li class="${tone}"><div class="what">${stateLabel(tone, text)}<p>${at}</p></div>
<div class="which"><a class="name" href="/checks/${checkId}">${name}</a>
${error !== null && error !== "" && html`<p class="error">${error}</p>`}
<p class="about"><span>${checkTypeTexts[alert.checkType].name}</span>${runLocation !== "" && html`<span>${visit.placeName(runLocation)}</span>`}${reminder > 0 && html`<span>${texts.reminder(reminder)}</span>`}${failedRuns > 1 && html`<span>${texts.failedRuns(failedRuns, isPinged(alert.checkType))}</span>`}${
    checkResultId !== null && html`<a href="/checks/${checkId}/results/${checkResultId}">${texts.run}</a>`
  }${isOfMany && html`<a href="/alerts/log?check=${checkId}">${texts.onlyCheck}</a>`}</p></div>
<div class="sent">${deliveries(sent.get(alert.id) ?? [], names)}</div></li>`;
}

function deliveries(sent: readonly AlertNotification[], names: ReadonlyMap<number, string>): Html {
  if (sent.length === 0) return html`<p class="soft">${texts.toNobody}</p>`;
  return html`<ul class="plain">${sent.map((one) => {
    const { tone, text } = deliveryState(one.status);
    const name = names.get(one.alertChannelId) ?? texts.deletedChannel(one.alertChannelId);
    const answer = one.status === "SUCCESS" ? null : one.notificationResult;
    return html`<li>${stateLabel(tone, text)} <a href="/alerts/sent?channel=${one.alertChannelId}">${name}</a>${answer !== null && deliveryAnswer(answer)}</li>`;
  })}</ul>`;
}
