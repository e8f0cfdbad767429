import type { SnippetCreate } from "#contract/snippets.ts";
import { certificateKind, type StoredCertificate } from "../resources/client-certificates.ts";
import { type StoredAccountVariable, variablePlace } from "../resources/variables.ts";
import type { DocumentRow, DocumentStore, StorageSignals } from "../storage/storage.ts";
import { ttlCache } from "../ttl-cache.ts";
import type { KeptVariable } from "./kept-variables.ts";

export interface AccountMaterialDeps {
  readonly documents: Pick<DocumentStore, "list">;
  readonly signals: Pick<StorageSignals, "onMaterialChanged">;
  readonly nowMs: () => number;
}

export interface SnippetBook {
  readonly byId: ReadonlyMap<number, SnippetCreate>;
  /** Code by name, the newest first; of two with one name the newest. */
  readonly byName: ReadonlyMap<string, string>;
}

/** A client certificate whose key and passphrase are still sealed. */
export interface KeptCertificate extends StoredCertificate {
  readonly uuid: string;
}

/** What the runs of all checks of an account share. */
export interface AccountMaterial {
  variables(accountId: number): Promise<readonly KeptVariable[]>;
  snippets(accountId: number): Promise<SnippetBook>;
  /** The newest first. */
  certificates(accountId: number): Promise<readonly KeptCertificate[]>;
}

/** A signal from another process may be lost; then a change counts after this long. */
const ttlMs = 5_000;
const maxAccounts = 1_000;

/** Remembered: leases ask for it thousands of times a second. A change counts at once. */
export function createAccountMaterial({ documents, signals, nowMs }: AccountMaterialDeps): AccountMaterial {
  const cache = { ttlMs, maxEntries: maxAccounts, nowMs };
  const variables = ttlCache(cache, async (id) => {
    const { items } = await documents.list<StoredAccountVariable>(Number(id), "variable");
    return items.map((row) => keptVariable(Number(id), row));
  });
  const snippets = ttlCache(cache, async (id) => snippetBook((await documents.list<SnippetCreate>(Number(id), "snippet")).items));
  const certificates = ttlCache(cache, async (id) => {
    const { items } = await documents.list<StoredCertificate>(Number(id), certificateKind, { newestFirst: true });
    return items.map(({ uuid, definition }): KeptCertificate => ({ ...definition, uuid }));
  });
  signals.onMaterialChanged((accountIds) => {
    for (const id of accountIds.map(String)) for (const { forget } of [variables, snippets, certificates]) forget(id);
  });
  return {
    variables: async (accountId) => (await variables.get(String(accountId))) ?? [],
    snippets: async (accountId) => (await snippets.get(String(accountId))) ?? snippetBook([]),
    certificates: async (accountId) => (await certificates.get(String(accountId))) ?? [],
  };
}

function keptVariable(
  accountId: number,
  { name, definition: { value, locked, secret } }: DocumentRow<StoredAccountVariable>,
): KeptVariable {
  const key = name ?? "";
  const place = variablePlace(accountId, key);
  return { key, value: secret ? null : value, sealed: secret ? value : undefined, isSecret: secret || locked, place };
}

function snippetBook(rows: readonly DocumentRow<SnippetCreate>[]): SnippetBook {
  const byName = new Map<string, string>();
  for (const { definition } of rows.toReversed()) if (!byName.has(definition.name)) byName.set(definition.name, definition.script);
  return { byId: new Map(rows.map(({ id, definition }) => [id, definition])), byName };
}
