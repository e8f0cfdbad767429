import { valueText } from "../templates/template-value.ts";
import type { AlertMessage } from "./alert-message.ts";
import { escapedHtml, escapedMarkdown, oneLine, shortened } from "./plain-text.ts";

/** A body as a service expects it. */
type Preset = (message: AlertMessage) => unknown;

const isOver = ({ severity }: AlertMessage): boolean => severity === "resolved";

/** `#d13212` as the number that Discord wants. */
function colorNumber({ color }: AlertMessage): number {
  return Number.parseInt(color.slice(1), 16);
}

function links({ link }: AlertMessage, entry: (href: string) => unknown): unknown[] {
  return link === null ? [] : [entry(link)];
}

function details({ facts }: AlertMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(facts.map(({ name, value }) => [name, value]));
}

/** By the name of a service, in small letters and without signs; each as the service documents its incoming webhooks. */
const presets: Readonly<Record<string, Preset>> = {
  /** Workflows and connectors of Teams take an Adaptive Card. */
  msteams: (message) => ({
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            {
              type: "TextBlock",
              size: "Large",
              weight: "Bolder",
              wrap: true,
              text: escapedMarkdown(message.title),
              color: { critical: "Attention", warning: "Warning", resolved: "Good" }[message.severity],
            },
            { type: "FactSet", facts: message.facts.map(({ name, value }) => ({ title: name, value: escapedMarkdown(value) })) },
          ],
          actions: links(message, (url) => ({ type: "Action.OpenUrl", title: "Open the result", url })),
        },
      },
    ],
  }),
  discord: (message) => ({
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: oneLine(escapedMarkdown(message.title), 256),
        color: colorNumber(message),
        timestamp: new Date(message.atMs).toISOString(),
        fields: message.facts
          .slice(0, 25)
          .map(({ name, value }) => ({ name, value: shortened(escapedMarkdown(value), 1024), inline: value.length < 40 })),
        ...(message.link !== null && { url: message.link }),
      },
    ],
  }),
  /** The chat stands in the parameters of the address (`chat_id`). */
  telegram: (message) => ({
    parse_mode: "HTML",
    disable_web_page_preview: true,
    text: [`<b>${escapedHtml(message.title)}</b>`, ...message.facts.map(({ name, value }) => `${escapedHtml(name)}: ${escapedHtml(value)}`)]
      .join("\n")
      .slice(0, 4000)
      .replace(/(?:[&<][^;>\n]*|[\ud800-\udbff])$/, ""),
  }),
  incidentio: (message) => ({
    title: message.title,
    description: message.text,
    deduplication_key: message.dedupKey,
    status: isOver(message) ? "resolved" : "firing",
    metadata: { ...details(message), severity: message.severity },
    ...(message.link !== null && { source_url: message.link }),
  }),
  rootly: (message) => ({
    title: message.title,
    description: message.text,
    external_id: message.dedupKey,
    external_url: message.link,
    status: isOver(message) ? "resolved" : "open",
    severity: message.severity,
    labels: details(message),
  }),
  /** Incidents of Spike are found again by their title, so it is the same for both ends of one. */
  spike: (message) => ({
    title: message.source,
    body: message.text,
    ...(isOver(message) ? { status: "resolve" } : { severity: message.severity === "critical" ? "sev1" : "sev3" }),
  }),
  /** Splunk On-Call. */
  splunk: (message) => ({
    message_type: { critical: "CRITICAL", warning: "WARNING", resolved: "RECOVERY" }[message.severity],
    entity_id: message.dedupKey,
    entity_display_name: message.title,
    state_message: message.text,
    state_start_time: Math.floor(message.atMs / 1000),
    monitoring_tool: "Outpost",
    ...(message.link !== null && { alert_url: message.link }),
  }),
  gitlab: (message) => {
    const at = new Date(message.atMs).toISOString();
    return {
      title: message.title,
      description: message.text,
      ...(isOver(message) ? { end_time: at } : { start_time: at }),
      service: message.source,
      monitoring_tool: "Outpost",
      hosts: [message.source],
      severity: { critical: "critical", warning: "medium", resolved: "info" }[message.severity],
      fingerprint: message.dedupKey,
    };
  },
  firehydrant: (message) => ({
    summary: oneLine(message.title, 250),
    body: message.text,
    level: { critical: "ERROR", warning: "WARN", resolved: "INFO" }[message.severity],
    status: isOver(message) ? "CLOSED" : "OPEN",
    idempotency_key: message.dedupKey,
    links: links(message, (href) => ({ href, text: "Result" })),
    tags: message.tags,
    annotations: details(message),
  }),
  /** The key of the alert source stands in the address. */
  ilert: (message) => ({
    eventType: isOver(message) ? "RESOLVE" : "ALERT",
    summary: message.title,
    details: message.text,
    alertKey: message.dedupKey,
    priority: message.severity === "critical" ? "HIGH" : "LOW",
    links: links(message, (href) => ({ href, text: "Result" })),
    customDetails: details(message),
  }),
  /** Its log ingestion takes a list. */
  coralogix: (message) => [
    {
      timestamp: message.atMs,
      applicationName: "outpost",
      subsystemName: "alerts",
      severity: { critical: 6, warning: 4, resolved: 3 }[message.severity],
      text: { title: message.title, ...details(message), dedupKey: message.dedupKey },
    },
  ],
};

/** Other names of the same. */
const aliases: Readonly<Record<string, string>> = {
  teams: "msteams",
  microsoftteams: "msteams",
  spikesh: "spike",
  splunkoncall: "splunk",
  victorops: "splunk",
  gitlabalert: "gitlab",
  corologix: "coralogix",
};

/** The names under which presets are chosen, for documents and tests. */
export const webhookPresets: readonly string[] = Object.keys(presets);

/**
 * The body of a webhook without a template: as the service named by `webhookType` expects it (`WEBHOOK_MSTEAMS`, `Discord`, `incident.io` …),
 * and for any other name all variables of behaviour 2.7 as JSON.
 */
export function presetBody(webhookType: string | null, message: AlertMessage): unknown {
  const name = (webhookType ?? "")
    .toLowerCase()
    .replace(/^webhook/, "")
    .replace(/[^a-z]/g, "");
  const key = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
  const preset = Object.hasOwn(presets, key) ? presets[key] : undefined;
  return preset === undefined ? plainBody(message) : preset(message);
}

function plainBody({ variables, text, severity, dedupKey }: AlertMessage): unknown {
  const texts = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, name === "TAGS" ? value : plainValue(value)]));
  return { ...texts, TEXT: text, SEVERITY: severity, DEDUP_KEY: dedupKey };
}

function plainValue(value: AlertMessage["variables"][string]): unknown {
  return typeof value === "object" ? valueText(value) : value;
}
