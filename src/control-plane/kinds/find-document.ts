import { kinds } from "#contract/kinds.ts";
import type { DocumentAddress, DocumentKind, DocumentRow, DocumentStore } from "../storage/storage.ts";
import { notFound } from "./not-found.ts";

/** @throws {AppError} not_found */
export async function findDocument<D>(
  documents: Pick<DocumentStore, "find">,
  accountId: number,
  kind: DocumentKind,
  address: DocumentAddress,
): Promise<DocumentRow<D>> {
  return found(await documents.find<D>(accountId, kind, address), kind, address);
}

/** The document that a store answered. @throws {AppError} not_found */
export function found<D>(row: DocumentRow<D> | undefined, kind: DocumentKind, address: DocumentAddress): DocumentRow<D> {
  if (row === undefined) throw notFound(kinds[kind].title, String(Object.values(address)[0]));
  return row;
}
