import {
  type ClientCertificate,
  type ClientCertificateCreate,
  createClientCertificate,
  deleteClientCertificate,
  getClientCertificate,
  listClientCertificates,
} from "#contract/client-certificates.ts";
import { certificateProblems } from "#domain/client-certificate.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { type Handler, handler } from "../http/handler.ts";
import type { Sealing } from "../keys/sealing.ts";
import { certificatePlace, certificateKind as kind, type StoredCertificate } from "../kinds/client-certificate.ts";
import { findDocument } from "../kinds/find-document.ts";
import { instant } from "../kinds/instants.ts";
import { removeDocument } from "../kinds/remove-document.ts";
import type { DocumentRow, DocumentStore } from "../storage/storage.ts";

export interface ClientCertificateDeps {
  readonly documents: Pick<DocumentStore, "create" | "list" | "find" | "remove">;
  readonly sealing: Pick<Sealing, "seal">;
  readonly nowMs: () => number;
}

export function clientCertificateHandlers({ documents, sealing, nowMs }: ClientCertificateDeps): readonly Handler[] {
  return [
    handler(listClientCertificates, async (_input, { caller }) =>
      (await documents.list<StoredCertificate>(caller.account.id, kind)).items.map(view),
    ),
    handler(createClientCertificate, async ({ body }, { caller }) => {
      const { id: accountId } = caller.account;
      const uuid = crypto.randomUUID();
      const definition = stored(body, sealing, certificatePlace(accountId, uuid));
      return view(await documents.create({ uuid, accountId, kind, definition, nowMs: nowMs() }));
    }),
    handler(getClientCertificate, async ({ params: { id } }, { caller }) =>
      view(await findDocument<StoredCertificate>(documents, caller.account.id, kind, { uuid: id.toLowerCase() })),
    ),
    handler(deleteClientCertificate, ({ params: { id } }, { caller }) =>
      removeDocument(documents, caller.account.id, kind, { uuid: id.toLowerCase() }),
    ),
  ];
}

/** @throws {AppError} invalid_input for texts that are no certificate with its key */
function stored(
  { host, cert, ca = null, key, passphrase = null }: ClientCertificateCreate,
  { seal }: Pick<Sealing, "seal">,
  place: ReturnType<typeof certificatePlace>,
): StoredCertificate {
  const problems = certificateProblems({ cert, ca, key, passphrase });
  if (problems.length > 0) throw invalidInput(problems);
  return { host, cert, ca, key: seal(key, place("key")), passphrase: passphrase === null ? null : seal(passphrase, place("passphrase")) };
}

function view({ uuid, definition: { host, cert, ca }, createdAtMs }: DocumentRow<StoredCertificate>): ClientCertificate {
  return { host, cert, ca, id: uuid, created_at: instant(createdAtMs) };
}
