import type { SecretPlace } from "../keys/sealing.ts";

export interface StoredCertificate {
  readonly host: string;
  readonly cert: string;
  readonly ca: string | null;
  /** These two sealed. */
  readonly key: string;
  readonly passphrase: string | null;
}

export const certificateKind = "client-certificate";

/** Where the secrets of a certificate are sealed. */
export function certificatePlace(accountId: number, uuid: string): (field: "key" | "passphrase") => SecretPlace {
  return (field) => ({ kind: certificateKind, accountId, row: uuid, field });
}
