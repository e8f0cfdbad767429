import { secretMask } from "#contract/variables.ts";
import { shortened } from "#domain/alerting/plain-text.ts";
import { type InputProblem, invalidInput } from "#domain/invalid-input.ts";
import type { Sealing, SecretPlace } from "../sealing.ts";

/** The configuration of a channel, its sealed texts unreadable: what is stored. Fields by its type, see `contract/alert-channel-configs`. */
export type SealedConfig = Readonly<Record<string, unknown>>;

/** The channel, as its sealed values are bound to it. */
export function channelOwner(accountId: number, uuid: string): ChannelOwner {
  return { kind: "alert-channel", accountId, row: uuid };
}
export type ChannelOwner = Omit<SecretPlace, "field">;

/** Never read back. */
const hiddenFields = ["serviceKey", "apiKey", "webhookSecret"];
/** Whoever knows the address of a hook can use it, but a user must see it to change it. */
const shownFields = ["url"];
/** Their values are sealed; locked ones are never read back. */
const entryFields = ["headers", "queryParameters"];

interface Entry {
  readonly key: string;
  readonly value: string;
  readonly locked: boolean;
}

/**
 * Seals the secrets of a configuration that a user sent. Asterisks keep the secret of the same name that `before` has.
 *
 * @param before what is stored, of a channel of the same type
 * @throws {AppError} invalid_input for asterisks that stand for nothing
 */
export function sealedConfig(
  config: object,
  { seal, renewed }: Pick<Sealing, "seal" | "renewed">,
  owner: ChannelOwner,
  before: SealedConfig = {},
): SealedConfig {
  const problems: InputProblem[] = [];
  const kept = (path: string, sealed: unknown, place: SecretPlace): string => {
    if (typeof sealed === "string" && sealed !== "") return renewed(sealed, place);
    problems.push({ path: `config.${path}`, message: "is the asterisks that stand for a secret, and there is none to keep" });
    return "";
  };
  const sealedEntry = (field: string, { key, value, locked }: Entry, index: number): Entry => {
    const place = entryPlace(owner, field, key);
    const same = value === secretMask ? entriesOf(before[field]).find((entry) => entry.key === key && entry.locked) : undefined;
    if (value !== secretMask || !(locked || same)) return { key, value: value && seal(value, place), locked };
    if (locked) return { key, value: kept(`${field}[${index}].value`, same?.value, place), locked };
    problems.push({ path: `config.${field}[${index}].value`, message: "must be given: it is kept only for an entry that stays locked" });
    return { key, value: "", locked };
  };
  const entries = Object.entries(config).map(([field, value]): [string, unknown] => {
    if (entryFields.includes(field)) return [field, entriesOf(value).map((entry, index) => sealedEntry(field, entry, index))];
    if (typeof value !== "string" || value === "") return [field, value];
    const place = fieldPlace(owner, field);
    if (hiddenFields.includes(field)) return [field, value === secretMask ? kept(field, before[field], place) : seal(value, place)];
    return [field, shownFields.includes(field) ? seal(value, place) : value];
  });
  if (problems.length > 0) throw invalidInput(problems);
  return Object.fromEntries(entries);
}

function fieldPlace(owner: ChannelOwner, field: string): SecretPlace {
  return { ...owner, field: `config.${field}` };
}

function entryPlace(owner: ChannelOwner, field: string, key: string): SecretPlace {
  return fieldPlace(owner, `${field}.${key}`);
}

/** A stored configuration as it is read back. What cannot be opened any more reads as asterisks, so that it can be set anew. */
export function shownConfig(
  config: SealedConfig,
  { unseal }: Pick<Sealing, "unseal">,
  owner: ChannelOwner,
): Readonly<Record<string, unknown>> {
  const opened = (sealed: string, place: SecretPlace): string => sealed && (unseal(sealed, place) ?? secretMask);
  return Object.fromEntries(
    Object.entries(config).map(([field, value]): [string, unknown] => {
      if (entryFields.includes(field))
        return [
          field,
          entriesOf(value).map((entry) => ({ ...entry, value: shownValue(entry, entryPlace(owner, field, entry.key), opened) })),
        ];
      if (typeof value !== "string" || value === "") return [field, value];
      if (hiddenFields.includes(field)) return [field, secretMask];
      return [field, shownFields.includes(field) ? opened(value, fieldPlace(owner, field)) : value];
    }),
  );
}

/** A template may be long, and each notification has it. */
const longestLogged = 1_000;

/** A stored configuration for the list of notifications, where it stays in plain text: whatever is sealed reads as asterisks, what is long is cut. */
export function loggedConfig(config: SealedConfig): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(config).map(([field, value]): [string, unknown] => {
      if (entryFields.includes(field)) return [field, entriesOf(value).map((entry) => ({ ...entry, value: entry.value && secretMask }))];
      if (typeof value !== "string" || value === "") return [field, value];
      return [field, [...hiddenFields, ...shownFields].includes(field) ? secretMask : shortened(value, longestLogged)];
    }),
  );
}

/**
 * A stored configuration with its secrets, for the one request that needs them; never logged, never answered.
 *
 * @returns null where one of them cannot be opened any more
 */
export function openConfig(
  config: SealedConfig,
  { unseal }: Pick<Sealing, "unseal">,
  owner: ChannelOwner,
): Readonly<Record<string, unknown>> | null {
  let isLost = false;
  const opened = (sealed: string, place: SecretPlace): string => {
    const secret = sealed && unseal(sealed, place);
    if (secret === null) isLost = true;
    return secret ?? "";
  };
  const fields = Object.entries(config).map(([field, value]): [string, unknown] => {
    if (entryFields.includes(field))
      return [field, entriesOf(value).map((entry) => ({ ...entry, value: opened(entry.value, entryPlace(owner, field, entry.key)) }))];
    if (typeof value !== "string" || ![...hiddenFields, ...shownFields].includes(field)) return [field, value];
    return [field, opened(value, fieldPlace(owner, field))];
  });
  return isLost ? null : Object.fromEntries(fields);
}

function shownValue({ value, locked }: Entry, place: SecretPlace, opened: (sealed: string, place: SecretPlace) => string): string {
  return locked && value !== "" ? secretMask : opened(value, place);
}

/** The configuration's schema saw to their form. */
function entriesOf(value: unknown): readonly Entry[] {
  return Array.isArray(value) ? (value as readonly Entry[]) : [];
}
