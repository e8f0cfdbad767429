import type { NotificationStatus } from "#contract/alert-notifications.ts";
import type { CheckAlertType } from "#contract/check-alerts.ts";
import { type Html, html } from "../view/html.ts";
import { countText } from "../view/units.ts";

/** What an alert says, in a word or two. */
const said: Readonly<Record<CheckAlertType, string>> = {
  NO_ALERT: "Nothing told",
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
  SUCCESS: "Sent",
  FAILURE: "Not sent",
  RATE_LIMITED: "Held back",
  IN_PROGRESS: "Being sent",
};

/** Every English text of the lists of alerts and of what was sent. */
export const alertTexts = {
  alerts: "Alerts",
  sent: "What was sent",
  kinds: "Kinds of alerts",
  all: "All",
  kindNames: { failures: "Failures", degradations: "Degradations", recoveries: "Recoveries", certificates: "Certificates" },
  ofCheck: (check: Html, allChecks: Html): Html => html`Of ${check} alone · ${allChecks}`,
  allChecks: "All checks",
  none: "Nobody had to be told of anything.",
  noneSuch: "There are no such alerts.",
  noneSent: "There are no such notifications.",
  emptyPage: "There is nothing on this page.",
  countedAlerts: (count: number) => countText(count, "alert"),
  countedNotifications: (count: number) => countText(count, "notification"),
  said,
  arrivals,
  reminder: (number: number) => `reminder ${number}`,
  failedRuns: (count: number) => `${countText(count, "run")} did not pass`,
  run: "Its run",
  onlyCheck: "Only this check",
  toNobody: "Sent to nobody",
  deletedChannel: (id: number) => `Channel ${id}, deleted`,
  givenUp: "Given up",
  noneGivenUp: "No channel gave anything up.",
  notice: "Notice",
  sendAgain: (channel: string) => `Send again to ${channel}`,
  tried: (attempts: number, since: Html): Html => html`tried ${countText(attempts, "time")} since ${since}`,
  gaveUpOn: (channel: string) => `${channel} could not be told`,
  channel: "Channel",
  allChannels: "Channel: all",
  whetherSent: "Whether it arrived",
  sentOrNot: "Sent or not",
  notSent: "Not sent",
  ofIts: (check: Html): Html => html`of ${check}`,
  unnamedCheck: "its check",
  notices: {
    AGENTS_SILENT: "no agent of the location is heard of",
    AGENTS_BACK: "agents of the location are back",
    NO_DATA: "a check has no data from the location",
    DATA_AGAIN: "a check has data from the location again",
  },
} as const;
