import type { Logger } from "#daemon/logger.ts";
import type { Service } from "#daemon/service.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import { hasCode } from "#domain/app-error.ts";
import { networkOf } from "../http/network-of.ts";
import { createRateLimiter } from "../http/rate-limit.ts";
import { type NotedEntry } from "../storage/audit-store.ts";
import type { AuditStore, NewAuditEntry } from "../storage/storage.ts";
import type { AuditLines } from "./audit-lines.ts";

/** When it has stopped, all that was noted is written. */
export interface AuditWriter extends Service {
  /**
   * Writes an entry before the change is answered. Where that fails the change is made already, so the answer is an error that no client
   * tries again by itself (500, not 503), and the entry goes to the log of the process: no change is without a trace.
   */
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  /** Writes what nobody waits for. Bounded for each address: a flood of refusals is no flood of writes. */
  readonly note: (entry: NotedEntry) => void;
}

/** From one address, in one account: refusals hide no sign-in that succeeded, and those of one tenant none of another's. */
const limits = {
  refused: { requests: 30, windowSeconds: 60 },
  done: { requests: 600, windowSeconds: 60 },
};

export function createAuditWriter(deps: {
  readonly store: Pick<AuditStore, "append">;
  readonly lines: Pick<AuditLines, "write">;
  readonly countDroppedNotes: () => void;
  readonly nowMs: () => number;
  readonly log: Logger;
}): AuditWriter {
  const { store, lines, log } = deps;
  const count = createRateLimiter(limits, deps.nowMs);

  async function keep(entry: NotedEntry): Promise<void> {
    const { accountId } = entry;
    if (accountId !== null) await store.append({ ...entry, accountId });
    lines.write(entry);
  }

  const writing = new Set<Promise<void>>();

  return {
    name: "audit log",
    start: async () => undefined,
    async stop(deadline) {
      await untilAborted(deadline, Promise.all(writing)).catch(() =>
        log.error({ waiting: writing.size }, "stopped before the audit log had all entries"),
      );
    },
    async audit(entry) {
      try {
        await keep(entry);
      } catch (cause) {
        log.error({ entry: withoutValues(entry) }, "could not write a change to the audit log");
        throw new Error(`${entry.operation} is done, but the audit log could not be written`, { cause });
      }
    },
    note(entry) {
      try {
        const { remoteAddress = "", status = 200 } = entry.request ?? {};
        count(status >= 400 ? "refused" : "done", `${networkOf(remoteAddress)} ${entry.accountId ?? ""}`);
      } catch (error) {
        if (!hasCode(error, "rate_limited")) throw error;
        return deps.countDroppedNotes();
      }
      const written = keep(entry)
        .catch((error: unknown) => log.error({ entry, err: error }, "could not write an audit log entry"))
        .finally(() => writing.delete(written));
      writing.add(written);
    },
  };
}

/** For logs. */
function withoutValues({ changes = [], ...entry }: NewAuditEntry): object {
  return { ...entry, changed: changes.length };
}
