import type { AlertFacts } from "#domain/alerting/alert-facts.ts";
import { alertUuid, resultUuidOf } from "../ids.ts";
import type { ToldAlert } from "../storage/storage.ts";

/** What a message says of an alert that was stored. */
export function factsOfAlert(alert: ToldAlert, publicUrl: string): AlertFacts {
  const resultId = resultIdOf(alert);
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
    status: alert.statusCode === null ? null : { code: Number(alert.statusCode), text: "" },
    startedAtMs: alert.startedAtMs,
    link: resultId === null ? null : `${publicUrl}/v1/check-results/${alert.checkUuid}/${resultId}`,
    reminder: alert.reminder,
    certificate: null,
    errorGroup: alert.sameError && { occurrences: alert.sameError.alerts, firstSeenMs: alert.sameError.firstSeenMs },
    agentProblem: null,
  };
}

export function resultIdOf({ result }: Pick<ToldAlert, "result">): string | null {
  return result && resultUuidOf(result);
}
