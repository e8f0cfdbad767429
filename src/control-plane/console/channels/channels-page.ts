import { type AlertChannelTest, AlertChannelType } from "#contract/alert-channels.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { channelTexts as texts } from "../../texts/channels.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { doneBox } from "../done-box.ts";
import { postForm } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { type ChannelRead, channelName, channelTarget } from "./channel-words.ts";

interface ChannelsView {
  readonly channels: readonly ChannelRead[];
  /** What was done before this page. */
  readonly done?: string | null;
  /** What a channel's service answered to a sample, just now. */
  readonly tested?: { readonly channel: ChannelRead; readonly answer: AlertChannelTest };
}

export function channelsPage(visit: Visit, { channels, done = null, tested }: ChannelsView): FormAnswer {
  const mayWrite = roleAllows(visit.role, "write");
  const body = html`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${doneBox(texts.done, done)}
${tested !== undefined && testBox(tested)}
${channels.length === 0 ? html`<p class="box">${texts.none}</p>` : html`<ul class="list">${channels.map((one) => row(visit, one, mayWrite))}</ul>`}
${mayWrite && newLinks()}`;
  return consolePage(visit, { title: texts.title, style: tellStyle, body });
}

function testBox({ channel, answer: { status, notificationResult } }: NonNullable<ChannelsView["tested"]>): Html {
  const isSent = status === "SUCCESS";
  const name = channelName(channel);
  return html`<div class="box ${isSent ? "good" : "bad"}" role="status"><strong>${isSent ? texts.sampleArrived(name) : texts.sampleLost(name)}</strong>
<span class="answered">${texts.answered(notificationResult)}</span></div>`;
}

function row(visit: Visit, channel: ChannelRead, mayWrite: boolean): Html {
  const { id, type } = channel;
  const name = channelName(channel);
  const target = channelTarget(channel);
  return html`<li><div class="who"><strong>${name}</strong><span>${texts.types[type]}${target !== name && target !== "" && ` · ${target}`}</span>
<span>${told(channel)}</span><span>${followed(channel)}${mayWrite && html` · <a href="/channels/${id}/checks">${texts.chooseChecks}<span class="hidden"> ${texts.ofChannel(name)}</span></a>`} · <a href="/alerts/sent?channel=${id}">${texts.whatItSent}</a></span></div>
${
  mayWrite &&
  html`<div class="does">${postForm(`/channels/${id}/test`, visit.csrf, html`<button class="quiet">${texts.sendSample}<span class="hidden"> ${texts.toChannel(name)}</span></button>`)}
<a class="button" href="/channels/${id}">${actionTexts.edit}<span class="hidden"> ${name}</span></a>
${confirmedAction(visit.csrf, `/channels/${id}/delete`, texts.askDelete(name), actionTexts.delete, name)}</div>`
}</li>`;
}

/** `Failures, recoveries` */
function told({ sendFailure, sendRecovery, sendDegraded, sslExpiry, sslExpiryThreshold }: ChannelRead): string {
  const parts = [
    sendFailure && texts.tells.failures,
    sendRecovery && texts.tells.recoveries,
    sendDegraded && texts.tells.degradations,
    sslExpiry && texts.tells.certificates(sslExpiryThreshold),
  ].filter((part) => part !== false);
  const text = parts.join(", ");
  return text === "" ? texts.tellsNothing : text.charAt(0).toUpperCase() + text.slice(1);
}

function followed({ subscriptions, autoSubscribe }: ChannelRead): Html {
  const active = subscriptions.filter(({ activated }) => activated);
  const groups = active.filter(({ groupId }) => groupId !== null).length;
  const checks = active.length - groups;
  const parts = [checks > 0 && texts.checks(checks), groups > 0 && texts.groups(groups), autoSubscribe && texts.everyNew];
  const told = parts.filter((part) => part !== false);
  return told.length === 0 ? stateLabel("warn", texts.tellsOfNone) : html`${texts.tellsOf(told.join(", "))}`;
}

function newLinks(): Html {
  return html`<section class="more"><h2>${texts.newHeading}</h2><ul class="ranges">${AlertChannelType.options.map(
    (type) => html`<li><a href="/channels/new?type=${type}">${texts.types[type]}</a></li>`,
  )}</ul></section>`;
}
