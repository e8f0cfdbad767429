import type { AlertFact } from "./alert-fact.ts";
import type { AlertFacts } from "./alert-facts.ts";
import { instantText, respond } from "./alert-lines.ts";
import { type AlertMessage, type AlertSeverity, alertMessage, alertTitle, severityColors, severityOf } from "./alert-message.ts";
import { type ChannelNotice, channelMessage } from "./channel-notice.ts";
import { type LocationNotice, noticeMessage } from "./notice-message.ts";
import { oneLine } from "./plain-text.ts";

/** Lines of the list; more of them no chat takes, and no person reads. */
const maxLines = 50;

/** Episodes that a reader can acknowledge from the list, the worst: each is a line, and chats cut long messages. */
const maxRespondLinks = 5;

/** What is told that is no alert. */
export type ToldNotice = LocationNotice | ChannelNotice;

/** What one channel is told at once; the oldest first. */
export interface Told {
  readonly alerts: readonly AlertFacts[];
  readonly notices: readonly ToldNotice[];
}

/** What is listed. */
interface Entry {
  readonly severity: AlertSeverity;
  readonly line: string;
  readonly startedAtMs: number;
  readonly atMs: number;
  readonly message: () => AlertMessage;
}

/** One of them alone, else a list of all; undefined where nothing is left to tell. */
export function messageOf(told: Told, id: string): AlertMessage | undefined {
  const entries = [...told.notices.map(entryOfNotice), ...told.alerts.map(entryOfAlert)];
  const [first, ...rest] = entries;
  return first === undefined || rest.length > 0 ? first && digestOf(told, entries, id) : first.message();
}

/**
 * One message for many, where each would have had its own: the worst first, the rest counted. A list for people; webhook templates get the
 * variables of its first, with the title and the error of the whole. `id` makes the incident of a paging service.
 */
function digestOf(told: Told, entries: readonly Entry[], id: string): AlertMessage {
  const ranked = entries.toSorted((a, b) => rank(a.severity) - rank(b.severity));
  const [first] = ranked;
  if (first === undefined) throw new RangeError("a digest needs something to tell");
  const { severity } = first;
  const title = digestTitle(told);
  const more = ranked.length > maxLines ? [`and ${ranked.length - maxLines} more`] : [];
  const lines = [...ranked.slice(0, maxLines).map(({ line }) => `- ${line}`), ...more];
  const { link, variables } = first.message();
  return {
    title,
    text: [title, ...lines].join("\n"),
    severity,
    color: severityColors[severity],
    facts: [
      { name: "First", value: instantText(Math.min(...entries.map(({ startedAtMs }) => startedAtMs))) },
      ...respondFacts(told.alerts),
      { name: "Alerts", value: lines.join("\n") },
    ],
    link,
    thread: `digest-${id}`,
    dedupKey: `outpost-digest-${id}`,
    resolves: resolvedKeys(entries),
    atMs: Math.max(...entries.map(({ atMs }) => atMs)),
    source: "Outpost",
    tags: [],
    variables: {
      ...variables,
      ALERT_TITLE: title,
      CHECK_NAME: told.alerts.length === 0 ? (variables["CHECK_NAME"] ?? "") : checksOf(told.alerts),
      CHECK_ERROR_MESSAGE: lines.join("\n"),
      TAGS: [],
      GROUP_NAME: "",
    },
  };
}

/** `Respond to Shop`, once for each check whose episode is still open, the worst first. */
function respondFacts(alerts: readonly AlertFacts[]): readonly AlertFact[] {
  const ranked = alerts.toSorted((a, b) => rank(severityOf(a)) - rank(severityOf(b)));
  const byCheck = Map.groupBy(ranked, ({ check }) => check.id);
  const facts = [...byCheck.values()].flatMap(([worst]) =>
    worst === undefined || worst.respondLink === null
      ? []
      : [{ name: `${respond.name} to ${oneLine(worst.check.name, 60)}`, value: worst.respondLink, isLink: true, label: respond.label }],
  );
  return facts.slice(0, maxRespondLinks);
}

/** Each of them is a request to a paging service. What was told in a list had none of its own, so in a storm they are few. */
const maxResolves = 100;

/** What came of a check last counts: one that recovered and failed again is not over. */
function resolvedKeys(entries: readonly Entry[]): readonly string[] {
  const last = new Map(entries.map(({ severity, message }) => [message().dedupKey, severity]));
  return [...last].flatMap(([key, severity]) => (severity === "resolved" ? [key] : [])).slice(-maxResolves);
}

function entryOfAlert(alert: AlertFacts): Entry {
  const { startedAtMs, error, location } = alert;
  const reason = ` (${oneLine(location.name, 60)}${error === null ? "" : `, ${oneLine(error, 120)}`})`;
  const message = (): AlertMessage => alertMessage(alert);
  return { severity: severityOf(alert), line: `${alertTitle(alert)}${reason}`, startedAtMs, atMs: startedAtMs, message };
}

function entryOfNotice(notice: ToldNotice): Entry {
  const message = (): AlertMessage => (notice.kind === "CHANNEL_GAVE_UP" ? channelMessage(notice) : noticeMessage(notice));
  const { severity, title, atMs } = message();
  return { severity, line: title, startedAtMs: notice.sinceMs, atMs, message };
}

function rank(severity: AlertSeverity): number {
  return { critical: 0, warning: 1, resolved: 2 }[severity];
}

/** `1000 checks: 980 failing, 20 degraded`, and what is told of locations. */
function digestTitle({ alerts, notices }: Told): string {
  const ofChannels = notices.filter(({ kind }) => kind === "CHANNEL_GAVE_UP").length;
  const noticesOf = (count: number, what: string): readonly string[] =>
    count === 0 ? [] : [`${count} ${count === 1 ? "notice" : "notices"} of ${what}`];
  const counted = [...noticesOf(notices.length - ofChannels, "locations"), ...noticesOf(ofChannels, "channels")];
  return [...(alerts.length === 0 ? [] : [alertsTitle(alerts)]), ...counted].join("; ");
}

function alertsTitle(alerts: readonly AlertFacts[]): string {
  const counts = (
    [
      ["critical", "failing"],
      ["warning", "degraded or warned of"],
      ["resolved", "recovered"],
    ] as const
  ).flatMap(([severity, word]) => {
    const count = alerts.filter((alert) => severityOf(alert) === severity).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return `${checksOf(alerts)}: ${counts.join(", ")}`;
}

function checksOf(alerts: readonly AlertFacts[]): string {
  const count = new Set(alerts.map(({ check }) => check.id)).size;
  return count === 1 ? `${oneLine(alerts[0]?.check.name ?? "", 200)} (${alerts.length} alerts)` : `${count} checks`;
}
