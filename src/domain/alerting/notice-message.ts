import { instantText } from "./alert-lines.ts";
import { type AlertMessage, type AlertSeverity, severityColors } from "./alert-message.ts";
import { oneLine } from "./plain-text.ts";
import type { Notice } from "./silence.ts";

/** What one channel is told of a location: the checks are those that it follows. */
export interface LocationNotice {
  readonly kind: Notice["kind"];
  readonly sinceMs: number;
  readonly atMs: number;
  readonly location: { readonly code: string; readonly name: string };
  /** Names, the first `maxNames` of them. */
  readonly checks: readonly string[];
  readonly checkCount: number;
}

/** More of them no chat takes, and no person reads. */
export const maxNames = 50;

const severities: Readonly<Record<Notice["kind"], AlertSeverity>> = {
  AGENTS_SILENT: "critical",
  NO_DATA: "warning",
  AGENTS_BACK: "resolved",
  DATA_AGAIN: "resolved",
};

/** It says that nobody looks, and never that a target fails. Webhook templates get the kind of notice as ALERT_TYPE. */
export function noticeMessage(notice: LocationNotice): AlertMessage {
  const { kind, location, checks, checkCount } = notice;
  const name = oneLine(location.name, 200);
  const title = titleOf(kind, name, checkCount);
  const severity = severities[kind];
  const more = checkCount > checks.length ? [`and ${checkCount - checks.length} more`] : [];
  const lines = [...checks.map((check) => `- ${oneLine(check, 200)}`), ...more];
  const isAgents = kind === "AGENTS_SILENT" || kind === "AGENTS_BACK";
  const facts = [
    { name: "Location", value: name },
    { name: "Since", value: instantText(notice.sinceMs) },
    { name: "Checks", value: lines.join("\n") },
  ];
  return {
    title,
    text: [title, `Since: ${instantText(notice.sinceMs)}`, ...lines].join("\n"),
    severity,
    color: severityColors[severity],
    facts,
    link: null,
    thread: `location-${location.code}`,
    dedupKey: `outpost-location-${isAgents ? "agents" : "data"}-${location.code}`,
    resolves: [],
    atMs: notice.atMs,
    source: "Outpost",
    tags: [],
    variables: variablesOf(notice, title, lines.join("\n")),
  };
}

function titleOf(kind: Notice["kind"], location: string, count: number): string {
  const checks = count === 1 ? "1 check" : `${count} checks`;
  if (kind === "AGENTS_SILENT") return `Location ${location} is silent: no agent is heard of, ${checks} not run there`;
  if (kind === "AGENTS_BACK") return `Location ${location} is back: agents are heard of again`;
  return kind === "NO_DATA" ? `${checks} without data, last seen in ${location}` : `${checks} with data again, last seen in ${location}`;
}

const empty = ["CHECK_ID", "CHECK_TYPE", "CHECK_DESCRIPTION", "CHECK_RESULT_ID", "GROUP_NAME", "RESPONSE_TIME", "RESULT_LINK"];
const noAnswer = ["API_CHECK_RESPONSE_STATUS_CODE", "API_CHECK_RESPONSE_STATUS_TEXT", "SSL_CHECK_DOMAIN", "SSL_DAYS_REMAINING"];

/** Variables of templates, of a message that tells of no alert: what it does not have is an empty text. */
export const withoutAlert: AlertMessage["variables"] = {
  ...Object.fromEntries([...empty, ...noAnswer, "REGION", "RUN_LOCATION"].map((name) => [name, ""])),
  IS_REMINDER: false,
  REMINDER_SEQUENCE: 0,
  TAGS: [],
};

function variablesOf({ kind, sinceMs, location, checkCount }: LocationNotice, title: string, text: string): AlertMessage["variables"] {
  return {
    ...withoutAlert,
    ALERT_TITLE: title,
    ALERT_TYPE: kind,
    CHECK_NAME: checkCount === 1 ? "1 check" : `${checkCount} checks`,
    CHECK_ERROR_MESSAGE: text,
    REGION: location.code,
    RUN_LOCATION: location.name,
    STARTED_AT: new Date(sinceMs).toISOString(),
  };
}
