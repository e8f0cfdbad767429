import { type AlertChannelTest, AlertChannelType } from "#contract/alert-channels.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { countText } from "../../pages/public/units.ts";
import { asksAgain } from "../asks-again.ts";
import { postForm } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { type ChannelRead, channelName, channelTarget, channelTypeNames } from "./channel-words.ts";

interface ChannelsView {
  readonly channels: readonly ChannelRead[];
  /** What was done before this page. */
  readonly done?: string | null;
  /** What a channel's service answered to a sample, just now. */
  readonly tested?: { readonly channel: ChannelRead; readonly answer: AlertChannelTest };
}

const doneTexts: Readonly<Record<string, string>> = {
  created: "The channel is made. Choose its checks, and send it a sample to see that it arrives.",
  changed: "The channel is changed; that counts from now on.",
  deleted: "The channel is deleted. What it sent stays in the list of alerts.",
};

export function channelsPage(visit: Visit, { channels, done = null, tested }: ChannelsView): FormAnswer {
  const doneText = done !== null && Object.hasOwn(doneTexts, done) ? doneTexts[done] : undefined;
  const mayWrite = roleAllows(visit.role, "write");
  const body = html`<h1>Channels</h1>
<p class="lead">Where alerts go: each channel tells of the checks and groups that are subscribed to it.</p>
${doneText !== undefined && html`<p class="box good" role="status">${doneText}</p>`}
${tested !== undefined && testBox(tested)}
${channels.length === 0 ? html`<p class="box">There is no channel yet, so nobody is told of anything.</p>` : html`<ul class="list">${channels.map((one) => row(visit, one, mayWrite))}</ul>`}
${mayWrite && newLinks()}`;
  return consolePage(visit, { title: "Channels", style: tellStyle, body });
}

function testBox({ channel, answer: { status, notificationResult } }: NonNullable<ChannelsView["tested"]>): Html {
  const isSent = status === "SUCCESS";
  return html`<div class="box ${isSent ? "good" : "bad"}" role="status"><strong>${
    isSent ? `The sample arrived at ${channelName(channel)}.` : `The sample did not arrive at ${channelName(channel)}.`
  }</strong> <span class="answered">It answered: ${notificationResult}</span></div>`;
}

function row(visit: Visit, channel: ChannelRead, mayWrite: boolean): Html {
  const { id, type } = channel;
  const name = channelName(channel);
  const target = channelTarget(channel);
  return html`<li><div class="who"><strong>${name}</strong><span>${channelTypeNames[type]}${target !== name && target !== "" && ` · ${target}`}</span>
<span>${told(channel)}</span><span>${followed(channel)}${mayWrite && html` · <a href="/channels/${id}/checks">Choose checks<span class="hidden"> of ${name}</span></a>`} · <a href="/alerts/sent?channel=${id}">What it sent</a></span></div>
${
  mayWrite &&
  html`<div class="does">${postForm(`/channels/${id}/test`, visit.csrf, html`<button class="quiet">Send a sample<span class="hidden"> to ${name}</span></button>`)}
<a class="button" href="/channels/${id}">Edit<span class="hidden"> ${name}</span></a>
${asksAgain(visit.csrf, `/channels/${id}/delete`, `Delete ${name}? Its subscriptions go with it.`, "Delete", name)}</div>`
}</li>`;
}

/** `Failures, recoveries` */
function told({ sendFailure, sendRecovery, sendDegraded, sslExpiry, sslExpiryThreshold }: ChannelRead): string {
  const parts = [
    sendFailure && "failures",
    sendRecovery && "recoveries",
    sendDegraded && "degradations",
    sslExpiry && `certificates ${countText(sslExpiryThreshold, "day")} before they expire`,
  ].filter((part) => part !== false);
  const text = parts.join(", ");
  return text === "" ? "Tells nothing: all of it is switched off" : text.charAt(0).toUpperCase() + text.slice(1);
}

function followed({ subscriptions, autoSubscribe }: ChannelRead): Html {
  const active = subscriptions.filter(({ activated }) => activated);
  const groups = active.filter(({ groupId }) => groupId !== null).length;
  const checks = active.length - groups;
  const counted = [checks > 0 && countText(checks, "check"), groups > 0 && countText(groups, "group")].filter((part) => part !== false);
  const later = autoSubscribe && "every new one";
  if (counted.length === 0) return autoSubscribe ? html`Of ${later}` : html`${stateLabel("warn", "No check is subscribed")}`;
  return html`Of ${[...counted, ...(later ? [later] : [])].join(", ")}`;
}

function newLinks(): Html {
  return html`<section class="more"><h2>New channel</h2><ul class="ranges">${AlertChannelType.options.map(
    (type) => html`<li><a href="/channels/new?type=${type}">${channelTypeNames[type]}</a></li>`,
  )}</ul></section>`;
}
