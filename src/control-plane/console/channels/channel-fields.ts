import type { AlertChannelType } from "#contract/alert-channels.ts";
import { webhookPresets } from "#domain/alerting/webhook-presets.ts";

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

const presetNames: Readonly<Record<string, string>> = {
  msteams: "Microsoft Teams",
  incidentio: "incident.io",
  spike: "Spike.sh",
  splunk: "Splunk On-Call",
  gitlab: "GitLab",
  firehydrant: "FireHydrant",
  ilert: "ilert",
};
const presets = webhookPresets.map((name): readonly [string, string] => [
  `WEBHOOK_${name.toUpperCase()}`,
  presetNames[name] ?? named(name),
]);

const name: ChannelField = { name: "name", label: "Name", kind: "text" };
const number: ChannelField = { name: "number", label: "Phone number", kind: "text", hint: "With + and the country code." };
const same = (...values: readonly string[]) => values.map((value) => [value, value] as const);

/** What each type asks for, in this order. */
export const channelFields: Readonly<Record<AlertChannelType, readonly ChannelField[]>> = {
  EMAIL: [{ name: "address", label: "E-mail address", kind: "email" }],
  SLACK: [
    { name: "url", label: "Address of the incoming webhook", kind: "text", hint: "https://hooks.slack.com/services/…" },
    { name: "channel", label: "Slack channel", kind: "text", isOptional: true, hint: "Only where it is not the webhook's own." },
  ],
  SLACK_APP: [{ name: "slackChannels", label: "Slack channels", kind: "list", hint: "Separated by commas." }],
  WEBHOOK: [
    name,
    { name: "url", label: "Address", kind: "text", hint: "http or https; {{variables}} may stand in it." },
    { name: "method", label: "Method", kind: "choice", options: same("POST", "PUT", "PATCH", "GET", "DELETE", "HEAD") },
    {
      name: "webhookType",
      label: "Format of the body",
      kind: "choice",
      isOptional: true,
      options: [["", "All variables as JSON"], ...presets],
    },
    {
      name: "template",
      label: "Template of the body",
      kind: "long",
      isOptional: true,
      hint: "Handlebars, in the place of the format above.",
    },
    {
      name: "headers",
      label: "Headers",
      kind: "entries",
      isOptional: true,
      hint: "One a line, as Name: value. Asterisks stand for a secret that is kept.",
    },
    { name: "queryParameters", label: "Query parameters", kind: "entries", isOptional: true, hint: "The same." },
    { name: "webhookSecret", label: "Secret of the signature", kind: "secret", isOptional: true },
  ],
  SMS: [name, number],
  CALL: [name, number],
  PAGERDUTY: [
    { name: "serviceKey", label: "Integration key", kind: "secret" },
    { name: "serviceName", label: "Service", kind: "text", isOptional: true },
    { name: "account", label: "Account", kind: "text", isOptional: true },
  ],
  OPSGENIE: [
    name,
    { name: "apiKey", label: "API key", kind: "secret" },
    { name: "region", label: "Region", kind: "choice", options: same("US", "EU") },
    { name: "priority", label: "Priority", kind: "choice", options: same("P1", "P2", "P3", "P4", "P5") },
  ],
};

function named(preset: string): string {
  return preset.charAt(0).toUpperCase() + preset.slice(1);
}
