import type { GivenUpAlert } from "#contract/alert-notifications.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { alertTexts as texts } from "../../texts/alerts.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { timeElement } from "../../view/units.ts";
import { postForm } from "../form-view.ts";
import { pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { alertTabs } from "./alerts-page.ts";
import { deliveryAnswer } from "./delivery-answer.ts";

export interface GivenUpView {
  readonly alerts: readonly GivenUpAlert[];
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  /** Names by ids. */
  readonly channels: ReadonlyMap<number, string>;
  readonly maySend: boolean;
  /** How many of the latest alerts no channel was told of; looked at where no delivery failed. */
  readonly unsent: { readonly without: number; readonly latest: number };
}

/** What channels could not be told of, with a way to send it again. */
export function givenUpPage(visit: Visit, view: GivenUpView): FormAnswer {
  const { alerts, channels, maySend, unsent } = view;
  const here = [...new Set(alerts.map(({ alertChannelId }) => alertChannelId))];
  const again = (id: number): Html =>
    postForm(
      "/alerts/given-up",
      visit.csrf,
      html`<button class="quiet" name="channel" value="${id}">${texts.sendAgain(nameOf(channels, id))}</button>`,
    );
  const body = html`<h1>${texts.givenUp}</h1>
${alertTabs("/alerts/given-up")}
${maySend && here.length > 0 && html`<div class="send">${here.map(again)}</div>`}
${alerts.length === 0 ? html`<p class="box">${texts.noneGivenUp}${unsent.without > 0 && html` ${texts.hadNoChannel(unsent.without, unsent.latest, html`<a href="/channels">${texts.toChannels}</a>`)}`}</p>` : html`<ul class="events">${alerts.map((one) => row(one, channels))}</ul>`}
${pageLinks({ ...view, path: "/alerts/given-up", query: {}, counted: texts.countedAlerts })}`;
  return consolePage(visit, { title: texts.givenUp, style: tellStyle, body });
}

function row(
  { alertChannelId, alertType, checkId, name, triedSince, givenUpAt, attempts, because }: GivenUpAlert,
  channels: GivenUpView["channels"],
): Html {
  const said = alertType === undefined ? texts.notice : texts.said[alertType];
  return html`<li class="bad"><div class="what">${stateLabel("bad", said)}<p>${timeElement(Date.parse(givenUpAt))}</p></div>
<div class="which"><strong class="name">${nameOf(channels, alertChannelId)}</strong>
<p class="about">${name !== undefined && html`<span><a href="/checks/${checkId}">${name}</a></span>`}<span>${texts.tried(attempts, timeElement(Date.parse(triedSince)))}</span></p></div>
<div class="sent">${deliveryAnswer(because)}</div></li>`;
}

function nameOf(channels: GivenUpView["channels"], id: number): string {
  return channels.get(id) ?? texts.deletedChannel(id);
}
