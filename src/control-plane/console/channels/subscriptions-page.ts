import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { countText } from "../../pages/public/units.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import { doneBox } from "../done-box.ts";
import { checkbox } from "../form-inputs.ts";
import { hidden, postForm } from "../form-view.ts";
import type { Filter } from "../overview/filter.ts";
import { addressWith, pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { type ChannelRead, channelName } from "./channel-words.ts";
import { activeTargets, type Target } from "./subscription-form.ts";

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

const style = `${tellStyle}
.ticks { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 0 1.5rem; border: 1px solid var(--line); border-radius: 10px; padding: .6rem 1rem; }
.every { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1.1rem; }
.form.targets { max-width: none; }
`;

/** Which checks and groups a channel tells of, to be ticked; those that a filter finds also all at once. */
export function subscriptionsPage(visit: Visit, view: SubscriptionsView): FormAnswer {
  const { channel, filter, checks, total, groups, done } = view;
  const path = `/channels/${channel.id}/checks`;
  const name = channelName(channel);
  const active = activeTargets(channel);
  const query = { q: filter.words, tag: filter.tag ?? "" };
  const where = html`${hidden("q", query.q)}${hidden("tag", query.tag)}${hidden("page", String(filter.page))}`;
  const content = html`${where}
${groups.length > 0 && html`<section><h2>Groups</h2><p class="hint">With all checks that are in them now and later.</p><div class="ticks">${groups.map((group) => tick(`group:${group.id}`, group.name, active))}</div></section>`}
<section><h2>Checks</h2>${checks.length === 0 ? html`<p class="box">There are no such checks.</p>` : html`<div class="ticks">${checks.map(({ uuid, name: of }) => tick(`check:${uuid}`, of, active))}</div>`}</section>
<div class="send"><button>Save what is ticked</button><a href="/channels">Cancel</a></div>`;
  const body = html`<p class="crumbs"><a href="/channels">Channels</a> / <a href="/channels/${channel.id}">${name}</a></p>
<h1>What ${name} tells of</h1>
${doneBox({ saved: "The subscriptions are saved; they count from now on." }, done)}
<p class="lead">${countText(active.size, "check or group", "checks and groups")} now.${channel.autoSubscribe && " Every new one is subscribed by itself."}</p>
${filterForm(path, view)}
${total > 0 && everyForm(visit, path, where, view)}
${postForm(path, visit.csrf, content, "form targets")}
${pageLinks({ ...view, page: filter.page, path, query, noun: "check" })}`;
  return consolePage(visit, { title: `What ${name} tells of`, style, body });
}

function tick(target: Target, label: string, active: ReadonlySet<Target>): Html {
  return html`${hidden("shown", target)}${checkbox({ name: "target", value: target, label, isOn: active.has(target) })}`;
}

function filterForm(path: string, { filter, tags }: SubscriptionsView): Html {
  const isAll = filter.words === "" && filter.tag === null;
  return html`<form class="filter" method="get" action="${path}" aria-label="Filter">
<label><span class="hidden">Words of the name</span><input name="q" value="${filter.words}" placeholder="Words of the name" autocomplete="off"></label>
<label><span class="hidden">Tag</span><select name="tag"><option value="">All tags</option>${tags.map((tag) => html`<option${tag === filter.tag && html` selected`}>${tag}</option>`)}</select></label>
<button class="quiet">Filter</button>${!isAll && html`<a class="button" href="${addressWith(path, {})}">All checks</a>`}</form>`;
}

/** Of many checks nobody ticks each. */
function everyForm({ csrf }: Visit, path: string, where: Html, { total, filter }: SubscriptionsView): Html {
  const isAll = filter.words === "" && filter.tag === null;
  const which = isAll ? `all ${countText(total, "check")}` : `${countText(total, "check")} found`;
  return postForm(
    path,
    csrf,
    html`${where}<div class="every"><button class="quiet" name="every" value="on">Subscribe to ${which}</button><button class="quiet" name="every" value="off">Take ${which} away</button></div>`,
  );
}
