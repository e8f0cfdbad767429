import { STATUS_CODES } from "node:http";
import { traitsOf } from "#contract/checks/traits.ts";
import type { AlertFacts } from "#domain/alerting/alert-facts.ts";
import { alertUuid, resultUuidOf } from "../kinds/ids.ts";
import type { ToldAlert } from "../storage/storage.ts";

/** What a message says of an alert that was stored. */
export function factsOfAlert(
  alert: ToldAlert,
  publicUrl: string,
  /** Where the reader of a message acknowledges an episode; of an alert that began at this time. */
  respondLink: (episodeId: number, atMs: number) => string,
): AlertFacts {
  const resultId = resultIdOf(alert);
  const link = resultId === null ? null : `${publicUrl}/checks/${alert.checkUuid}/results/${resultId}`;
  return {
    alertId: alertUuid(alert),
    // Only what is told is stored.
    alertType: alert.alertType as AlertFacts["alertType"],
    check: { id: alert.checkUuid, name: alert.name, type: alert.checkType, description: alert.description, tags: alert.tags },
    groupName: alert.groupName,
    location: { code: alert.runLocation, name: alert.locationName },
    resultId,
    error: alert.error,
    responseTimeMs: alert.responseTime,
    status: alert.statusCode === null ? null : { code: Number(alert.statusCode), text: alert.statusText ?? standardText(alert) },
    startedAtMs: alert.startedAtMs,
    link,
    failedStep: alert.failedStep,
    screenshotLink: link !== null && alert.hasScreenshot ? `${link}#screenshot` : null,
    respondLink: alert.openEpisodeId === null ? null : respondLink(alert.openEpisodeId, alert.createdAtMs),
    reminder: alert.reminder,
    certificate: alert.certificate,
    errorGroup: alert.sameError && { occurrences: alert.sameError.alerts, firstSeenMs: alert.sameError.firstSeenMs },
    agentProblem: null,
  };
}

/** Answers over HTTP/2 have no text, and reminders are told without it. */
function standardText({ checkType, statusCode }: ToldAlert): string {
  return traitsOf(checkType).request === "http" ? (STATUS_CODES[Number(statusCode)] ?? "") : "";
}

export function resultIdOf({ result }: Pick<ToldAlert, "result">): string | null {
  return result && resultUuidOf(result);
}
