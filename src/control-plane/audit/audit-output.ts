import { appendFile } from "node:fs/promises";
import type { Logger } from "#daemon/logger.ts";
import { ttlCache } from "#domain/ttl-cache.ts";
import { instant } from "../kinds/instants.ts";
import type { NotedEntry } from "../storage/audit-store.ts";
import type { AccountStore } from "../storage/storage.ts";
import type { TakenEntries } from "./waiting-lines.ts";

export interface AuditOutputDeps {
  readonly accounts: Pick<AccountStore, "byId">;
  readonly nowMs: () => number;
  readonly log: Logger;
}

/**
 * Writes entries as lines of JSON; before them, how many were lost. It is logged once that this fails, and once that it goes on.
 *
 * @param target `stdout`, or a file, which is opened for each write: whoever rotates it need not tell us
 */
export function createAuditOutput(deps: AuditOutputDeps, target: string): (taken: TakenEntries) => Promise<void> {
  const { nowMs, log } = deps;
  const entryLine = entryLines(deps);
  let isFailing = false;

  async function write({ entries, lost }: TakenEntries): Promise<void> {
    const lostLine = lost && lineOf({ type: "audit-lost", time: instant(nowMs()), lost: lost.count, since: instant(lost.sinceMs) });
    const text = (lostLine ?? "") + (await Promise.all(entries.map(entryLine))).join("");
    if (target === "stdout") process.stdout.write(text);
    else await appendFile(target, isFailing ? `\n${text}` : text, { mode: 0o600 }); // a line that the failure cut ends here
  }

  return async (taken) => {
    try {
      await write(taken);
    } catch (error) {
      if (!isFailing) log.error({ err: error }, "AUDIT_OUTPUT cannot be written: entries of the audit log wait");
      isFailing = true;
      throw error;
    }
    if (isFailing) log.info({ lost: taken.lost?.count ?? 0 }, "AUDIT_OUTPUT can be written again");
    isFailing = false;
  };
}

function entryLines({ accounts, nowMs }: AuditOutputDeps): (entry: NotedEntry) => Promise<string> {
  const uuids = ttlCache({ ttlMs: 60_000, maxEntries: 1_000, nowMs }, async (id) => (await accounts.byId(Number(id)))?.uuid);
  // Values stay in the store: what collects lines may be read by others.
  return async ({ accountId, atMs, request, actor, operation, resourceId, fields }) => {
    const account = accountId === null ? null : ((await uuids.get(String(accountId))) ?? null);
    return lineOf({ type: "audit", time: instant(atMs), account, actor, operation, resourceId, fields, ...request });
  };
}

function lineOf(line: object): string {
  return `${JSON.stringify(line)}\n`;
}
