import type { NotificationStatus } from "#contract/alert-notifications.ts";
import type { CheckAlertType } from "#contract/check-alerts.ts";
import { type Html, html } from "../view/html.ts";
import { countText, numberText } from "../view/units.ts";
import { episodeTexts } from "./episodes.ts";

/** What an alert says, in a word or two. */
const said: Readonly<Record<CheckAlertType, string>> = {
  NO_ALERT: "No alert",
  ALERT_FAILURE: "Failing",
  ALERT_FAILURE_REMAIN: "Still failing",
  ALERT_FAILURE_DEGRADED: "Degraded after failing",
  ALERT_RECOVERY: "Recovered",
  ALERT_DEGRADED: "Degraded",
  ALERT_DEGRADED_REMAIN: "Still degraded",
  ALERT_DEGRADED_FAILURE: "Failing after degraded",
  ALERT_DEGRADED_RECOVERY: "Recovered",
  ALERT_SSL: "Certificate",
};

/** Whether a notification arrived. */
const arrivals: Readonly<Record<NotificationStatus, string>> = {
  SUCCESS: "Delivered",
  FAILURE: "Failed",
  RATE_LIMITED: "Rate limited",
  IN_PROGRESS: "Sending",
};

/** Every English text of the lists of alerts and of what was sent. */
export const alertTexts = {
  alerts: "Alerts",
  log: "Alert log",
  sent: "Delivery log",
  kinds: "Alert types",
  all: "All",
  kindNames: { failures: "Failures", degradations: "Degradations", recoveries: "Recoveries", certificates: "Certificates" },
  ofCheck: (check: Html, allChecks: Html): Html => html`Only ${check} · ${allChecks}`,
  allChecks: "All checks",
  none: "No alerts yet.",
  noneSuch: "No alerts match.",
  noneSent: "No deliveries match.",
  emptyPage: "This page is empty.",
  countedAlerts: (count: number) => countText(count, "alert"),
  countedNotifications: (count: number) => countText(count, "delivery", "deliveries"),
  said,
  arrivals,
  reminder: (number: number) => `reminder ${number}`,
  failedRuns: episodeTexts.failedRuns,
  run: "View run",
  onlyCheck: "Filter by this check",
  toNobody: "No channel",
  deletedChannel: (id: number) => `Deleted channel ${id}`,
  givenUp: "Not delivered",
  noneGivenUp: "No delivery failed.",
  hadNoChannel: (without: number, latest: number, channels: Html): Html =>
    html`${without === latest ? (latest === 1 ? "The latest alert" : `All of the latest ${numberText(latest)} alerts`) : `${numberText(without)} of the latest ${numberText(latest)} alerts`} had no channel, so nobody was told. ${channels}`,
  toChannels: "Alert channels",
  notice: "Notice",
  sendAgain: (channel: string) => `Resend to ${channel}`,
  tried: (attempts: number, since: Html): Html => html`${countText(attempts, "attempt")} since ${since}`,
  gaveUpOn: (channel: string) => `Delivery to ${channel} failed`,
  channel: "Channel",
  allChannels: "All channels",
  whetherSent: "Delivery status",
  sentOrNot: "Any status",
  notSent: "Failed",
  httpStatus: (code: string) => `HTTP ${code}`,
  ofIts: (check: Html): Html => html`for ${check}`,
  unnamedCheck: "the check",
  notices: {
    AGENTS_SILENT: "no agent is connected at the location",
    AGENTS_BACK: "agents are connected at the location again",
    NO_DATA: "a check has no results from the location",
    DATA_AGAIN: "a check has results from the location again",
  },
} as const;
