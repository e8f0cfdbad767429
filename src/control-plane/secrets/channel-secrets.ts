import { secretMask } from "#contract/variables.ts";
import { shortened } from "#domain/alerting/plain-text.ts";
import { type InputProblem, invalidInput } from "#domain/invalid-input.ts";
import type { Sealing, SecretPlace } from "../keys/sealing.ts";

/** The configuration of a channel, its sealed texts unreadable: what is stored. Fields by its type, see `contract/alert-channel-configs`. */
export type SealedConfig = Readonly<Record<string, unknown>>;

/** The channel, as its sealed values are bound to it. */
export function channelOwner(accountId: number, uuid: string): ChannelOwner {
  return { kind: "alert-channel", accountId, row: uuid };
}
export type ChannelOwner = Omit<SecretPlace, "field">;

/** Read back by those alone who may read secrets. */
const hiddenFields = ["serviceKey", "apiKey", "webhookSecret"];
/** Whoever knows the address of a hook can use it: those who may write read it, as they must see it to change it. */
const shownFields = ["url"];
/** Their values are sealed; locked ones are read back by those alone who may read secrets. */
const entryFields = ["headers", "queryParameters"];

interface Entry {
  readonly key: string;
  readonly value: string;
  readonly locked: boolean;
}

/**
 * Seals the secrets of a configuration that a user sent. Asterisks keep the secret of the same name that `before` has, as long as the address
 * stays: whoever changes it must know the secrets that go there.
 *
 * @param before what is stored, of a channel of the same type
 * @throws {AppError} invalid_input for asterisks that stand for nothing
 */
export function sealedConfig(
  config: object,
  { seal, unseal, renewed }: Sealing,
  owner: ChannelOwner,
  before: SealedConfig = {},
): SealedConfig {
  const problems: InputProblem[] = [];
  const movesTo = addressOf(config) !== openedAddress(before, unseal, owner);
  const kept = (path: string, sealed: unknown, place: SecretPlace): string => {
    if (movesTo && typeof sealed === "string" && sealed !== "") {
      problems.push({
        path: `config.${path}`,
        message: "must be given anew, as the address changes: asterisks keep a secret for the address that it was given for",
      });
      return "";
    }
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

function addressOf(config: object): unknown {
  return "url" in config ? config.url : undefined;
}

function openedAddress(before: SealedConfig, unseal: Sealing["unseal"], owner: ChannelOwner): unknown {
  const address = addressOf(before);
  return typeof address === "string" && address !== "" ? unseal(address, fieldPlace(owner, "url")) : address;
}

function fieldPlace(owner: ChannelOwner, field: string): SecretPlace {
  return { ...owner, field: `config.${field}` };
}

function entryPlace(owner: ChannelOwner, field: string, key: string): SecretPlace {
  return fieldPlace(owner, `${field}.${key}`);
}

/** Who reads a channel. */
export interface ChannelReader {
  readonly mayWrite: boolean;
  /** Sees its secrets, too. */
  readonly readsSecrets: boolean;
}

/** A stored configuration as it is read back. What cannot be opened any more reads as asterisks, so that it can be set anew. */
export function shownConfig(
  config: SealedConfig,
  { unseal }: Pick<Sealing, "unseal">,
  owner: ChannelOwner,
  { mayWrite, readsSecrets }: ChannelReader,
): Readonly<Record<string, unknown>> {
  const shownValue = ({ value, locked }: Entry, place: SecretPlace): string =>
    value !== "" && (!mayWrite || (locked && !readsSecrets)) ? secretMask : opened(value, place);
  const opened = (sealed: string, place: SecretPlace): string => sealed && (unseal(sealed, place) ?? secretMask);
  return Object.fromEntries(
    Object.entries(config).map(([field, value]): [string, unknown] => {
      if (entryFields.includes(field))
        return [field, entriesOf(value).map((entry) => ({ ...entry, value: shownValue(entry, entryPlace(owner, field, entry.key)) }))];
      if (typeof value !== "string" || value === "") return [field, value];
      if (hiddenFields.includes(field)) return [field, readsSecrets ? opened(value, fieldPlace(owner, field)) : secretMask];
      if (!shownFields.includes(field)) return [field, value];
      return [field, mayWrite ? opened(value, fieldPlace(owner, field)) : hostOnly(opened(value, fieldPlace(owner, field)))];
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

/** Of an address what tells where it leads, and nothing by which it could be used. */
function hostOnly(address: string): string {
  const url = URL.parse(address);
  return url === null ? secretMask : `${url.protocol}//${url.host}/${secretMask}`;
}

/** The configuration's schema saw to their form. */
function entriesOf(value: unknown): readonly Entry[] {
  return Array.isArray(value) ? (value as readonly Entry[]) : [];
}
