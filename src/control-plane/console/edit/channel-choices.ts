import { channelTexts } from "../../texts/channels.ts";
import { checkFormTexts as texts } from "../../texts/check-form.ts";
import { type Html, html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import { allChannels, channelName } from "../channels/channel-words.ts";
import type { Visit } from "../visit.ts";

/** A channel that a check can be subscribed to. */
export interface ChannelChoice {
  readonly id: number;
  readonly name: string;
  /** It wants every new check. */
  readonly autoSubscribe: boolean;
}

interface Subscription {
  readonly alertChannelId: number;
  readonly activated: boolean;
}

export async function channelChoices(ask: Ask, visit: Visit): Promise<readonly ChannelChoice[]> {
  const channels = await allChannels(ask, visit);
  return channels.map((channel) => ({
    id: channel.id,
    autoSubscribe: channel.autoSubscribe,
    name: `${channelName(channel)} (${channelTexts.types[channel.type]})`,
  }));
}

/** The subscriptions that a new check begins with: to the channels that want every check, and to no others. */
export function startChannels(channels: readonly ChannelChoice[]): readonly Subscription[] {
  return channels.filter(({ autoSubscribe }) => autoSubscribe).map(({ id }) => ({ alertChannelId: id, activated: true }));
}

/** Ticks for the channels that a check alerts, and more below them. `subscriptions` are as a body has them. */
export function channelFieldset(channels: readonly ChannelChoice[], subscriptions: unknown, problem: string | undefined, more: Html): Html {
  const chosen = new Set(listOf(subscriptions).flatMap(({ alertChannelId, activated }) => (activated ? alertChannelId : [])));
  const tick = ({ id, name }: ChannelChoice): Html =>
    html`<input type="hidden" name="${shown}" value="${id}"><label class="flag"><input type="checkbox" name="${ticked}" value="${id}"${chosen.has(id) && html` checked`}> ${name}</label>`;
  return html`<fieldset id="${channelsId}"><legend>${texts.whomItAlerts}</legend>${problem !== undefined && html`<p class="problem">${problem}</p>`}
${channels.length === 0 ? html`<p class="hint">${texts.noChannel((text) => html`<a href="/channels">${text}</a>`)}</p>` : channels.map(tick)}${more}</fieldset>`;
}

export const channelsId = "alert-channels";
const ticked = "alertChannels";
/** Channels that the form showed: what came since stays as it is. */
const shown = "alertChannels.shown";

/** The body with the subscriptions that were chosen; as it is where the form showed no channel. */
export function withChannels<Body extends object>(body: Body, form: URLSearchParams, before: unknown): Body {
  const asked = new Set(form.getAll(shown).map(Number));
  if (asked.size === 0) return body;
  const chosen = form.getAll(ticked).map(Number);
  const kept = listOf(before).filter(
    ({ alertChannelId, activated }) => !asked.has(alertChannelId) || (!activated && !chosen.includes(alertChannelId)),
  );
  return { ...body, alertChannelSubscriptions: [...kept, ...chosen.map((id) => ({ alertChannelId: id, activated: true }))] };
}

/** The same for something new that would join channels which nobody names: what the form showed and nobody ticked is named as not wanted. */
export function withUnticked(subscriptions: unknown, form: URLSearchParams): readonly Subscription[] {
  const chosen = listOf(subscriptions);
  const left = form.getAll(shown).map(Number);
  const unticked = [...new Set(left)].filter((id) => !chosen.some(({ alertChannelId }) => alertChannelId === id));
  return [...chosen, ...unticked.map((id) => ({ alertChannelId: id, activated: false }))];
}

/** Of a stored check, or as `withChannels` wrote them. */
function listOf(subscriptions: unknown): readonly Subscription[] {
  return Array.isArray(subscriptions) ? (subscriptions as readonly Subscription[]) : [];
}
