import { listPrivateLocations } from "#contract/private-locations.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { CheckIndexStore } from "../../storage/storage.ts";
import { findTexts as texts } from "../../texts/find.ts";
import { type Html, html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import { allChannels, channelName } from "../channels/channel-words.ts";
import { allGroups } from "../groups/all-groups.ts";
import { addressOf, filterOf, wordsOf } from "../overview/filter.ts";
import { wantedOf } from "../overview/listing.ts";
import { consolePage, findablePages } from "../shell.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import { allowedTo, type Findable, type Found, matching } from "./found.ts";

export interface FindPageDeps {
  readonly checkIndex: Pick<CheckIndexStore, "ofAccount">;
}

const mostChecks = 12;

/** One field that leads everywhere; the script asks for the list alone. */
export function findPage(ask: Ask, deps: FindPageDeps): ConsolePage {
  return {
    method: "GET",
    path: "/find",
    access: "read",
    answer: async (visit) => {
      const { query, headers } = visit.request;
      const words = (query.get("q") ?? "").slice(0, 200);
      const list = foundList(words, await find(ask, deps, visit, words));
      if (headers["accept"] !== "application/json") return wholePage(visit, words, list);
      return { type: "application/json; charset=utf-8", body: JSON.stringify({ html: list.text }) };
    },
  };
}

interface Finding {
  readonly found: readonly Found[];
  /** Of checks, with those that are not shown. */
  readonly checks: number;
}

async function find(ask: Ask, { checkIndex }: FindPageDeps, visit: Visit, query: string): Promise<Finding> {
  const words = wordsOf(query);
  if (words.length === 0) return { found: [], checks: 0 };
  const [all, groups, locations, channels] = await Promise.all([
    checkIndex.ofAccount(visit.account.id),
    allGroups(ask, visit),
    ask(visit, listPrivateLocations),
    allChannels(ask, visit),
  ]);
  const checks = wantedOf(all, { ...filterOf(new URLSearchParams()), words: query });
  const pages: readonly Findable[] = [
    ...findablePages(),
    ...Object.entries(texts.acts).map(([href, name]): Findable => ({ kind: "act", name, href, access: "write" })),
  ];
  return {
    checks: checks.length,
    found: [
      ...matching(allowedTo(visit.role, pages), words),
      ...ordered(checks, words).map(({ name, uuid }): Found => ({ kind: "check", name, href: `/checks/${uuid}` })),
      ...matching(groups, words).map(({ id, name }): Found => ({ kind: "group", name, href: `/groups/${id}` })),
      ...matching(locations, words).map(({ id, name }): Found => ({ kind: "location", name, href: `/locations/${id}` })),
      ...matching(
        channels.map((channel): Found => ({ kind: "channel", name: channelName(channel), href: `/channels/${channel.id}` })),
        words,
      ),
    ],
  };
}

/** Checks are found by more than their names: those whose names match come first. */
function ordered<One extends { readonly name: string }>(checks: readonly One[], words: readonly string[]): readonly One[] {
  const byName = matching(checks, words);
  const rest = checks.slice(0, mostChecks + byName.length).filter((check) => !byName.includes(check));
  return [...byName, ...rest].slice(0, mostChecks);
}

function foundList(words: string, { found, checks }: Finding): Html {
  if (wordsOf(words).length === 0) return html`<div><p class="hint">${texts.begin}</p></div>`;
  const shown = found.filter(({ kind }) => kind === "check").length;
  const all = addressOf(filterOf(new URLSearchParams()), { words });
  return html`<div>${found.length === 0 && html`<p class="hint" role="status">${texts.nothing}</p>`}
<ul class="found">${found.map(({ kind, name, href }) => html`<li><a href="${href}"><span>${name}</span><small>${texts.kinds[kind]}</small></a></li>`)}
${checks > shown && html`<li><a href="${all}"><span>${texts.moreChecks(checks)}</span></a></li>`}</ul></div>`;
}

function wholePage(visit: Visit, words: string, list: Html): FormAnswer {
  const body = html`<h1>${texts.title}</h1><form class="find" role="search" method="get" action="/find">
<label for="q" class="hidden">${texts.label}</label><input id="q" type="search" name="q" value="${words}" maxlength="200" placeholder="${texts.label}" autofocus><button>${texts.open}</button></form>
${list}`;
  return consolePage(visit, { title: texts.title, body });
}
