import { randomUUID } from "node:crypto";
import type { Kysely, Selectable } from "kysely";
import { kinds } from "#contract/kinds.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import type { StatusPageIncidentDefinition } from "#domain/incidents.ts";
import type {
  DocumentAddress,
  DocumentChange,
  DocumentFilter,
  DocumentKind,
  DocumentRow,
  DocumentStore,
  NewDocument,
} from "../document-store.ts";
import { wakes } from "../document-store.ts";
import type { Engine } from "../engine.ts";
import type { Tables, Trx } from "../schema.ts";
import type { Signals } from "../signals/signals.ts";
import { wakeAlerts } from "./alerting/wake-alerts.ts";
import { forgetSnippet } from "./snippet-references.ts";
import { noteNews } from "./subscribers/incident-news.ts";

export function documentStore(engine: Engine, signals: Signals): DocumentStore {
  const { reads } = engine;
  /** After a write, before it is answered. */
  const tell = <T>(accountId: number, kind: DocumentKind, written: T): T => {
    if (wakes[kind] === "runs") signals.send({ kind: "material", numbers: [accountId] });
    return written;
  };
  const writing = <T>(accountId: number, kind: DocumentKind, write: (trx: Trx) => Promise<T>): Promise<T> =>
    engine.transaction(async (trx) => {
      if (kind === "alert-channel" || kind === "check-group") engine.memory.forget(`${kind}s`);
      const written = await write(trx);
      if (wakes[kind] === "alerts") await wakeAlerts(engine, trx, { accountId });
      return written;
    });
  return {
    async create<D>(document: NewDocument<D>) {
      const { accountId, kind } = document;
      return tell(accountId, kind, await writing(accountId, kind, (trx) => insertDocument(trx, document)));
    },
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
    async byUuids<D>(accountId: number, kind: DocumentKind, uuids: readonly string[]) {
      if (uuids.length === 0) return [];
      const rows = await ofKind(reads, accountId, kind).where(engine.isAny("uuid", uuids)).orderBy("id").execute();
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
    update: async (accountId, kind, address, change, nowMs) =>
      tell(accountId, kind, await writing(accountId, kind, (trx) => changeDocument(engine, trx, accountId, kind, address, change, nowMs))),
    async remove(accountId, kind, address) {
      const removed = await writing(accountId, kind, async (trx) => {
        const row = await engine.lockRows(addressed(trx, accountId, kind, address)).executeTakeFirst();
        if (row) await trx.deleteFrom("documents").where("id", "=", row.id).execute();
        if (row && kind === "snippet") await forgetSnippet(engine, trx, accountId, row.id);
        return row !== undefined;
      });
      return tell(accountId, kind, removed);
    },
  };
}

/** As `create`, for what is written together with other tables. */
export async function insertDocument<D>(trx: Trx, document: NewDocument<D>): Promise<DocumentRow<D>> {
  const { kind, name = null, claims = [] } = document;
  const row = await trx
    .insertInto("documents")
    .values(valuesOf(document))
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((cause: unknown) => rethrowTaken(cause, kind, name));
  await writeClaims(trx, kind, row.id, claims);
  await noteIncident(trx, null, row, document.nowMs);
  return documentOf<D>(row);
}

/** Whatever writes an incident of status pages, its subscribers hear of it. */
async function noteIncident(
  trx: Trx,
  before: Selectable<Tables["documents"]> | null,
  after: Selectable<Tables["documents"]>,
  nowMs: number,
) {
  if (wakes[after.kind] !== "subscribers") return;
  const updatesBefore = before && documentOf<StatusPageIncidentDefinition>(before).definition;
  await noteNews(trx, updatesBefore, documentOf<StatusPageIncidentDefinition>(after), nowMs);
}

/** Those whose name is not taken; without claims. In order of their names, so that two calls with the same names do not wait for each other. */
export function insertMissing(trx: Trx, documents: readonly NewDocument[]) {
  const values = documents.toSorted((a, b) => ((a.name ?? "") < (b.name ?? "") ? -1 : 1)).map(valuesOf);
  return trx
    .insertInto("documents")
    .values(values)
    .onConflict((taken) => taken.doNothing())
    .returningAll()
    .execute();
}

function valuesOf({ accountId, kind, definition, uuid = randomUUID(), name = null, parentId, open = false, nowMs }: NewDocument) {
  return {
    uuid,
    account_id: accountId,
    kind,
    name,
    parent_id: parentId ?? null,
    definition: JSON.stringify(definition),
    is_open: open ? 1 : 0,
    created_at: nowMs,
  };
}

async function listDocuments<D>(db: Kysely<Tables>, accountId: number, kind: DocumentKind, filter: DocumentFilter) {
  const { parentId, page = 1, limit, newestFirst = false, after, open } = filter;
  let all = ofKind(db, accountId, kind);
  if (parentId !== undefined) all = all.where("parent_id", "=", parentId);
  if (open) all = all.where("is_open", "=", 1);
  const { total } = await all
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  let wanted = all.orderBy("id", newestFirst ? "desc" : "asc");
  if (after !== undefined) wanted = wanted.where("id", newestFirst ? "<" : ">", after);
  if (limit !== undefined) wanted = wanted.limit(limit).offset((page - 1) * limit);
  return { items: (await wanted.execute()).map(documentOf<D>), total: Number(total) };
}

/** As `update`, for what is written together with other tables. */
export async function changeDocument<D>(
  engine: Engine,
  trx: Trx,
  accountId: number,
  kind: DocumentKind,
  address: DocumentAddress,
  change: (before: DocumentRow<D>) => DocumentChange<D>,
  nowMs: number,
): Promise<DocumentRow<D> | undefined> {
  const before = await engine.lockRows(addressed(trx, accountId, kind, address)).executeTakeFirst();
  if (!before) return undefined;
  const { definition, name = before.name, claims, open = before.is_open === 1 } = change(documentOf(before));
  const row = await trx
    .updateTable("documents")
    .set({ definition: JSON.stringify(definition), name, is_open: open ? 1 : 0, updated_at: nowMs })
    .where("id", "=", before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((cause: unknown) => rethrowTaken(cause, kind, name));
  if (claims) {
    // Those that stay keep what was proved of them.
    const kept = (await trx.selectFrom("document_claims").select("claim").where("document_id", "=", before.id).execute()).map(
      ({ claim }) => claim,
    );
    const gone = kept.filter((claim) => !claims.includes(claim));
    if (gone.length > 0) await trx.deleteFrom("document_claims").where("document_id", "=", before.id).where("claim", "in", gone).execute();
    await writeClaims(
      trx,
      kind,
      before.id,
      claims.filter((claim) => !kept.includes(claim)),
    );
  }
  await noteIncident(trx, before, row, nowMs);
  return documentOf<D>(row);
}

/** One after the other and in order, so that two documents that want the same two claims do not wait for each other. */
async function writeClaims(trx: Trx, kind: DocumentKind, documentId: number, claims: readonly string[]): Promise<void> {
  for (const claim of claims.toSorted()) {
    await trx
      .insertInto("document_claims")
      .values({ claim, document_id: documentId, proven_at: null })
      .execute()
      .catch((cause: unknown) => rethrowTaken(cause, kind, claim));
  }
}

function rethrowTaken(cause: unknown, kind: DocumentKind, taken: string | null): never {
  if (!hasCode(cause, "conflict")) throw cause;
  // Without a name, what broke is the reference to the parent.
  if (taken === null) throw new AppError("conflict", `What the ${kinds[kind].title} belongs to is gone`, { cause });
  throw new AppError("conflict", `Another ${kinds[kind].title} has "${taken}" already`, { cause, attributes: { taken } });
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
export function documentOf<D>(row: Selectable<Tables["documents"]>): DocumentRow<D> {
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
