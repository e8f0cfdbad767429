import { describe, expect, it } from "vitest";
import { presetBody, webhookPresets } from "../../../src/domain/alerting/webhook-presets.ts";
import { sampleMessage } from "../../support/sample-alert.ts";

const failed = {
  ...sampleMessage(),
  text: "Shop has failed, in lines",
  facts: [
    { name: "Error", value: "got 503 <b>" },
    { name: "Tags", value: "long ".repeat(8) },
  ],
};
const details = { Error: "got 503 <b>", Tags: failed.facts[1]?.value };
const key = "outpost-check-3f0c1d6e-4b1f-4a57-8a59-0f8f6f1f2a33";
const link = "https://outpost.example.com/results/b3b1";
const at = "2026-11-22T09:17:43.000Z";

/** What each service gets of a check that failed. */
const bodies: Readonly<Record<string, unknown>> = {
  msteams: {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            { type: "TextBlock", size: "Large", weight: "Bolder", wrap: true, text: "Shop has failed", color: "Attention" },
            {
              type: "FactSet",
              facts: [
                { title: "Error", value: String.raw`got 503 \<b\>` },
                { title: "Tags", value: details.Tags },
              ],
            },
          ],
          actions: [{ type: "Action.OpenUrl", title: "Open the result", url: link }],
        },
      },
    ],
  },
  discord: {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: "Shop has failed",
        color: 0xd13212,
        timestamp: at,
        fields: [
          { name: "Error", value: String.raw`got 503 \<b\>`, inline: true },
          { name: "Tags", value: details.Tags, inline: false },
        ],
        url: link,
      },
    ],
  },
  telegram: {
    parse_mode: "HTML",
    disable_web_page_preview: true,
    text: `<b>Shop has failed</b>\nError: got 503 &#60;b&#62;\nTags: ${details.Tags}`,
  },
  incidentio: {
    title: "Shop has failed",
    description: failed.text,
    deduplication_key: key,
    status: "firing",
    metadata: { ...details, severity: "critical" },
    source_url: link,
  },
  rootly: {
    title: "Shop has failed",
    description: failed.text,
    external_id: key,
    external_url: link,
    status: "open",
    severity: "critical",
    labels: details,
  },
  spike: { title: "Shop", body: failed.text, severity: "sev1" },
  splunk: {
    message_type: "CRITICAL",
    entity_id: key,
    entity_display_name: "Shop has failed",
    state_message: failed.text,
    state_start_time: Date.parse(at) / 1000,
    monitoring_tool: "Outpost",
    alert_url: link,
  },
  gitlab: {
    title: "Shop has failed",
    description: failed.text,
    start_time: at,
    service: "Shop",
    monitoring_tool: "Outpost",
    hosts: ["Shop"],
    severity: "critical",
    fingerprint: key,
  },
  firehydrant: {
    summary: "Shop has failed",
    body: failed.text,
    level: "ERROR",
    status: "OPEN",
    idempotency_key: key,
    links: [{ href: link, text: "Result" }],
    tags: ["shop", "prod"],
    annotations: details,
  },
  ilert: {
    eventType: "ALERT",
    summary: "Shop has failed",
    details: failed.text,
    alertKey: key,
    priority: "HIGH",
    links: [{ href: link, text: "Result" }],
    customDetails: details,
  },
  coralogix: [
    {
      timestamp: Date.parse(at),
      applicationName: "outpost",
      subsystemName: "alerts",
      severity: 6,
      text: { title: "Shop has failed", ...details, dedupKey: key },
    },
  ],
};

/** The fields in which another severity shows, of a warning and of an end; `undefined` where the field is not there. */
const severities: Readonly<Record<string, readonly [string, unknown, unknown][]>> = {
  msteams: [["attachments.0.content.body.0.color", "Warning", "Good"]],
  discord: [["embeds.0.color", 0xe8a200, 0x2e8540]],
  telegram: [],
  incidentio: [
    ["status", "firing", "resolved"],
    ["metadata.severity", "warning", "resolved"],
  ],
  rootly: [
    ["status", "open", "resolved"],
    ["severity", "warning", "resolved"],
  ],
  spike: [
    ["severity", "sev3", undefined],
    ["status", undefined, "resolve"],
  ],
  splunk: [["message_type", "WARNING", "RECOVERY"]],
  gitlab: [
    ["start_time", at, undefined],
    ["end_time", undefined, at],
    ["severity", "medium", "info"],
  ],
  firehydrant: [
    ["level", "WARN", "INFO"],
    ["status", "OPEN", "CLOSED"],
  ],
  ilert: [
    ["eventType", "ALERT", "RESOLVE"],
    ["priority", "LOW", "LOW"],
  ],
  coralogix: [["0.severity", 4, 3]],
};

describe("the preset of", () => {
  it.each(webhookPresets)("%s has these fields and no others", (preset) => {
    expect(presetBody(preset, failed)).toEqual(bodies[preset]);
  });

  it.each(webhookPresets)("%s tells a warning and an end apart", (preset) => {
    const [warning, over] = (["ALERT_DEGRADED", "ALERT_RECOVERY"] as const).map((alertType) =>
      presetBody(preset, sampleMessage({ alertType })),
    );
    const seen = severities[preset]?.map(([path]) => [path, fieldOf(warning, path), fieldOf(over, path)]);
    expect(seen).toEqual(severities[preset]);
  });

  it.each(webhookPresets)("%s has no link where there is none", (preset) => {
    expect(JSON.stringify(presetBody(preset, { ...failed, link: null }))).not.toMatch(/"(url|source_url|alert_url|href)":/);
  });

  it("those with limits are cut there", () => {
    const long = { ...failed, title: "t".repeat(500), facts: Array.from({ length: 30 }, () => ({ name: "n", value: "v".repeat(2_000) })) };
    const lengthOf = (preset: string, path: string) => (fieldOf(presetBody(preset, long), path) as ArrayLike<unknown>).length;
    expect(lengthOf("firehydrant", "summary")).toBe(250);
    expect(lengthOf("telegram", "text")).toBe(4_000);
    expect(["title", "fields", "fields.0.value"].map((path) => lengthOf("discord", `embeds.0.${path}`))).toEqual([256, 25, 1_024]);
  });

  it.each([
    ["Teams", "msteams"],
    ["Microsoft Teams", "msteams"],
    ["spike.sh", "spike"],
    ["Splunk On-Call", "splunk"],
    ["VictorOps", "splunk"],
    ["WEBHOOK_GITLAB_ALERT", "gitlab"],
    ["WEBHOOK_COROLOGIX", "coralogix"],
  ])("%s is that of %s", (name, preset) => {
    expect(presetBody(name, failed)).toEqual(bodies[preset]);
  });
});

/** What stands at a path such as `embeds.0.color`. */
function fieldOf(body: unknown, path: string): unknown {
  return path.split(".").reduce((part, name) => (part as Readonly<Record<string, unknown>> | undefined)?.[name], body);
}
