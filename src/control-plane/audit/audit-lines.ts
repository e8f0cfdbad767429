import { appendFile } from "node:fs/promises";
import type { Logger } from "#daemon/logger.ts";
import type { Service } from "#daemon/service.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import { ttlCache } from "#domain/ttl-cache.ts";
import { instant } from "../kinds/instants.ts";
import type { NotedEntry } from "../storage/audit-store.ts";
import type { AccountStore } from "../storage/storage.ts";

/** The audit log as it goes out, for whoever collects it: JSON, one entry a line. */
export interface AuditLines extends Service {
  readonly write: (entry: NotedEntry) => void;
}

/** Lines that wait while the file cannot be written; the oldest go first. */
const mostWaiting = 10_000;

/**
 * @param target `stdout`, or a file, which is opened for each write: whoever rotates it need not tell us; null: nothing goes out
 */
export function createAuditLines(deps: {
  readonly target: string | null;
  readonly accounts: Pick<AccountStore, "byId">;
  readonly nowMs: () => number;
  readonly log: Logger;
  /** For tests. */
  readonly print?: (text: string) => void;
}): AuditLines {
  const { target, log, print = (text) => void process.stdout.write(text) } = deps;
  const uuids = ttlCache(
    { ttlMs: 60_000, maxEntries: 1_000, nowMs: deps.nowMs },
    async (id) => (await deps.accounts.byId(Number(id)))?.uuid,
  );
  let waiting: NotedEntry[] = [];
  let writing: Promise<void> | null = null;

  async function textOf({ accountId, atMs, request, actor, ...entry }: NotedEntry): Promise<string> {
    const account = accountId === null ? null : ((await uuids.get(String(accountId))) ?? null);
    return `${JSON.stringify({ type: "audit", time: instant(atMs), account, actor, ...entry, ...request })}\n`;
  }

  async function writeAll(to: string): Promise<void> {
    while (waiting.length > 0) {
      const taken = waiting.splice(0, 500);
      const text = (await Promise.all(taken.map(textOf))).join("");
      if (to === "stdout") print(text);
      else await appendFile(to, text, { mode: 0o600 });
    }
  }

  return {
    name: "audit lines",
    start: async () => undefined,
    write(entry) {
      if (target === null) return;
      waiting.push(entry);
      if (waiting.length > mostWaiting) waiting = waiting.slice(-mostWaiting);
      writing ??= writeAll(target)
        .catch((error: unknown) => log.error({ err: error }, "AUDIT_OUTPUT cannot be written: entries of the audit log did not go out"))
        .finally(() => {
          writing = null;
        });
    },
    async stop(deadline) {
      if (writing === null) return;
      await untilAborted(deadline, writing).catch(() =>
        log.error({ waiting: waiting.length }, "stopped before AUDIT_OUTPUT had all entries"),
      );
    },
  };
}
