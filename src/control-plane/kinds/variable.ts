import type { SecretPlace } from "../keys/sealing.ts";

export const variableKind = "variable";

/** The key is the document's name. */
export interface StoredAccountVariable {
  /** Sealed when it is secret or locked. */
  readonly value: string;
  readonly locked: boolean;
  readonly secret: boolean;
}

/** Where the value of a secret variable of an account is sealed. */
export function variablePlace(accountId: number, key: string): SecretPlace {
  return { kind: variableKind, accountId, row: key, field: "value" };
}
