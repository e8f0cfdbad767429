import pg from "pg";
import { describe, expect, it } from "vitest";
import { distribute } from "../../../../src/control-plane/storage/citus/distribute.ts";
import { openStorage } from "../../../../src/control-plane/storage/open-storage.ts";
import type { Storage } from "../../../../src/control-plane/storage/storage.ts";
import { check, detailOf, lease, report, scene, start, t0, useEngines } from "../fixture.ts";

const engines = await useEngines();

const silent = (): void => undefined;

describe.skipIf(!engines.names.includes("citus"))("outpost migrate --distributed", { timeout: 180_000 }, () => {
  const emptyPlace = async () => {
    const { databaseUrl = "", dataDir } = await engines.emptyPlace("citus");
    return { databaseUrl, dataDir };
  };

  it("spreads what is there, and every result is read as before", async () => {
    const place = await emptyPlace();
    const before = await openStorage({ ...place, nowMs: t0 });
    const { agent: by, account: owner, berlin, check: first } = await scene(before);
    const checks = [first, ...(await Promise.all(Array.from({ length: 5 }, () => check(before, owner.id, [berlin.id]))))];
    for (const one of checks) await start(before, one, [berlin.id]);
    const jobs = await lease(before, by, t0, 20);
    await before.results.ingest(
      by,
      jobs.map((job) => report(job, { detail: { of: job.no } })),
      t0 + 1_000,
    );
    while (await before.analytics.compact(t0 + 7_200_000, 100));
    const all = (storage: Storage) => Promise.all(checks.map(({ id }) => read(storage, id)));
    const stored = await all(before);
    expect(stored.flat()).toHaveLength(jobs.length);
    await before.close();

    const lines: string[] = [];
    expect(await distribute(place.databaseUrl, (line) => lines.push(line))).toBe(8);
    expect(lines[0]).toMatch(/^1 of 8: result_details is distributed \(.* s\)\.$/);
    expect(await distribute(place.databaseUrl, silent)).toBe(0);
    const after = await engines.open("citus", place);
    expect(await all(after)).toEqual(stored);
  });

  it("goes on where it was cut off, and nothing opens the store meanwhile", async () => {
    const place = await emptyPlace();
    await (await openStorage({ ...place, nowMs: t0 })).close();
    const cut = (line: string): void => {
      if (line.startsWith("3 of 8")) throw new Error("cut off");
    };
    await expect(distribute(place.databaseUrl, cut)).rejects.toThrow("cut off");
    await expect(openStorage({ ...place, nowMs: t0 })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("half distributed (not yet: suite_runs, "),
    });
    expect(await distribute(place.databaseUrl, silent)).toBe(5);
    await (await openStorage({ ...place, nowMs: t0 })).close();
  });

  it("refuses a database that is no coordinator, saying what to do", async () => {
    const refused = (url: string) => distribute(url, silent).catch((error: unknown) => error);
    const { databaseUrl: plain = "" } = await engines.place("postgres");
    expect(await refused(plain)).toMatchObject({ code: "conflict", message: expect.stringContaining("no extension citus") });
    const { databaseUrl } = await emptyPlace();
    await sql(databaseUrl, "select citus_remove_node(node_name, node_port::int4) from citus_get_active_worker_nodes()");
    expect(await refused(databaseUrl)).toMatchObject({ code: "conflict", message: expect.stringContaining("citus_add_node") });
  });

  it("refuses while a control plane works on the database", async () => {
    const place = await emptyPlace();
    const storage = await openStorage({ ...place, nowMs: t0 });
    await expect(distribute(place.databaseUrl, silent)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("stop every control plane first"),
    });
    await storage.close();
  });
});

async function read(storage: Storage, checkId: number) {
  const { items } = await storage.results.list({ checkId, limit: 100, withDetails: true, resultTypes: ["FINAL"] });
  return items.map((item) => ({ ...item, detailJson: detailOf(item) }));
}

async function sql(url: string, text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
