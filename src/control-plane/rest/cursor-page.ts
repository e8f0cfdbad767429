import { AppError } from "#domain/app-error.ts";
import type { DocumentKind, DocumentRow, DocumentStore } from "../storage/storage.ts";

export interface CursorWish {
  readonly limit: number;
  readonly nextId?: string | undefined;
}

/**
 * A part of a cursor list. The cursor is the number of the last row: rows that come or go between two calls shift nothing.
 *
 * @throws {AppError} invalid_input for a cursor that no answer gave out
 */
export async function cursorPage<D>(
  documents: Pick<DocumentStore, "list">,
  accountId: number,
  kind: DocumentKind,
  { limit, nextId }: CursorWish,
  newestFirst = false,
): Promise<{ readonly rows: readonly DocumentRow<D>[]; readonly nextId: string | null }> {
  const after = nextId === undefined ? {} : { after: rowNoOf(nextId) };
  const { items } = await documents.list<D>(accountId, kind, { newestFirst, limit: limit + 1, ...after });
  const rows = items.slice(0, limit);
  return { rows, nextId: items.length > limit ? String(rows.at(-1)?.id) : null };
}

/** The number of the last row of the part before. @throws {AppError} invalid_input for a cursor that no answer gave out */
export function rowNoOf(nextId: string): number {
  if (!/^\d{1,15}$/.test(nextId)) throw new AppError("invalid_input", "nextId is not one that this service gave out");
  return Number(nextId);
}
