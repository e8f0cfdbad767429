import { join } from "node:path";
import { openStorage } from "../../src/control-plane/storage/open-storage.ts";
import type { CheckRow } from "../../src/control-plane/storage/storage.ts";
import { type Filling, fillPostgres, fillSqlite } from "../support/fill-store.ts";
import { seededFilling } from "../support/site.ts";

/** Checks that run no more, beside those of the soak. */
export const pastChecks = 200;
const hours = 48;

/**
 * Two days of results of checks that are off since, so that the store is larger than the caches from the first minute on: what a control plane holds
 * on an empty store grows until they are full (bench/README.md), which is no leak and would be taken for one.
 */
export async function fillHistory(dataDir: string, databaseUrl: string | undefined, soaked: readonly string[]): Promise<number> {
  const filling = await fillingOf(dataDir, databaseUrl, new Set(soaked));
  return databaseUrl === undefined ? fillSqlite(join(dataDir, "outpost.db"), filling) : fillPostgres(databaseUrl, filling);
}

async function fillingOf(dataDir: string, databaseUrl: string | undefined, soaked: ReadonlySet<string>): Promise<Filling> {
  const storage = await openStorage({ dataDir, nowMs: Date.now(), ...(databaseUrl !== undefined && { databaseUrl }) });
  try {
    const [account] = await storage.accounts.list();
    if (account === undefined) throw new Error("no account");
    const checks: CheckRow[] = [];
    for (let page = 1, isMore = true; isMore; page += 1) {
      const { items } = await storage.checks.list(account.id, { page, limit: 100 });
      checks.push(...items.filter(({ uuid }) => !soaked.has(uuid)));
      isMore = items.length === 100;
    }
    const toMs = Math.floor(Date.now() / 60_000) * 60_000 - 60_000;
    return await seededFilling(storage, account, { fromMs: toMs - hours * 3_600_000, toMs, checkIds: checks.map(({ id }) => id) });
  } finally {
    await storage.close();
  }
}
