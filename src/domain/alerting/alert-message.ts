import type { TemplateValue } from "../templates/template-value.ts";
import { type AlertFact } from "./alert-fact.ts";
import type { AlertFacts } from "./alert-facts.ts";
import { factsOf } from "./alert-lines.ts";
import { alertVariables } from "./alert-variables.ts";
import { oneLine } from "./plain-text.ts";

/** What a channel tells: the same for every kind of channel, each writes it in its own format. All texts are plain and without control characters. */
export interface AlertMessage {
  /** One line. */
  readonly title: string;
  /** Lines, with `\n` between them. */
  readonly text: string;
  readonly severity: AlertSeverity;
  /** `#rrggbb`, the same for mail and chats. */
  readonly color: string;
  readonly facts: readonly AlertFact[];
  readonly link: string | null;
  /** Mails of one thread have the same. */
  readonly thread: string;
  /** Incidents of paging services are opened and resolved under it. */
  readonly dedupKey: string;
  /** Of a list: keys of incidents of their own that are over with it. */
  readonly resolves: readonly string[];
  readonly atMs: number;
  readonly source: string;
  readonly tags: readonly string[];
  /** What webhook templates are filled from (behaviour 2.7). */
  readonly variables: Readonly<Record<string, TemplateValue>>;
}

export type AlertSeverity = "critical" | "warning" | "resolved";

type AlertType = AlertFacts["alertType"];

const severities: Readonly<Record<AlertType, AlertSeverity>> = {
  ALERT_FAILURE: "critical",
  ALERT_FAILURE_REMAIN: "critical",
  ALERT_DEGRADED_FAILURE: "critical",
  ALERT_FAILURE_DEGRADED: "warning",
  ALERT_DEGRADED: "warning",
  ALERT_DEGRADED_REMAIN: "warning",
  ALERT_SSL: "warning",
  ALERT_RECOVERY: "resolved",
  ALERT_DEGRADED_RECOVERY: "resolved",
};

export const severityColors: Readonly<Record<AlertSeverity, string>> = { critical: "#d13212", warning: "#e8a200", resolved: "#2e8540" };

const happenings: Readonly<Record<Exclude<AlertType, "ALERT_SSL">, string>> = {
  ALERT_FAILURE: "has failed",
  ALERT_FAILURE_REMAIN: "is still failing",
  ALERT_DEGRADED_FAILURE: "was degraded and has failed",
  ALERT_FAILURE_DEGRADED: "was failing and is degraded",
  ALERT_DEGRADED: "is degraded",
  ALERT_DEGRADED_REMAIN: "is still degraded",
  ALERT_RECOVERY: "has recovered",
  ALERT_DEGRADED_RECOVERY: "has recovered from being degraded",
};

/** What is told of one alert. */
export function alertMessage(alert: AlertFacts): AlertMessage {
  const title = alertTitle(alert);
  const severity = severities[alert.alertType];
  const facts = factsOf(alert);
  const kind = alert.alertType === "ALERT_SSL" ? "certificate" : "check";
  return {
    title,
    text: [title, ...facts.map(({ name, value }) => `${name}: ${value}`)].join("\n"),
    severity,
    color: severityColors[severity],
    facts,
    link: alert.link,
    thread: alert.check.id,
    dedupKey: `outpost-${kind}-${alert.check.id}`,
    resolves: [],
    atMs: alert.startedAtMs,
    source: oneLine(alert.check.name, 200),
    tags: alert.check.tags.map((tag) => oneLine(tag, 200)),
    variables: alertVariables(alert, title),
  };
}

/** `Shop has failed in Frankfurt`; what is no statement about the target says so first. */
export function alertTitle(alert: AlertFacts): string {
  const { check, certificate, agentProblem, alertType } = alert;
  const name = oneLine(check.name, 200);
  if (agentProblem !== null) return oneLine(`${name} is not being checked: ${agentProblem}`, 300);
  if (alertType === "ALERT_SSL") return `${name}: ${certificateSentence(certificate)}`;
  return `${name} ${happenings[alertType]}`;
}

function certificateSentence(certificate: AlertFacts["certificate"]): string {
  if (certificate === null) return "its certificate expires soon";
  const { domain, daysRemaining: days } = certificate;
  const when = days < 0 ? "has expired" : days === 0 ? "expires today" : `expires in ${days} ${days === 1 ? "day" : "days"}`;
  return `the certificate of ${oneLine(domain, 253)} ${when}`;
}

export function severityOf(alert: Pick<AlertFacts, "alertType">): AlertSeverity {
  return severities[alert.alertType];
}
