import type { FormAnswer } from "../../http/form-routes.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import { actionTexts } from "../../texts/actions.ts";
import { channelTexts, subscriptionTexts as texts } from "../../texts/channels.ts";
import { type Html, html } from "../../view/html.ts";
import { doneBox } from "../done-box.ts";
import { checkbox } from "../form-inputs.ts";
import { hidden, postForm } from "../form-view.ts";
import type { Filter } from "../overview/filter.ts";
import { addressWith, pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { type ChannelRead, channelName } from "./channel-words.ts";
import { activeTargets, type Target } from "./subscription-form.ts";
import { subscriptionsStyle } from "./subscriptions-style.ts";

interface SubscriptionsView {
  readonly channel: ChannelRead;
  readonly filter: Filter;
  /** Of this page. */
  readonly checks: readonly IndexedCheck[];
  /** Of all pages. */
  readonly total: number;
  readonly pageSize: number;
  readonly groups: readonly { readonly id: number; readonly name: string }[];
  /** To choose from. */
  readonly tags: readonly string[];
  readonly done: string | null;
}

/** Which checks and groups a channel tells of, to be ticked; those that a filter finds also all at once. */
export function subscriptionsPage(visit: Visit, view: SubscriptionsView): FormAnswer {
  const { channel, filter, checks, total, groups, done } = view;
  const path = `/channels/${channel.id}/checks`;
  const name = channelName(channel);
  const active = activeTargets(channel);
  const query = { q: filter.words, tag: filter.tag ?? "" };
  const where = html`${hidden("q", query.q)}${hidden("tag", query.tag)}${hidden("page", String(filter.page))}`;
  const content = html`${where}
${groups.length > 0 && html`<section><h2>${texts.groups}</h2><p class="hint">${texts.groupsHint}</p><div class="ticks">${groups.map((group) => tick(`group:${group.id}`, group.name, active))}</div></section>`}
<section><h2>${texts.checks}</h2>${checks.length === 0 ? html`<p class="box">${texts.noChecks}</p>` : html`<div class="ticks">${checks.map(({ uuid, name: of }) => tick(`check:${uuid}`, of, active))}</div>`}</section>
<div class="send"><button>${texts.save}</button><a href="/channels">${actionTexts.cancel}</a></div>`;
  const body = html`<p class="crumbs"><a href="/channels">${channelTexts.title}</a> / <a href="/channels/${channel.id}">${name}</a></p>
<h1>${texts.title(name)}</h1>
${doneBox({ saved: texts.saved }, done)}
<p class="lead">${texts.count(active.size)}${channel.autoSubscribe && ` ${texts.everyNew}`}</p>
${filterForm(path, view)}
${total > 0 && everyForm(visit, path, where, view)}
${postForm(path, visit.csrf, content, "form")}
${pageLinks({ ...view, page: filter.page, path, query, counted: texts.counted })}`;
  return consolePage(visit, { title: texts.title(name), style: subscriptionsStyle, body });
}

function tick(target: Target, label: string, active: ReadonlySet<Target>): Html {
  return html`${hidden("shown", target)}${checkbox({ name: "target", value: target, label, isOn: active.has(target) })}`;
}

function filterForm(path: string, { filter, tags }: SubscriptionsView): Html {
  const isAll = filter.words === "" && filter.tag === null;
  return html`<form class="filter" method="get" action="${path}" aria-label="${actionTexts.filter}">
<label><span class="hidden">${texts.words}</span><input name="q" value="${filter.words}" placeholder="${texts.words}" autocomplete="off"></label>
<label><span class="hidden">${texts.tag}</span><select name="tag"><option value="">${texts.allTags}</option>${tags.map((tag) => html`<option${tag === filter.tag && html` selected`}>${tag}</option>`)}</select></label>
<button class="quiet">${actionTexts.filter}</button>${!isAll && html`<a class="button" href="${addressWith(path, {})}">${texts.allChecks}</a>`}</form>`;
}

/** Of many checks nobody ticks each. */
function everyForm({ csrf }: Visit, path: string, where: Html, { total, filter }: SubscriptionsView): Html {
  const isAll = filter.words === "" && filter.tag === null;
  const which = isAll ? texts.all(total) : texts.found(total);
  return postForm(
    path,
    csrf,
    html`${where}<div class="every"><button class="quiet" name="every" value="on">${texts.subscribe(which)}</button><button class="quiet" name="every" value="off">${texts.takeAway(which)}</button></div>`,
  );
}
