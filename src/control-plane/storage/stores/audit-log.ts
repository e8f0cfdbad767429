import type { Selectable } from "kysely";
import type { AuditActor, AuditEntry, AuditFilter, AuditRequest, AuditStore, FieldChange, NewAuditEntry } from "../audit-store.ts";
import type { Engine } from "../engine.ts";
import { GroupCommit } from "../group-commit.ts";
import type { Tables } from "../schema.ts";

type Row = Selectable<Tables["audit_log"]>;

const maxBatch = 200;

/** Entries that arrive while others are being written share one insert. */
export function auditStore(engine: Engine): AuditStore {
  const { db, reads } = engine;
  const appends = new GroupCommit<NewAuditEntry, void>(
    1,
    maxBatch,
    () => 1,
    async (entries) => {
      await db.insertInto("audit_log").values(entries.map(auditValues)).execute();
      return entries.map(() => undefined);
    },
  );
  return {
    append: (entry) => appends.add(entry),
    async list(accountId, { limit, fromMs, toMs, operations, refused, keyId, userId, resourceId, before }: AuditFilter) {
      let query = reads.selectFrom("audit_log").selectAll().where("account_id", "=", accountId);
      if (fromMs !== undefined) query = query.where("at_ms", ">=", fromMs);
      if (toMs !== undefined) query = query.where("at_ms", "<", toMs);
      if (operations !== undefined) query = query.where("operation", "in", [...operations]);
      if (refused !== undefined)
        query = refused ? query.where("status", ">=", 400) : query.where((eb) => eb("status", "is", null).or("status", "<", 400));
      if (keyId !== undefined) query = query.where("key_id", "=", keyId);
      if (userId !== undefined) query = query.where("user_id", "=", userId);
      if (resourceId !== undefined) query = query.where("resource_id", "=", resourceId);
      if (before !== undefined)
        query = query
          .where("at_ms", "<=", before.atMs) // what the index can use
          .where((eb) => eb.or([eb("at_ms", "<", before.atMs), eb("id", "<", before.id)]));
      return (await query.orderBy("at_ms", "desc").orderBy("id", "desc").limit(limit).execute()).map(entryOf);
    },
    async prune(olderThanMs, limit) {
      const oldest = await reads
        .selectFrom("audit_log")
        .select("id")
        .where("at_ms", "<", olderThanMs)
        .orderBy("at_ms")
        .limit(limit)
        .execute();
      const ids = oldest.map(({ id }) => id);
      if (ids.length > 0) await db.deleteFrom("audit_log").where(engine.isAny("id", ids)).execute();
      return ids.length;
    },
  };
}

const nobody = { keyId: null, maskedKey: null, kind: null, userId: null, userName: null, role: null };
const noRequest = { method: null, path: null, status: null, requestId: null, remoteAddress: null };

export function auditValues({
  accountId,
  atMs,
  operation,
  resourceId,
  fields,
  changes = [],
  actor,
  request,
}: NewAuditEntry): Omit<Row, "id"> {
  const { keyId, maskedKey, kind, userId, userName, role } = { ...nobody, ...actor };
  const { method, path, status, requestId, remoteAddress } = request ?? noRequest;
  return {
    account_id: accountId,
    at_ms: atMs,
    key_id: keyId,
    user_id: userId,
    user_name: userName,
    masked_key: maskedKey,
    kind,
    role,
    operation,
    method,
    path,
    resource_id: resourceId,
    fields: JSON.stringify(fields),
    changes: changes.length === 0 ? null : JSON.stringify(changes),
    status,
    request_id: requestId,
    remote_address: remoteAddress,
  };
}

function entryOf(row: Row): AuditEntry {
  return {
    id: row.id,
    accountId: row.account_id,
    atMs: row.at_ms,
    operation: row.operation,
    resourceId: row.resource_id,
    fields: JSON.parse(row.fields) as readonly string[], // as `auditValues` wrote it
    ...(row.changes !== null && { changes: JSON.parse(row.changes) as readonly FieldChange[] }),
    actor: actorOf(row),
    request: requestOf(row),
  };
}

function actorOf({ key_id: keyId, masked_key: maskedKey, kind, user_id: userId, user_name: userName, role }: Row): AuditActor | null {
  if (userId !== null && userName !== null && role !== null) return { userId, userName, role };
  return keyId === null || maskedKey === null || kind === null || role === null ? null : { keyId, maskedKey, kind, role };
}

function requestOf({ method, path, status, request_id: requestId, remote_address: remoteAddress }: Row): AuditRequest | null {
  if (method === null || path === null || status === null || requestId === null || remoteAddress === null) return null;
  return { method, path, status, requestId, remoteAddress };
}
