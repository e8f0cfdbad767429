import { type AlertChannelType, defaultRetryHours } from "#contract/alert-channels.ts";
import { secretMask } from "#contract/variables.ts";
import { commaList } from "#domain/comma-list.ts";
import type { FormProblems } from "../form-view.ts";
import { typed } from "../people/person-fields.ts";
import { type ChannelField, channelFields } from "./channel-fields.ts";
import { type ChannelRead } from "./channel-words.ts";
import { entriesOf, entriesText } from "./entry-lines.ts";

/** When a channel is told, beside how long before a certificate expires. */
export const switches = ["sendFailure", "sendRecovery", "sendDegraded", "sslExpiry", "autoSubscribe"] as const;
type Switch = (typeof switches)[number];

/** What stands in the fields, and in the switches. */
export interface ChannelDraft {
  readonly type: AlertChannelType;
  /** By the names of the configuration; secrets are empty. */
  readonly texts: Readonly<Record<string, string>>;
  readonly switches: Readonly<Record<Switch, boolean>>;
  readonly sslExpiryThreshold: string;
  readonly retryHours: string;
  /** Secrets that are stored. */
  readonly kept: ReadonlySet<string>;
}

/** Of a channel as it is stored. */
export function draftOf(channel: ChannelRead): ChannelDraft {
  const config = configOf(channel);
  return {
    type: channel.type,
    texts: Object.fromEntries(channelFields[channel.type].map((field) => [field.name, textOf(field, config[field.name])])),
    switches: channel,
    sslExpiryThreshold: String(channel.sslExpiryThreshold),
    retryHours: String(channel.retryHours),
    kept: keptOf(channel),
  };
}

/** Of one that nobody made yet. */
export function emptyDraft(type: AlertChannelType): ChannelDraft {
  const given = { sendFailure: true, sendRecovery: true, sendDegraded: true, sslExpiry: false, autoSubscribe: false };
  const texts: Record<string, string> = { method: "POST", region: "US", priority: "P3" };
  return { type, texts, switches: given, sslExpiryThreshold: "30", retryHours: String(defaultRetryHours), kept: new Set() };
}

/** What was typed, to be shown once more: all but secrets. */
export function typedDraft(type: AlertChannelType, form: URLSearchParams, before: ChannelRead | null): ChannelDraft {
  const shown = ({ name, kind }: ChannelField): string => {
    if (kind === "secret") return "";
    const text = form.get(`config.${name}`) ?? "";
    return kind === "entries" ? entriesText(entriesOf(text, entriesBefore(before, name)).entries) : text;
  };
  return {
    type,
    texts: Object.fromEntries(channelFields[type].map((field) => [field.name, shown(field)])),
    switches: switchesOf(form),
    sslExpiryThreshold: form.get("sslExpiryThreshold") ?? "",
    retryHours: form.get("retryHours") ?? "",
    kept: before === null ? new Set() : keptOf(before),
  };
}

/** The body that creates or replaces a channel, and what is wrong with lines that are none. Subscriptions stay as they are. */
export function writtenChannel(
  type: AlertChannelType,
  form: URLSearchParams,
  before: ChannelRead | null,
): { readonly body: object; readonly problems: FormProblems } {
  const problems: Record<string, string | undefined> = {};
  const valueOf = ({ name, kind, isOptional = false }: ChannelField): unknown => {
    if (kind === "entries") {
      const { entries, problem } = entriesOf(form.get(`config.${name}`) ?? "", entriesBefore(before, name));
      if (problem !== undefined) problems[`config.${name}`] = problem;
      return entries;
    }
    const text = kind === "long" ? (form.get(`config.${name}`) ?? "") : typed(form, `config.${name}`);
    if (kind === "secret" && text === "") return keptSecret(form, before, name, isOptional);
    if (kind === "list") return commaList(text);
    return text === "" && isOptional ? null : text;
  };
  const config = { ...configOf(before), ...Object.fromEntries(channelFields[type].map((field) => [field.name, valueOf(field)])) };
  const number = (name: string): number | string => (/^\d+$/.test(typed(form, name)) ? Number(typed(form, name)) : typed(form, name));
  const retryHours = form.has("retryHours") ? { retryHours: number("retryHours") } : {};
  return { body: { type, config, ...switchesOf(form), sslExpiryThreshold: number("sslExpiryThreshold"), ...retryHours }, problems };
}

/** The asterisks keep it. */
function keptSecret(form: URLSearchParams, before: ChannelRead | null, name: string, isOptional: boolean): string | null {
  const isKept = before !== null && keptOf(before).has(name) && !form.has(`remove.${name}`);
  if (isKept) return secretMask;
  return isOptional ? null : "";
}

function switchesOf(form: URLSearchParams): ChannelDraft["switches"] {
  const isOn = (name: Switch): boolean => form.has(name);
  return {
    sendFailure: isOn("sendFailure"),
    sendRecovery: isOn("sendRecovery"),
    sendDegraded: isOn("sendDegraded"),
    sslExpiry: isOn("sslExpiry"),
    autoSubscribe: isOn("autoSubscribe"),
  };
}

function keptOf(channel: ChannelRead): ReadonlySet<string> {
  const config = configOf(channel);
  const secrets = channelFields[channel.type].filter(
    ({ kind, name }) => kind === "secret" && typeof config[name] === "string" && config[name] !== "",
  );
  return new Set(secrets.map(({ name }) => name));
}

function entriesBefore(channel: ChannelRead | null, name: string) {
  return entryList(configOf(channel)[name]);
}

function textOf({ kind }: ChannelField, value: unknown): string {
  if (kind === "secret") return "";
  if (kind === "entries") return entriesText(entryList(value));
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" ? value : "";
}

/** Fields by their names, whatever the type. */
function configOf(channel: ChannelRead | null): Readonly<Record<string, unknown>> {
  return { ...channel?.config };
}

/** The configuration's schema saw to their form. */
function entryList(value: unknown): Parameters<typeof entriesText>[0] {
  return Array.isArray(value) ? (value as Parameters<typeof entriesText>[0]) : [];
}
