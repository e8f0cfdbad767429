import type { AlertFacts } from "./alert-facts.ts";
import { instantText } from "./alert-lines.ts";
import { type AlertMessage, type AlertSeverity, alertTitle, severityColors, severityOf } from "./alert-message.ts";
import { alertVariables } from "./alert-variables.ts";
import { oneLine } from "./plain-text.ts";

/** Lines of the list; more of them no chat takes, and no person reads. */
const maxLines = 50;

/**
 * One message for many alerts, where each would have had its own: the worst first, the rest counted. A list for people; webhook templates get the
 * variables of its first alert, with the title and the error of the whole.
 *
 * @param alerts at least one; the oldest first
 * @param id makes the incident of a paging service
 */
export function digestMessage(alerts: readonly AlertFacts[], id: string): AlertMessage {
  const ranked = alerts.toSorted((a, b) => rank(severityOf(a)) - rank(severityOf(b)));
  const [first] = ranked;
  if (first === undefined) throw new RangeError("a digest needs an alert");
  const severity = severityOf(first);
  const title = digestTitle(ranked);
  const listed = ranked.slice(0, maxLines).map((alert) => `- ${alertTitle(alert)}${reason(alert)}`);
  const more = ranked.length > maxLines ? [`and ${ranked.length - maxLines} more`] : [];
  const lines = [...listed, ...more];
  return {
    title,
    text: [title, ...lines].join("\n"),
    severity,
    color: severityColors[severity],
    facts: [
      { name: "First", value: instantText(Math.min(...alerts.map(({ startedAtMs }) => startedAtMs))) },
      { name: "Alerts", value: lines.join("\n") },
    ],
    link: first.link,
    thread: `digest-${id}`,
    dedupKey: `outpost-digest-${id}`,
    atMs: Math.max(...alerts.map(({ startedAtMs }) => startedAtMs)),
    source: "Outpost",
    tags: [],
    variables: {
      ...alertVariables(first, title),
      CHECK_NAME: countOf(alerts),
      CHECK_ERROR_MESSAGE: lines.join("\n"),
      TAGS: [],
      GROUP_NAME: "",
    },
  };
}

function rank(severity: AlertSeverity): number {
  return { critical: 0, warning: 1, resolved: 2 }[severity];
}

/** `1000 checks: 980 failing, 20 degraded` */
function digestTitle(alerts: readonly AlertFacts[]): string {
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
  return `${countOf(alerts)}: ${counts.join(", ")}`;
}

function countOf(alerts: readonly AlertFacts[]): string {
  const count = new Set(alerts.map(({ check }) => check.id)).size;
  return count === 1 ? `${oneLine(alerts[0]?.check.name ?? "", 200)} (${alerts.length} alerts)` : `${count} checks`;
}

function reason({ error, location }: AlertFacts): string {
  return ` (${oneLine(location.name, 60)}${error === null ? "" : `, ${oneLine(error, 120)}`})`;
}
