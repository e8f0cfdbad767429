import { sendGivenUpAgain } from "#contract/alert-channels.ts";
import { type AlertNotification, listAlertNotifications, listGivenUpAlerts } from "#contract/alert-notifications.ts";
import { type CheckAlert, listAlertsOfCheck, listCheckAlerts } from "#contract/check-alerts.ts";
import { getCheckV1 } from "#contract/checks/operations.ts";
import { roleAllows } from "#domain/key.ts";
import type { CheckIndexStore } from "../../storage/storage.ts";
import type { Ask } from "../ask.ts";
import { pageOf } from "../page-links.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { alertsPage } from "./alerts-page.ts";
import { type EpisodePageDeps, episodePages, namesOf } from "./episode-pages.ts";
import { givenUpPage } from "./given-up-page.ts";
import { alertKindOf, alertKinds } from "./said-by.ts";
import { sentPage } from "./sent-page.ts";

const pageSize = 25;

/** Of these the page of what was not delivered tells how many had no channel. */
const latestAtMost = 100;

export interface AlertPageDeps extends EpisodePageDeps {
  readonly checkIndex: Pick<CheckIndexStore, "byUuids">;
}

/** What people were to be told, and what was sent to whom. */
export function alertPages(ask: Ask, deps: AlertPageDeps): readonly ConsolePage[] {
  return [
    ...episodePages(ask, deps),
    { method: "GET", path: "/alerts/log", access: "read", answer: (visit) => showAlerts(ask, visit) },
    { method: "GET", path: "/alerts/sent", access: "read", answer: (visit) => showSent(ask, deps, visit) },
    { method: "GET", path: "/alerts/given-up", access: "read", answer: (visit) => showGivenUp(ask, visit) },
    { method: "POST", path: "/alerts/given-up", access: "write", answer: (visit) => sendAgain(ask, visit) },
  ];
}

async function showAlerts(ask: Ask, visit: Visit) {
  const { query } = visit.request;
  const kind = alertKindOf(query.get("kind") ?? "");
  const page = pageOf(query);
  const wanted = { limit: String(pageSize), page: String(page), ...(kind !== null && { alertType: alertKinds[kind] }) };
  const checkId = query.get("check") || null;
  const check = checkId === null ? null : await ask(visit, getCheckV1, { params: { id: checkId } });
  const { items, total } =
    checkId === null
      ? await ask(visit, listCheckAlerts, { query: wanted })
      : await ask(visit, listAlertsOfCheck, { params: { checkId }, query: wanted });
  const [sent, names] = await Promise.all([sentOf(ask, visit, items), namesOf(ask, visit)]);
  return alertsPage(visit, { alerts: items, total, page, pageSize, kind, check, sent, names });
}

/** By alert; what was sent last comes first. */
async function sentOf(
  ask: Ask,
  visit: Visit,
  alerts: readonly CheckAlert[],
): Promise<ReadonlyMap<string | undefined, readonly AlertNotification[]>> {
  const sent: AlertNotification[] = [];
  for (let page = 1; alerts.length > 0; page += 1) {
    const query = { checkAlertId: alerts.map(({ id }) => id), limit: "100", page: String(page) };
    const { items, total } = await ask(visit, listAlertNotifications, { query });
    sent.push(...items);
    if (items.length === 0 || sent.length >= total) break;
  }
  return Map.groupBy(sent, ({ checkAlertId }) => checkAlertId);
}

async function showSent(ask: Ask, { checkIndex }: AlertPageDeps, visit: Visit) {
  const { query } = visit.request;
  const page = pageOf(query);
  const channels = await namesOf(ask, visit);
  const asked = query.get("channel") ?? "";
  const channel = /^[1-9]\d{0,14}$/.test(asked) ? asked : "";
  const failed = query.get("failed") === "true";
  const wanted = {
    limit: String(pageSize),
    page: String(page),
    ...(channel !== "" && { alertChannelId: channel }),
    ...(failed && { hasFailures: "true" }),
  };
  const { items, total } = await ask(visit, listAlertNotifications, { query: wanted });
  const shown = new Set(items.flatMap(({ checkId }) => checkId ?? []));
  const checks = new Map((await checkIndex.byUuids(visit.account.id, [...shown])).map(({ uuid, name }) => [uuid, name]));
  return sentPage(visit, { sent: items, total, page, pageSize, channel, failed, channels, checks });
}

async function showGivenUp(ask: Ask, visit: Visit) {
  const page = pageOf(visit.request.query);
  const query = { limit: String(pageSize), page: String(page) };
  const [{ items, total }, channels] = await Promise.all([ask(visit, listGivenUpAlerts, { query }), namesOf(ask, visit)]);
  const unsent = total > 0 ? { without: 0, latest: 0 } : await unsentOf(ask, visit);
  return givenUpPage(visit, { alerts: items, total, page, pageSize, channels, maySend: roleAllows(visit.role, "write"), unsent });
}

/** That no delivery failed does not mean that somebody was told. */
async function unsentOf(ask: Ask, visit: Visit) {
  const { items } = await ask(visit, listCheckAlerts, { query: { limit: String(latestAtMost), page: "1" } });
  const sent = await sentOf(ask, visit, items);
  return { without: items.filter(({ id }) => !sent.has(id)).length, latest: items.length };
}

async function sendAgain(ask: Ask, visit: Visit) {
  await ask(visit, sendGivenUpAgain, { params: { id: visit.request.form.get("channel") ?? "" } });
  return redirect("/alerts/given-up");
}
