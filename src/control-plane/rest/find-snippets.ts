import type { CheckCreate, CheckUpdate } from "#contract/checks/stored-types.ts";
import { type InputProblem, invalidInput } from "#domain/invalid-input.ts";
import type { DocumentStore } from "../storage/storage.ts";

/** What a check or a group names of snippets. */
interface WantedSnippets {
  readonly setupSnippetId?: unknown;
  readonly tearDownSnippetId?: unknown;
}

/** Snippets that the account does not have, by the field that names them. */
export async function snippetProblems(
  documents: Pick<DocumentStore, "byIds">,
  accountId: number,
  wanted: WantedSnippets,
): Promise<readonly InputProblem[]> {
  const named = (["setupSnippetId", "tearDownSnippetId"] as const).flatMap((path) => {
    const id = wanted[path];
    return typeof id === "number" ? [{ path, id }] : [];
  });
  const known = new Set((await documents.byIds(accountId, "snippet", [...new Set(named.map(({ id }) => id))])).map(({ id }) => id));
  return named.flatMap(({ path, id }) => (known.has(id) ? [] : [{ path, message: `names no snippet of this account; received ${id}` }]));
}

/** Of a body: what a check keeps of snippets that are gone is no reason to refuse another change. @throws {AppError} invalid_input */
export async function assertSnippets(
  documents: Pick<DocumentStore, "byIds">,
  accountId: number,
  body: CheckCreate | CheckUpdate,
): Promise<void> {
  const wanted: WantedSnippets & object = body; // types without scripts have neither field
  const problems = await snippetProblems(documents, accountId, wanted);
  if (problems.length > 0) throw invalidInput(problems);
}
