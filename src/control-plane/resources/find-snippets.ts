import type { DocumentStore } from "../storage/storage.ts";
import type { Problem } from "./problems.ts";

/** What a check or a group names of snippets. */
interface WantedSnippets {
  readonly setupSnippetId?: number | null | undefined;
  readonly tearDownSnippetId?: number | null | undefined;
}

/** Snippets that the account does not have, by the field that names them. */
export async function snippetProblems(
  documents: Pick<DocumentStore, "byIds">,
  accountId: number,
  wanted: WantedSnippets,
): Promise<readonly Problem[]> {
  const named = (["setupSnippetId", "tearDownSnippetId"] as const).flatMap((path) => {
    const id = wanted[path];
    return typeof id === "number" ? [{ path, id }] : [];
  });
  const known = new Set((await documents.byIds(accountId, "snippet", [...new Set(named.map(({ id }) => id))])).map(({ id }) => id));
  return named.flatMap(({ path, id }) => (known.has(id) ? [] : [{ path, message: `names no snippet of this account; received ${id}` }]));
}
