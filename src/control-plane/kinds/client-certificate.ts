import { certificateProblems } from "#domain/client-certificate.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import type { SecretPlace } from "../keys/sealing.ts";
import { documentKind } from "./document-kind.ts";
import { instant } from "./instants.ts";

export interface StoredCertificate {
  readonly host: string;
  readonly cert: string;
  readonly ca: string | null;
  /** These two sealed. */
  readonly key: string;
  readonly passphrase: string | null;
}

/** Where the secrets of a certificate are sealed. */
export function certificatePlace(accountId: number, uuid: string): (field: "key" | "passphrase") => SecretPlace {
  return (field) => ({ kind: "client-certificate", accountId, row: uuid, field });
}

export const clientCertificateKind = documentKind<StoredCertificate>()({
  kind: "client-certificate",
  create({ host, cert, ca = null, key, passphrase = null }, { account, sealing: { seal } }, uuid) {
    const problems = certificateProblems({ cert, ca, key, passphrase });
    if (problems.length > 0) throw invalidInput(problems);
    const place = certificatePlace(account.id, uuid);
    const sealed = { key: seal(key, place("key")), passphrase: passphrase === null ? null : seal(passphrase, place("passphrase")) };
    return { definition: { host, cert, ca, ...sealed } };
  },
  view: ({ uuid, definition: { host, cert, ca }, createdAtMs }) => {
    return { host, cert, ca, id: uuid, created_at: instant(createdAtMs) };
  },
});
