import { type KindName, kinds } from "#contract/kinds.ts";
import { type InputProblem, invalidInput } from "#domain/invalid-input.ts";
import { placesAt } from "#domain/json-paths.ts";
import type { DocumentKind, DocumentStore } from "../storage/storage.ts";

interface NamedObject {
  readonly place: string;
  readonly found: unknown;
  readonly kind: DocumentKind;
}

/** Groups and channels are looked up where checks join them; a certificate that is gone is told by the run that misses it. */
const lookedUp: readonly DocumentKind[] = ["snippet", "dashboard", "status-page", "status-page-service"];

/** What is wrong with the objects that a body names. Objects of other accounts are as absent as missing ones. */
export async function referenceProblems(
  documents: Pick<DocumentStore, "byIds" | "byUuids">,
  accountId: number,
  kind: KindName,
  body: unknown,
): Promise<readonly InputProblem[]> {
  const named = kinds[kind].references.flatMap((reference) => {
    const wanted = lookedUp.find((one) => one === reference.kind);
    return wanted === undefined ? [] : placesAt(body, reference.path).map((place) => ({ ...place, kind: wanted }));
  });
  const problems = await Promise.all(
    [...Map.groupBy(named, (one) => one.kind)].map(([wanted, ofKind]) => problemsOf(documents, accountId, wanted, ofKind)),
  );
  return problems.flat();
}

/** @throws {AppError} invalid_input naming each field that names nothing of the account */
export async function refuseUnknownReferences(...asked: Parameters<typeof referenceProblems>): Promise<void> {
  const problems = await referenceProblems(...asked);
  if (problems.length > 0) throw invalidInput(problems);
}

async function problemsOf(
  documents: Pick<DocumentStore, "byIds" | "byUuids">,
  accountId: number,
  kind: DocumentKind,
  named: readonly NamedObject[],
): Promise<readonly InputProblem[]> {
  const wanted = [...new Set(named.map(({ found }) => keyOf(found)))];
  const [ids, uuids] = [wanted.filter((key) => typeof key === "number"), wanted.filter((key) => typeof key === "string")];
  const rows = [...(await documents.byIds(accountId, kind, ids)), ...(await documents.byUuids(accountId, kind, uuids))];
  const known = new Set<unknown>(rows.flatMap(({ id, uuid }) => [id, uuid]));
  return named
    .filter(({ found }) => !known.has(keyOf(found)))
    .map(({ place, found }) => ({
      path: place,
      message: `names no ${kinds[kind].title} of this account; received ${JSON.stringify(found)}`,
    }));
}

/** Clients write uuids in either case. */
function keyOf(found: unknown): unknown {
  return typeof found === "string" ? found.toLowerCase() : found;
}
