import { kinds } from "#contract/kinds.ts";
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
  throw notFound(kinds[kind].title, String(Object.values(address)[0]));
}
