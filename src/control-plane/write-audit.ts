import type { Logger } from "#daemon/logger.ts";
import type { AuditStore, NewAuditEntry } from "./storage/storage.ts";

/**
 * Writes an entry before the change is answered. Where that fails the change is made already, so the answer is an error that no client
 * tries again by itself (500, not 503), and the entry goes to the log of the process: no change is without a trace.
 */
export function createAuditWriter({
  audit,
  log,
}: {
  readonly audit: Pick<AuditStore, "append">;
  readonly log: Logger;
}): (entry: NewAuditEntry) => Promise<void> {
  return async (entry) => {
    try {
      await audit.append(entry);
    } catch (cause) {
      log.error({ entry }, "a change was made that the audit log could not take");
      throw new Error(`${entry.operation} is done, but the audit log could not be written`, { cause });
    }
  };
}
