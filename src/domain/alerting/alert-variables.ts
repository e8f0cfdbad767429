import type { TemplateValue } from "../templates/template-value.ts";
import type { AlertFacts } from "./alert-facts.ts";

/** Names as behaviour 2.7 has them. What an alert does not have is an empty text, so that `{{#if X}}` can ask for it. */
export function alertVariables(alert: AlertFacts, title: string): Readonly<Record<string, TemplateValue>> {
  const { check, location, status, certificate, reminder } = alert;
  const values: Readonly<Record<string, TemplateValue | null>> = {
    ALERT_TITLE: title,
    ALERT_TYPE: alert.alertType,
    CHECK_NAME: check.name,
    CHECK_ID: check.id,
    CHECK_TYPE: check.type,
    CHECK_DESCRIPTION: check.description,
    CHECK_RESULT_ID: alert.resultId,
    CHECK_ERROR_MESSAGE: alert.error,
    FAILED_STEP: alert.failedStep,
    SCREENSHOT_LINK: alert.screenshotLink,
    GROUP_NAME: alert.groupName,
    IS_REMINDER: reminder > 0,
    REMINDER_SEQUENCE: reminder,
    REGION: location.code,
    RUN_LOCATION: location.name,
    RESPONSE_TIME: alert.responseTimeMs,
    RESULT_LINK: alert.link,
    STARTED_AT: new Date(alert.startedAtMs).toISOString(),
    TAGS: check.tags,
    ...statusVariables(status),
    ...certificateVariables(certificate),
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? ""]));
}

function statusVariables(status: AlertFacts["status"]) {
  return { API_CHECK_RESPONSE_STATUS_CODE: status?.code ?? null, API_CHECK_RESPONSE_STATUS_TEXT: status?.text ?? null };
}

function certificateVariables(certificate: AlertFacts["certificate"]) {
  return { SSL_CHECK_DOMAIN: certificate?.domain ?? null, SSL_DAYS_REMAINING: certificate?.daysRemaining ?? null };
}
