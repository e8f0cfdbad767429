import { randomUUID } from "node:crypto";
import type { Kysely, Selectable } from "kysely";
import { AppError, hasCode } from "#domain/app-error.ts";
import type {
  DocumentAddress,
  DocumentChange,
  DocumentFilter,
  DocumentKind,
  DocumentRow,
  DocumentStore,
  NewDocument,
} from "../document-store.ts";
import { documentTitles } from "../document-store.ts";
import type { Engine } from "../engine.ts";
import type { Tables, Trx } from "../schema.ts";

export function documentStore(engine: Engine): DocumentStore {
  const { reads } = engine;
  return {
    create: (document) => createDocument(engine, document),
    list: (accountId, kind, filter = {}) => listDocuments(reads, accountId, kind, filter),
    async find<D>(accountId: number, kind: DocumentKind, address: DocumentAddress) {
      const row = await addressed(reads, accountId, kind, address).executeTakeFirst();
      return row && documentOf<D>(row);
    },
    async byIds<D>(accountId: number, kind: DocumentKind, ids: readonly number[]) {
      if (ids.length === 0) return [];
      const rows = await ofKind(reads, accountId, kind).where(engine.isAny("id", ids)).orderBy("id").execute();
      return rows.map(documentOf<D>);
    },
    async byClaim<D>(kind: DocumentKind, claim: string) {
      const row = await reads
        .selectFrom("documents")
        .innerJoin("document_claims", "document_claims.document_id", "documents.id")
        .selectAll("documents")
        .where("document_claims.claim", "=", claim)
        .where("documents.kind", "=", kind)
        .executeTakeFirst();
      return row && documentOf<D>(row);
    },
    update: (accountId, kind, address, change, nowMs) => updateDocument(engine, accountId, kind, address, change, nowMs),
    async remove(accountId, kind, address) {
      return engine.transaction(async (trx) => {
        const row = await engine.lockRows(addressed(trx, accountId, kind, address)).executeTakeFirst();
        if (row) await trx.deleteFrom("documents").where("id", "=", row.id).execute();
        return row !== undefined;
      });
    },
  };
}

async function createDocument<D>(engine: Engine, document: NewDocument<D>): Promise<DocumentRow<D>> {
  const { accountId, kind, definition, uuid = randomUUID(), name = null, parentId = null, claims = [], nowMs } = document;
  const values = {
    uuid,
    account_id: accountId,
    kind,
    name,
    parent_id: parentId,
    definition: JSON.stringify(definition),
    created_at: nowMs,
  };
  return engine.transaction(async (trx) => {
    const row = await trx
      .insertInto("documents")
      .values(values)
      .returningAll()
      .executeTakeFirstOrThrow()
      .catch((cause: unknown) => rethrowTaken(cause, kind, name));
    await writeClaims(trx, kind, row.id, claims);
    return documentOf<D>(row);
  });
}

async function listDocuments<D>(db: Kysely<Tables>, accountId: number, kind: DocumentKind, filter: DocumentFilter) {
  const { parentId, page = 1, limit, newestFirst = false, after } = filter;
  const all = parentId === undefined ? ofKind(db, accountId, kind) : ofKind(db, accountId, kind).where("parent_id", "=", parentId);
  const { total } = await all
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  let wanted = all.orderBy("id", newestFirst ? "desc" : "asc");
  if (after !== undefined) wanted = wanted.where("id", newestFirst ? "<" : ">", after);
  if (limit !== undefined) wanted = wanted.limit(limit).offset((page - 1) * limit);
  return { items: (await wanted.execute()).map(documentOf<D>), total: Number(total) };
}

async function updateDocument<D>(
  engine: Engine,
  accountId: number,
  kind: DocumentKind,
  address: DocumentAddress,
  change: (before: DocumentRow<D>) => DocumentChange<D>,
  nowMs: number,
): Promise<DocumentRow<D> | undefined> {
  return engine.transaction(async (trx) => {
    const before = await engine.lockRows(addressed(trx, accountId, kind, address)).executeTakeFirst();
    if (!before) return undefined;
    const { definition, name = before.name, claims } = change(documentOf(before));
    const row = await trx
      .updateTable("documents")
      .set({ definition: JSON.stringify(definition), name, updated_at: nowMs })
      .where("id", "=", before.id)
      .returningAll()
      .executeTakeFirstOrThrow()
      .catch((cause: unknown) => rethrowTaken(cause, kind, name));
    if (claims) {
      await trx.deleteFrom("document_claims").where("document_id", "=", before.id).execute();
      await writeClaims(trx, kind, before.id, claims);
    }
    return documentOf<D>(row);
  });
}

/** One after the other and in order, so that two documents that want the same two claims do not wait for each other. */
async function writeClaims(trx: Trx, kind: DocumentKind, documentId: number, claims: readonly string[]): Promise<void> {
  for (const claim of claims.toSorted()) {
    await trx
      .insertInto("document_claims")
      .values({ claim, document_id: documentId })
      .execute()
      .catch((cause: unknown) => rethrowTaken(cause, kind, claim));
  }
}

function rethrowTaken(cause: unknown, kind: DocumentKind, taken: string | null): never {
  if (!hasCode(cause, "conflict")) throw cause;
  throw new AppError("conflict", `Another ${documentTitles[kind]} has "${taken ?? ""}" already`, { cause, attributes: { taken } });
}

function ofKind(db: Kysely<Tables>, accountId: number, kind: DocumentKind) {
  return db.selectFrom("documents").selectAll().where("account_id", "=", accountId).where("kind", "=", kind);
}

function addressed(db: Kysely<Tables>, accountId: number, kind: DocumentKind, address: DocumentAddress) {
  const all = ofKind(db, accountId, kind);
  if ("id" in address) return all.where("id", "=", address.id);
  return "uuid" in address ? all.where("uuid", "=", address.uuid) : all.where("name", "=", address.name);
}

/** The definition was written by the resource that reads it. */
function documentOf<D>(row: Selectable<Tables["documents"]>): DocumentRow<D> {
  return {
    id: row.id,
    uuid: row.uuid,
    accountId: row.account_id,
    kind: row.kind,
    name: row.name,
    parentId: row.parent_id,
    definition: JSON.parse(row.definition) as D,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}
