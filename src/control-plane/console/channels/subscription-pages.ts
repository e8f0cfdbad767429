import { getAlertChannel, updateAlertChannel } from "#contract/alert-channels.ts";
import { listCheckGroups } from "#contract/check-groups.ts";
import { AppError } from "#domain/app-error.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { CheckIndexStore, IndexedCheck } from "../../storage/storage.ts";
import { channelTexts } from "../../texts/channels.ts";
import type { Ask } from "../ask.ts";
import { type Filter, filterOf, matcherOf } from "../overview/filter.ts";
import { addressWith } from "../page-links.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import type { ChannelRead } from "./channel-words.ts";
import { changedSubscriptions, type Target } from "./subscription-form.ts";
import { subscriptionsPage } from "./subscriptions-page.ts";

export interface SubscriptionPageDeps {
  readonly checkIndex: Pick<CheckIndexStore, "ofAccount">;
}

const access = "write";
const pageSize = 100;

/** Which checks and groups a channel tells of. */
export function subscriptionPages(ask: Ask, deps: SubscriptionPageDeps): readonly ConsolePage[] {
  const path = "/channels/{id}/checks";
  return [
    { method: "GET", path, access, answer: (visit) => show(ask, deps, visit) },
    { method: "POST", path, access, answer: (visit) => save(ask, deps, visit) },
  ];
}

async function show(ask: Ask, deps: SubscriptionPageDeps, visit: Visit): Promise<FormAnswer> {
  const { query } = visit.request;
  const channel = await find(ask, visit);
  const filter = filterOf(query);
  const [all, groups] = await Promise.all([deps.checkIndex.ofAccount(visit.account.id), groupsOf(ask, visit)]);
  const listed = matching(all, filter);
  const page = Math.min(filter.page, Math.max(1, Math.ceil(listed.length / pageSize)));
  return subscriptionsPage(visit, {
    channel,
    filter: { ...filter, page },
    checks: listed.slice((page - 1) * pageSize, page * pageSize),
    total: listed.length,
    pageSize,
    groups: groups.filter(({ name }) => filter.tag === null && hasWords(name, filter)),
    tags: [...new Set(all.flatMap(({ tags }) => tags))].toSorted(byName).slice(0, 200),
    done: query.get("done"),
  });
}

async function save(ask: Ask, deps: SubscriptionPageDeps, visit: Visit): Promise<FormAnswer> {
  const channel = await find(ask, visit);
  const { form } = visit.request;
  const filter = filterOf(form);
  const { type, config, sendFailure, sendRecovery, sendDegraded, sslExpiry, sslExpiryThreshold, retryHours, autoSubscribe } = channel;
  const settings = { type, config, sendFailure, sendRecovery, sendDegraded, sslExpiry, sslExpiryThreshold, retryHours, autoSubscribe };
  const subscriptions = changedSubscriptions(channel, await choiceOf(deps, visit, filter));
  await ask(visit, updateAlertChannel, { params: { id: String(channel.id) }, body: { ...settings, subscriptions } });
  const { words, tag, page } = filter;
  return redirect(
    addressWith(`/channels/${channel.id}/checks`, { q: words, tag: tag ?? "", page: page === 1 ? "" : String(page), done: "saved" }),
  );
}

/** What was ticked of what the form showed; or all checks that the filter finds, on all of its pages. */
async function choiceOf(deps: SubscriptionPageDeps, visit: Visit, filter: Filter) {
  const { form } = visit.request;
  const every = form.get("every");
  if (every === "on" || every === "off") {
    const found = matching(await deps.checkIndex.ofAccount(visit.account.id), filter);
    const targets = new Set(found.map(({ uuid }): Target => `check:${uuid}`));
    return every === "on" ? { on: targets, off: new Set<Target>() } : { on: new Set<Target>(), off: targets };
  }
  const on = new Set(form.getAll("target").filter(isTarget));
  return { on, off: new Set(form.getAll("shown").filter(isTarget)).difference(on) };
}

function isTarget(text: string): text is Target {
  return /^check:[0-9a-f-]{36}$|^group:[1-9]\d{0,14}$/.test(text);
}

function matching(all: readonly IndexedCheck[], { words, tag }: Filter): readonly IndexedCheck[] {
  return all.filter(matcherOf({ words, tag, type: null, group: null })).toSorted((a, b) => byName(a.name, b.name) || a.id - b.id);
}

const collator = new Intl.Collator("en", { numeric: true });
const byName = (a: string, b: string): number => collator.compare(a, b);

function hasWords(name: string, { words }: Filter): boolean {
  const lower = name.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

async function groupsOf(ask: Ask, visit: Visit): Promise<readonly { readonly id: number; readonly name: string }[]> {
  const all: { readonly id: number; readonly name: string }[] = [];
  for (let page = 1; ; page += 1) {
    const { items, total } = await ask(visit, listCheckGroups, { query: { limit: "100", page: String(page) } });
    all.push(...items.map(({ id, name }) => ({ id, name })));
    if (items.length === 0 || all.length >= total) return all.toSorted((a, b) => byName(a.name, b.name));
  }
}

/** @throws {AppError} not_found also for what is no id, and for channels of other accounts */
async function find(ask: Ask, visit: Visit): Promise<ChannelRead> {
  const id = visit.request.params["id"] ?? "";
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new AppError("not_found", channelTexts.missing);
  return ask(visit, getAlertChannel, { params: { id } });
}
