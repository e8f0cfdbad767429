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
import { instant } from "../instants.ts";
import type { Sealing } from "../sealing.ts";
import type { DocumentRow, DocumentStore } from "../storage/storage.ts";
import { findDocument } from "./find-document.ts";
import { removeDocument } from "./remove-document.ts";

export interface ClientCertificateDeps {
  readonly documents: Pick<DocumentStore, "create" | "list" | "find" | "remove">;
  readonly sealing: Pick<Sealing, "seal">;
  readonly nowMs: () => number;
}

interface StoredCertificate {
  readonly host: string;
  readonly cert: string;
  readonly ca: string | null;
  /** These two sealed. */
  readonly key: string;
  readonly passphrase: string | null;
}

const kind = "client-certificate";

export function clientCertificateHandlers({ documents, sealing, nowMs }: ClientCertificateDeps): readonly Handler[] {
  return [
    handler(listClientCertificates, async (_input, { caller }) =>
      (await documents.list<StoredCertificate>(caller.account.id, kind)).items.map(view),
    ),
    handler(createClientCertificate, async ({ body }, { caller }) => {
      const definition = stored(body, sealing);
      return view(await documents.create({ accountId: caller.account.id, kind, definition, nowMs: nowMs() }));
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
): StoredCertificate {
  const problems = certificateProblems({ cert, ca, key, passphrase });
  if (problems.length > 0) throw invalidInput(problems);
  return { host, cert, ca, key: seal(key), passphrase: passphrase === null ? null : seal(passphrase) };
}

function view({ uuid, definition: { host, cert, ca }, createdAtMs }: DocumentRow<StoredCertificate>): ClientCertificate {
  return { host, cert, ca, id: uuid, created_at: instant(createdAtMs) };
}
