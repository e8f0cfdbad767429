import { type AuditLogEntry, listAuditLog } from "#contract/audit-log.ts";
import { type Handler, handler } from "../http/handler.ts";
import { instant } from "../kinds/instants.ts";
import type { AuditActor, AuditEntry, AuditStore } from "../storage/storage.ts";

export function auditLogHandlers(audit: Pick<AuditStore, "list">): readonly Handler[] {
  return [
    handler(
      listAuditLog,
      async ({ query: { limit, nextId: before, from: fromMs, to: toMs, operation: operations, ...who } }, { caller }) => {
        const found = await audit.list(caller.account.id, { limit: limit + 1, before, fromMs, toMs, operations, ...who });
        const entries = found.slice(0, limit);
        const last = found.length > limit ? entries.at(-1) : undefined;
        return { length: entries.length, entries: entries.map(entryView), nextId: last === undefined ? null : `${last.atMs}-${last.id}` };
      },
    ),
  ];
}

function entryView({ id, atMs, operation, resourceId, fields, changes = [], actor, request }: AuditEntry): AuditLogEntry {
  return {
    id: String(id),
    created_at: instant(atMs),
    actor: actorView(actor),
    operation,
    method: request?.method ?? null,
    path: request?.path ?? null,
    resourceId,
    fields: [...fields],
    changes: changes.map(({ isHidden, ...change }) => ({ ...change, hidden: isHidden })),
    status: request?.status ?? null,
    requestId: request?.requestId ?? null,
    remoteAddress: request?.remoteAddress ?? null,
  };
}

const nobody = { keyId: null, maskedKey: null, kind: null, userId: null, userName: null, role: null };

function actorView(actor: AuditActor | null): AuditLogEntry["actor"] {
  if (actor === null) return { ...nobody, type: "command-line" };
  return { ...nobody, ...actor, type: "keyId" in actor ? "key" : "user" };
}
