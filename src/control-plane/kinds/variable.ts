import { secretMask } from "#contract/variables.ts";
import type { AppError } from "#domain/app-error.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { isSealed, type Sealing, type SecretPlace } from "../keys/sealing.ts";
import { revealFor } from "../secrets/definition-secrets.ts";
import type { DocumentRow } from "../storage/storage.ts";
import { documentKind, type KindCall } from "./document-kind.ts";

/** The key is the document's name. */
export interface StoredAccountVariable {
  /** Sealed when it is secret or locked. */
  readonly value: string;
  readonly locked: boolean;
  readonly secret: boolean;
}

/** Where the value of a secret variable of an account is sealed. */
export function variablePlace(accountId: number, key: string): SecretPlace {
  return { kind: "variable", accountId, row: key, field: "value" };
}

export const variableKind = documentKind<StoredAccountVariable>()({
  kind: "variable",
  create: ({ key, ...variable }, { account, sealing }) => {
    return { name: key, definition: stored(variable, sealing, variablePlace(account.id, key)) };
  },
  update({ value, locked, secret }, { accountId, name, definition: before }, { sealing }) {
    const place = variablePlace(accountId, name ?? "");
    const keeps = value === null || (isHidden(before) && value === secretMask);
    if (!keeps) return { definition: stored({ value, locked, secret }, sealing, place) };
    // What nobody may read must not become what some may.
    const stays = isHidden(before) && (secret || (locked && !before.secret));
    if (!stays) throw invalidValue("must be given: it is kept only for a secret that stays one");
    const kept = isSealed(before.value) ? sealing.renewed(before.value, place) : sealing.seal(before.value, place);
    return { definition: { value: kept, locked, secret } };
  },
  view: (row, call) => {
    const { locked, secret } = row.definition;
    return { key: row.name ?? "", value: shownValue(row, call), locked, secret };
  },
  written: (variable) => ({ ...variable, value: variable.value ?? secretMask }),
});

function stored({ value, locked, secret }: StoredAccountVariable, sealing: Sealing, place: SecretPlace): StoredAccountVariable {
  if (!secret && !locked) return { value, locked, secret };
  if (value === secretMask) throw invalidValue("is the asterisks that stand for a secret, not a value of its own");
  return { value: sealing.seal(value, place), locked, secret };
}

function invalidValue(message: string): AppError {
  return invalidInput([{ path: "value", message }]);
}

function isHidden({ locked, secret }: StoredAccountVariable): boolean {
  return locked || secret;
}

/** Null: nobody reads it, or not who asks. */
function shownValue({ accountId, name, definition }: DocumentRow<StoredAccountVariable>, call: KindCall): string | null {
  const { value, secret } = definition;
  if (secret) return null;
  if (!isHidden(definition)) return value;
  const reveal = revealFor(call, call.mayWrite);
  return reveal && (isSealed(value) ? reveal(value, variablePlace(accountId, name ?? "")) : value);
}
