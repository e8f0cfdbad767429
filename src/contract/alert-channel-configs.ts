import { z } from "zod";
import { secretField } from "./secret-fields.ts";

/* Where a channel sends its notifications, by its type (behaviour 2.7). */

const name = z.string().min(1).max(255);
/** Digits with the usual signs between them; whether it can be reached, a first notification tells. */
const number = z
  .string()
  .min(3)
  .max(40)
  .regex(/^\+?[\d ().-]+$/, "must be a phone number, best with + and its country code");

const EmailAddress = z.email({ pattern: z.regexes.unicodeEmail }).max(320);
export const EmailConfig = z.object({ address: EmailAddress }).meta({ id: "EmailConfig" });

export const SlackConfig = z
  .object({
    url: secretField(
      "sealed, readable by writers",
      z
        .url({ protocol: /^https?$/ })
        .max(2048)
        .describe("incoming webhook; stored sealed"),
    ),
    channel: z.string().max(255).nullish().describe("instead of the webhook's own"),
  })
  .meta({ id: "SlackConfig" });

export const SlackAppConfig = z
  .object({ slackChannels: z.array(z.string().min(1).max(255)).min(1).max(100) })
  .meta({ id: "SlackAppConfig" });

export const SmsConfig = z.object({ name, number }).meta({ id: "SmsConfig" });
export const CallConfig = z.object({ name, number }).meta({ id: "CallConfig" });

const WebhookEntry = z
  .object({
    key: z.string().min(1).max(255),
    value: secretField("sealed, readable by a setting", z.string().max(4096).default("")),
    locked: z.boolean().default(false).describe("the value is a secret"),
  })
  .meta({ id: "WebhookEntry" });
export type WebhookEntry = z.output<typeof WebhookEntry>;

/** The URL is a template like the body, so it is held only against what every result of it must begin with. */
const WebhookUrl = z
  .string()
  .min(1)
  .max(2048)
  .regex(/^(https?:\/\/|\{\{)/i, "must be an http or https address; {{…}} may stand in it");

const methods = ["GET", "POST", "PUT", "HEAD", "DELETE", "PATCH"] as const;
/** Clients write either case, and compare with what they sent. */
export const WebhookMethod = z.enum([...methods, ...methods.map((name) => name.toLowerCase() as Lowercase<typeof name>)]);

export const WebhookConfig = z
  .object({
    name,
    url: secretField("sealed, readable by writers", WebhookUrl.describe("Handlebars template; stored sealed")),
    method: WebhookMethod.default("POST"),
    webhookType: z
      .string()
      .max(100)
      .nullish()
      .describe("without a template: whose format the body has, such as WEBHOOK_MSTEAMS; any other text is kept and given back"),
    template: z.string().max(100_000).nullish().describe("Handlebars template of the body"),
    webhookSecret: secretField(
      "sealed, readable by a setting",
      z.string().max(1024).nullish().describe("key of the signature in x-service-signature"),
    ),
    headers: z.array(WebhookEntry).max(100).default([]),
    queryParameters: z.array(WebhookEntry).max(100).default([]),
  })
  .meta({ id: "WebhookConfig" });

export const PagerdutyConfig = z
  .object({
    serviceKey: secretField("sealed, readable by a setting", z.string().min(1).max(255).describe("integration key")),
    serviceName: z.string().max(255).nullish(),
    account: z.string().max(255).nullish(),
  })
  .meta({ id: "PagerdutyConfig" });

export const OpsgenieConfig = z
  .object({
    name,
    apiKey: secretField("sealed, readable by a setting", z.string().min(1).max(255)),
    region: z.enum(["US", "EU"]).default("US"),
    priority: z.enum(["P1", "P2", "P3", "P4", "P5"]).default("P3"),
  })
  .meta({ id: "OpsgenieConfig" });
