import { createStatusPageSubscriptions, deleteStatusPageSubscription } from "#contract/status-pages/subscriptions.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { SubscriberStore } from "../../storage/storage.ts";
import type { Ask } from "../ask.ts";
import { findStored } from "../kind-pages.ts";
import { pageOf } from "../page-links.ts";
import { typed } from "../people/person-fields.ts";
import { refusedFields } from "../refused-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { pathOf, type SubscribersView, subscribersPage } from "./subscribers-page.ts";

export interface SubscriberPageDeps {
  readonly subscribers: Pick<SubscriberStore, "ofPage">;
  readonly canSendMail: boolean;
}

const pageSize = 50;

/** Who follows a status page. */
export function subscriberPages(ask: Ask, deps: SubscriberPageDeps): readonly ConsolePage[] {
  const all = "/pages/status/{statusPageId}/subscribers";
  return [
    { method: "GET", path: all, access: "read", answer: (visit) => list(ask, deps, visit, { done: visit.request.query.get("done") }) },
    { method: "POST", path: all, access: "write", answer: (visit) => add(ask, deps, visit) },
    { method: "POST", path: `${all}/{subscriptionId}/remove`, access: "write", answer: (visit) => remove(ask, visit) },
  ];
}

async function list(
  ask: Ask,
  { subscribers, canSendMail }: SubscriberPageDeps,
  visit: Visit,
  view: Partial<SubscribersView>,
): Promise<FormAnswer> {
  const page = await findStored(ask, visit, "status-page");
  const { query } = visit.request;
  const [search, at] = [(query.get("q") ?? "").trim(), pageOf(query)];
  const followers = await subscribers.ofPage(visit.account.id, page.id, { search, page: at, limit: pageSize });
  return subscribersPage(visit, { page, ...followers, search, at, pageSize, canSendMail, ...view });
}

async function add(ask: Ask, deps: SubscriberPageDeps, visit: Visit): Promise<FormAnswer> {
  const page = await findStored(ask, visit, "status-page");
  const { form } = visit.request;
  const addresses = typed(form, "subscriptions");
  const autoVerify = form.has("autoVerify");
  const subscriptions = addresses.split(/\s+/).flatMap((config) => (config === "" ? [] : [{ type: "EMAIL", config }]));
  try {
    await ask(visit, createStatusPageSubscriptions, { params: { statusPageId: page.id }, body: { subscriptions, autoVerify } });
    return redirect(`${pathOf(page)}?done=subscribed`);
  } catch (error) {
    return list(ask, deps, visit, { addresses, autoVerify, problems: refusedFields(error, ["subscriptions"]), status: 400 });
  }
}

async function remove(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const page = await findStored(ask, visit, "status-page");
  const { subscriptionId = "" } = visit.request.params;
  await ask(visit, deleteStatusPageSubscription, { params: { statusPageId: page.id, subscriptionId } });
  return redirect(`${pathOf(page)}?done=removed`);
}
