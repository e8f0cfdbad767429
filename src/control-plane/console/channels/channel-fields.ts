import type { AlertChannelType } from "#contract/alert-channels.ts";
import { webhookPresets } from "#domain/alerting/webhook-presets.ts";
import { channelFieldTexts as texts } from "../../texts/channels.ts";

/** A part of a channel's configuration, as a form asks for it. */
export interface ChannelField {
  /** As the configuration has it. */
  readonly name: string;
  readonly label: string;
  /** `secret`: never shown again, and kept where nothing is typed. `list`: separated by commas. `entries`: a line each, `Name: value`. */
  readonly kind: "text" | "email" | "secret" | "long" | "choice" | "list" | "entries";
  readonly hint?: string;
  readonly isOptional?: boolean;
  /** Of a choice. */
  readonly options?: readonly (readonly [value: string, text: string])[];
}

const presets = webhookPresets.map((name): readonly [string, string] => [
  `WEBHOOK_${name.toUpperCase()}`,
  texts.formats[name] ?? named(name),
]);

const name: ChannelField = { name: "name", label: texts.name, kind: "text" };
const number: ChannelField = { name: "number", label: texts.number, kind: "text", hint: texts.numberHint };
const same = (...values: readonly string[]) => values.map((value) => [value, value] as const);

/** What each type asks for, in this order. */
export const channelFields: Readonly<Record<AlertChannelType, readonly ChannelField[]>> = {
  EMAIL: [{ name: "address", label: texts.email, kind: "email" }],
  SLACK: [
    { name: "url", label: texts.slackUrl, kind: "text", hint: texts.slackUrlHint },
    { name: "channel", label: texts.slackChannel, kind: "text", isOptional: true, hint: texts.slackChannelHint },
  ],
  SLACK_APP: [{ name: "slackChannels", label: texts.slackChannels, kind: "list", hint: texts.slackChannelsHint }],
  WEBHOOK: [
    name,
    { name: "url", label: texts.url, kind: "text", hint: texts.urlHint },
    { name: "method", label: texts.method, kind: "choice", options: same("POST", "PUT", "PATCH", "GET", "DELETE", "HEAD") },
    {
      name: "webhookType",
      label: texts.format,
      kind: "choice",
      isOptional: true,
      options: [["", texts.allAsJson], ...presets],
    },
    {
      name: "template",
      label: texts.template,
      kind: "long",
      isOptional: true,
      hint: texts.templateHint,
    },
    {
      name: "headers",
      label: texts.headers,
      kind: "entries",
      isOptional: true,
      hint: texts.headersHint,
    },
    { name: "queryParameters", label: texts.query, kind: "entries", isOptional: true, hint: texts.queryHint },
    { name: "webhookSecret", label: texts.signature, kind: "secret", isOptional: true },
  ],
  SMS: [name, number],
  CALL: [name, number],
  PAGERDUTY: [
    { name: "serviceKey", label: texts.integrationKey, kind: "secret" },
    { name: "serviceName", label: texts.service, kind: "text", isOptional: true },
    { name: "account", label: texts.account, kind: "text", isOptional: true },
  ],
  OPSGENIE: [
    name,
    { name: "apiKey", label: texts.apiKey, kind: "secret" },
    { name: "region", label: texts.region, kind: "choice", options: same("US", "EU") },
    { name: "priority", label: texts.priority, kind: "choice", options: same("P1", "P2", "P3", "P4", "P5") },
  ],
};

function named(preset: string): string {
  return preset.charAt(0).toUpperCase() + preset.slice(1);
}
