import type { CompiledQuery } from "kysely";

/** A statement of a transaction whose answer nobody needs. */
interface Unawaited extends CompiledQuery {
  readonly isUnawaited: true;
}

/**
 * Within a transaction it travels with the next statement that is waited for, which `commit` is at the latest: a way to the database and back
 * costs as much as many rows. Its failure is the next one's, and the transaction's.
 */
export function unawaited(query: CompiledQuery): CompiledQuery {
  const marked: Unawaited = { ...query, isUnawaited: true };
  return marked;
}

export function isUnawaited(query: CompiledQuery): boolean {
  return "isUnawaited" in query;
}
