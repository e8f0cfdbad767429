import type { AlertFact } from "./alert-fact.ts";
import type { AlertFacts } from "./alert-facts.ts";
import { oneLine } from "./plain-text.ts";

/** Errors are long where a target answers with a page. */
const maxError = 500;
const maxName = 200;

/** What there is to know of an alert, in the order in which people ask. */
export function factsOf(alert: AlertFacts): readonly AlertFact[] {
  const { check, location, error, status, certificate, errorGroup } = alert;
  const facts: (readonly [string, string | null])[] = [
    ["Error", error === null ? null : oneLine(error, maxError)],
    ["Step", alert.failedStep === null ? null : oneLine(alert.failedStep, maxName)],
    ["Seen before", errorGroup === null || errorGroup.occurrences < 2 ? null : seenBefore(errorGroup)],
    ["Status", status === null ? null : oneLine(`${status.code} ${status.text}`, maxName)],
    ["Certificate of", certificate === null ? null : oneLine(certificate.domain, maxName)],
    ["Response time", alert.resultId === null ? null : `${alert.responseTimeMs} ms`],
    ["Location", oneLine(location.name, maxName)],
    ["Check type", check.type],
    ["Group", alert.groupName === null ? null : oneLine(alert.groupName, maxName)],
    ["Tags", check.tags.length === 0 ? null : oneLine(check.tags.join(", "), maxName)],
    ["Started", instantText(alert.startedAtMs)],
    ["Reminder", alert.reminder === 0 ? null : String(alert.reminder)],
    ["Screenshot", alert.screenshotLink],
    ["Result", alert.link],
    [respond.name, alert.respondLink],
  ];
  const links = new Set([alert.link, alert.screenshotLink, alert.respondLink]);
  return facts.flatMap(([name, value]) => {
    if (value === null || value === "") return [];
    return { name, value, isLink: links.has(value), ...(name === respond.name && { label: respond.label }) };
  });
}

/** The link by which a reader of the message acknowledges or snoozes the episode. */
export const respond = { name: "Respond", label: "Acknowledge or snooze" } as const;

function seenBefore({ occurrences, firstSeenMs }: NonNullable<AlertFacts["errorGroup"]>): string {
  return `${occurrences} times since ${instantText(firstSeenMs)}`;
}

/** `2026-11-22 09:17:43 UTC` */
export function instantText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
