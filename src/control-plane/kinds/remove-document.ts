import { documentTitles } from "../storage/document-store.ts";
import type { DocumentAddress, DocumentKind, DocumentStore } from "../storage/storage.ts";
import { notFound } from "./not-found.ts";

/** @throws {AppError} not_found */
export async function removeDocument(
  documents: Pick<DocumentStore, "remove">,
  accountId: number,
  kind: DocumentKind,
  address: DocumentAddress,
): Promise<undefined> {
  if (await documents.remove(accountId, kind, address)) return undefined;
  throw notFound(documentTitles[kind], String(Object.values(address)[0]));
}
