import { secretMask } from "#contract/variables.ts";
import { type InputProblem, invalidInput } from "#domain/invalid-input.ts";
import type { Sealing } from "../sealing.ts";

/** The configuration of a channel, its sealed texts unreadable: what is stored. Fields by its type, see `contract/alert-channel-configs`. */
export type SealedConfig = Readonly<Record<string, unknown>>;

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
export function sealedConfig(config: object, { seal }: Pick<Sealing, "seal">, before: SealedConfig = {}): SealedConfig {
  const problems: InputProblem[] = [];
  const kept = (path: string, sealed: unknown): string => {
    if (typeof sealed === "string" && sealed !== "") return sealed;
    problems.push({ path: `config.${path}`, message: "is the asterisks that stand for a secret, and there is none to keep" });
    return "";
  };
  const sealedEntry = (field: string, { key, value, locked }: Entry, index: number): Entry => {
    const same = value === secretMask ? entriesOf(before[field]).find((entry) => entry.key === key && entry.locked) : undefined;
    if (value !== secretMask || !(locked || same)) return { key, value: value && seal(value), locked };
    if (locked) return { key, value: kept(`${field}[${index}].value`, same?.value), locked };
    problems.push({ path: `config.${field}[${index}].value`, message: "must be given: it is kept only for an entry that stays locked" });
    return { key, value: "", locked };
  };
  const entries = Object.entries(config).map(([field, value]): [string, unknown] => {
    if (entryFields.includes(field)) return [field, entriesOf(value).map((entry, index) => sealedEntry(field, entry, index))];
    if (typeof value !== "string" || value === "") return [field, value];
    if (hiddenFields.includes(field)) return [field, value === secretMask ? kept(field, before[field]) : seal(value)];
    return [field, shownFields.includes(field) ? seal(value) : value];
  });
  if (problems.length > 0) throw invalidInput(problems);
  return Object.fromEntries(entries);
}

/** A stored configuration as it is read back. What was sealed under another pepper reads as asterisks, so that it can be set anew. */
export function shownConfig(config: SealedConfig, { unseal }: Pick<Sealing, "unseal">): Readonly<Record<string, unknown>> {
  const opened = (sealed: string): string => sealed && (unseal(sealed) ?? secretMask);
  return Object.fromEntries(
    Object.entries(config).map(([field, value]): [string, unknown] => {
      if (entryFields.includes(field)) return [field, entriesOf(value).map((entry) => ({ ...entry, value: shownValue(entry, opened) }))];
      if (typeof value !== "string" || value === "") return [field, value];
      if (hiddenFields.includes(field)) return [field, secretMask];
      return [field, shownFields.includes(field) ? opened(value) : value];
    }),
  );
}

function shownValue({ value, locked }: Entry, opened: (sealed: string) => string): string {
  return locked && value !== "" ? secretMask : opened(value);
}

/** The configuration's schema saw to their form. */
function entriesOf(value: unknown): readonly Entry[] {
  return Array.isArray(value) ? (value as readonly Entry[]) : [];
}
