import type { SnippetCreate } from "#contract/snippets.ts";
import { ttlCache } from "#domain/ttl-cache.ts";
import { isSealed } from "../keys/sealing.ts";
import { type StoredCertificate } from "../kinds/client-certificate.ts";
import { type StoredAccountVariable, variablePlace } from "../kinds/variable.ts";
import type { DocumentKind, DocumentRow, DocumentStore, StorageSignals } from "../storage/storage.ts";
import type { KeptVariable } from "./kept-variables.ts";

export interface AccountMaterialDeps {
  readonly documents: Pick<DocumentStore, "list" | "byIds">;
  readonly signals: Pick<StorageSignals, "onMaterialChanged">;
  readonly nowMs: () => number;
}

export interface SnippetBook {
  readonly byId: ReadonlyMap<number, SnippetCreate>;
  /** Code by name, the newest first; of two with one name the newest. */
  readonly byName: ReadonlyMap<string, string>;
  /** False where the account has more than is kept in memory: then only the newest have their place here. */
  readonly isWhole: boolean;
}

/** A client certificate whose key and passphrase are still sealed. */
export interface KeptCertificate extends StoredCertificate {
  readonly uuid: string;
}

/** What the runs of all checks of an account share. */
export interface AccountMaterial {
  variables(accountId: number): Promise<readonly KeptVariable[]>;
  /** @param ids of those that a check names, which must be in it, however old they are */
  snippets(accountId: number, ids: readonly number[]): Promise<SnippetBook>;
  /** The newest first. */
  certificates(accountId: number): Promise<readonly KeptCertificate[]>;
}

/** A signal from another process may be lost; then a change counts after this long. */
const ttlMs = 5_000;
const maxAccounts = 1_000;
/** Of one account and kind, as JSON; and one page more. Many times what one run may bring, so that no account fills this process's memory. */
const maxCharacters = 8_388_608;
const pageSize = 32;

/** Remembered: leases ask for it thousands of times a second. A change counts at once. */
export function createAccountMaterial({ documents, signals, nowMs }: AccountMaterialDeps): AccountMaterial {
  const cache = { ttlMs, maxEntries: maxAccounts, nowMs };
  const variables = ttlCache(cache, async (id) => {
    const { rows } = await newest<StoredAccountVariable>(documents, Number(id), "variable");
    return rows.toReversed().map((row) => keptVariable(Number(id), row));
  });
  const snippets = ttlCache(cache, async (id) => snippetBook(await newest<SnippetCreate>(documents, Number(id), "snippet")));
  const certificates = ttlCache(cache, async (id) => {
    const { rows } = await newest<StoredCertificate>(documents, Number(id), "client-certificate");
    return rows.map(({ uuid, definition }): KeptCertificate => ({ ...definition, uuid }));
  });
  signals.onMaterialChanged((accountIds) => {
    for (const id of accountIds.map(String)) for (const { forget } of [variables, snippets, certificates]) forget(id);
  });
  return {
    variables: async (accountId) => (await variables.get(String(accountId))) ?? [],
    async snippets(accountId, ids) {
      const book = (await snippets.get(String(accountId))) ?? snippetBook({ rows: [], isWhole: true });
      const missing = ids.filter((id) => !book.byId.has(id));
      if (book.isWhole || missing.length === 0) return book;
      const rows = await documents.byIds<SnippetCreate>(accountId, "snippet", missing);
      return { ...book, byId: new Map([...book.byId, ...byId(rows)]) };
    },
    certificates: async (accountId) => (await certificates.get(String(accountId))) ?? [],
  };
}

function keptVariable(
  accountId: number,
  { name, definition: { value, locked, secret } }: DocumentRow<StoredAccountVariable>,
): KeptVariable {
  const key = name ?? "";
  const place = variablePlace(accountId, key);
  const sealed = secret || (locked && isSealed(value)) ? value : undefined;
  return { key, value: sealed === undefined ? value : null, sealed, isSecret: secret || locked, place };
}

interface Newest<D> {
  /** The newest first. */
  readonly rows: readonly DocumentRow<D>[];
  readonly isWhole: boolean;
}

async function newest<D>(documents: Pick<DocumentStore, "list">, accountId: number, kind: DocumentKind): Promise<Newest<D>> {
  const rows: DocumentRow<D>[] = [];
  for (let characters = 0; characters < maxCharacters; ) {
    const last = rows.at(-1);
    const from = last === undefined ? {} : { after: last.id };
    const { items } = await documents.list<D>(accountId, kind, { newestFirst: true, limit: pageSize, ...from });
    rows.push(...items);
    if (items.length < pageSize) return { rows, isWhole: true };
    characters += JSON.stringify(items).length;
  }
  return { rows, isWhole: false };
}

function snippetBook({ rows, isWhole }: Newest<SnippetCreate>): SnippetBook {
  const byName = new Map<string, string>();
  for (const { definition } of rows) if (!byName.has(definition.name)) byName.set(definition.name, definition.script);
  return { byId: byId(rows), byName, isWhole };
}

function byId(rows: readonly DocumentRow<SnippetCreate>[]): ReadonlyMap<number, SnippetCreate> {
  return new Map(rows.map(({ id, definition }) => [id, definition]));
}
