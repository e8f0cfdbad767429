import type { Logger } from "#daemon/logger.ts";
import type { Service } from "#daemon/service.ts";
import type { Storage } from "../storage/storage.ts";
import { createAuditLines } from "./audit-lines.ts";
import type { AuditMetrics } from "./audit-metrics.ts";
import { createKeyUses, type KeyUses } from "./key-uses.ts";
import { type AuditWriter, createAuditWriter } from "./write-audit.ts";

export interface Audit extends Pick<AuditWriter, "audit" | "note"> {
  readonly noteUse: KeyUses["note"];
  /** What was written. */
  readonly auditLog: Storage["audit"];
  /** The first is stopped last. */
  readonly services: readonly Service[];
}

/** Who did what: the log in the store, its lines for collectors, and the uses of keys. */
export function createAudit(
  deps: Pick<Storage, "accounts" | "keys"> &
    AuditMetrics & {
      readonly store: Storage["audit"];
      readonly auditOutput: string | null;
      readonly nowMs: () => number;
      readonly log: Logger;
    },
): Audit {
  const lines = createAuditLines({ ...deps, target: deps.auditOutput });
  const writer = createAuditWriter({ ...deps, lines });
  const uses = createKeyUses({ ...deps, lines });
  return { auditLog: deps.store, audit: writer.audit, note: writer.note, noteUse: uses.note, services: [lines, writer, uses] };
}
