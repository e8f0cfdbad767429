import type { AlertNotification } from "#contract/alert-notifications.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { alertTexts as texts } from "../../texts/alerts.ts";
import { channelTexts } from "../../texts/channels.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { timeElement } from "../../view/units.ts";
import { pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { alertTabs } from "./alerts-page.ts";
import { deliveryAnswer } from "./delivery-answer.ts";
import { deliveryState } from "./delivery-state.ts";

export interface SentView {
  readonly sent: readonly AlertNotification[];
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  /** Id of the one channel that is looked at; empty: all. */
  readonly channel: string;
  /** What did not arrive alone. */
  readonly failed: boolean;
  /** Names by ids. */
  readonly channels: ReadonlyMap<number, string>;
  readonly checks: ReadonlyMap<string, string>;
}

/** Every attempt to tell a channel, with what its service answered. */
export function sentPage(visit: Visit, view: SentView): FormAnswer {
  const { sent, total, channel, failed } = view;
  const query = { channel, failed: failed ? "true" : "" };
  const body = html`<h1>${texts.sent}</h1>
${alertTabs("/alerts/sent")}
${filterForm(view)}
${
  sent.length === 0
    ? html`<p class="box">${total === 0 ? texts.noneSent : texts.emptyPage}</p>`
    : html`<ul class="events">${sent.map((one) => row(visit, one, view))}</ul>`
}
${pageLinks({ ...view, path: "/alerts/sent", query, counted: texts.countedNotifications })}`;
  return consolePage(visit, { title: texts.sent, style: tellStyle, body });
}

function filterForm({ channels, channel, failed }: SentView): Html {
  const options = [...channels].map(
    ([id, name]) => html`<option value="${id}"${String(id) === channel && html` selected`}>${name}</option>`,
  );
  return html`<form class="filter" method="get" action="/alerts/sent">
<label><span class="hidden">${texts.channel}</span><select name="channel"><option value="">${texts.allChannels}</option>${options}</select></label>
<label><span class="hidden">${texts.whetherSent}</span><select name="failed"><option value="">${texts.sentOrNot}</option><option value="true"${failed && html` selected`}>${texts.notSent}</option></select></label>
<button class="quiet">${actionTexts.show}</button></form>`;
}

function row(visit: Visit, one: AlertNotification, view: SentView): Html {
  const { tone, text } = deliveryState(one.status);
  const name = view.channels.get(one.alertChannelId) ?? texts.deletedChannel(one.alertChannelId);
  return html`<li class="${tone}"><div class="what">${stateLabel(tone, text)}${one.timestamp !== null && html`<p>${timeElement(Date.parse(one.timestamp))}</p>`}</div>
<div class="which"><strong class="name">${name}</strong>
<p class="about"><span>${channelTexts.types[one.type]}</span>${about(visit, one, view)}</p></div>
<div class="sent">${one.notificationResult !== null && deliveryAnswer(one.notificationResult)}</div></li>`;
}

function about(
  visit: Visit,
  { checkId, checkResultId, alertType, locationNotice, channelNotice }: AlertNotification,
  { checks, channels }: SentView,
): Html {
  if (channelNotice !== undefined) {
    const { alertChannelId: id } = channelNotice;
    return html`<span>${texts.gaveUpOn(channels.get(id) ?? texts.deletedChannel(id))}</span>`;
  }
  if (locationNotice !== undefined)
    return html`<span>${visit.placeName(locationNotice.runLocation)}: ${texts.notices[locationNotice.type]}</span>`;
  if (checkId === undefined) return html``;
  const run =
    checkResultId !== undefined && checkResultId !== "" && html`<a href="/checks/${checkId}/results/${checkResultId}">${texts.run}</a>`;
  return html`${alertType !== undefined && html`<span>${texts.said[alertType]}</span>`}<span>${texts.ofIts(html`<a href="/checks/${checkId}">${checks.get(checkId) ?? texts.unnamedCheck}</a>`)}</span>${run}`;
}
