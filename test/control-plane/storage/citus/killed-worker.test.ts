import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { openStorage } from "../../../../src/control-plane/storage/open-storage.ts";
import type { AgentSessionRow, CheckRow, LocationRow, Storage } from "../../../../src/control-plane/storage/storage.ts";
import { hasCode } from "../../../../src/domain/app-error.ts";
import { startCitus } from "../../../support/citus.ts";
import { distributedDatabase } from "../../../support/migrated-store.ts";
import { check, lease, report, scene, start, t0 } from "../fixture.ts";

const cluster = await startCitus({ own: true });
afterAll(() => cluster?.[Symbol.asyncDispose]());

const secondMs = 1_000;

/** Runs of each check, uploaded batch by batch, again and again until taken: as agents do. */
class Load {
  readonly acknowledged = new Map<number, number[]>();
  readonly refusals: unknown[] = [];
  readonly outcomes = new Set<string>();
  turn = 0;

  readonly #storage: Storage;
  readonly #by: AgentSessionRow;
  readonly #berlin: LocationRow;

  constructor(storage: Storage, by: AgentSessionRow, berlin: LocationRow) {
    this.#storage = storage;
    this.#by = by;
    this.#berlin = berlin;
  }

  async run(checks: readonly CheckRow[]): Promise<void> {
    this.turn += 1;
    const nowMs = t0 + this.turn;
    for (const one of checks) await start(this.#storage, one, [this.#berlin.id], nowMs);
    const jobs = await lease(this.#storage, this.#by, nowMs, checks.length + 1);
    for (let isTaken = false; !isTaken; ) isTaken = await this.#upload(jobs, nowMs + secondMs);
  }

  async #upload(jobs: Awaited<ReturnType<typeof lease>>, nowMs: number): Promise<boolean> {
    try {
      const answers = await this.#storage.results.ingest(
        this.#by,
        jobs.map((job) => report(job)),
        nowMs,
      );
      for (const [index, { outcome }] of answers.entries()) {
        const job = jobs[index];
        this.outcomes.add(outcome);
        if (job) this.acknowledged.set(job.check.id, [...(this.acknowledged.get(job.check.id) ?? []), job.no]);
      }
      return true;
    } catch (error) {
      this.refusals.push(error);
      return false;
    }
  }
}

describe.skipIf(cluster === undefined)("a worker of the cluster that is killed", () => {
  it("loses nothing that was acknowledged, and leaves what lies on the other one to be read", { timeout: 300_000 }, async () => {
    if (!cluster) throw new Error("no cluster");
    const databaseUrl = await distributedDatabase(cluster, "killed", t0);
    const storage = await openStorage({ databaseUrl, dataDir: "unused", nowMs: t0, maxConnections: 6 });
    try {
      const { agent: by, account: owner, berlin } = await scene(storage);
      const checks = await Promise.all(Array.from({ length: 12 }, () => check(storage, owner.id, [berlin.id])));
      const [there, elsewhere] = await byWorker(databaseUrl, cluster.workers[0]?.urlOf("x") ?? "", checks);
      const load = new Load(storage, by, berlin);
      for (let turn = 0; turn < 5; turn += 1) await load.run(checks);
      expect(load.refusals).toEqual([]);

      const running = (async () => {
        for (let turn = 0; turn < 5; turn += 1) await load.run(checks);
      })();
      await cluster.workers[0]?.stop("killed");
      await expect.poll(() => load.refusals.length).toBeGreaterThan(0);
      for (const one of elsewhere) expect(await stored(storage, one)).toEqual(expect.arrayContaining(load.acknowledged.get(one.id) ?? []));
      for (const one of there) await expect(stored(storage, one)).rejects.toMatchObject({ code: "unavailable" });
      expect(await storage.checks.activated(owner.id)).toHaveLength(checks.length + 1);

      await cluster.workers[0]?.start();
      await running;
      expect(load.refusals.filter((error) => !hasCode(error, "unavailable"))).toEqual([]);
      // What was prepared there when it ended is finished by Citus itself, a moment later.
      for (const one of checks)
        await expect.poll(() => stored(storage, one)).toEqual((load.acknowledged.get(one.id) ?? []).toSorted((a, b) => a - b));
      await load.run(checks);
      expect([...load.outcomes].filter((outcome) => outcome !== "duplicate")).toEqual(["accepted"]);
    } finally {
      await storage.close();
    }
  });
});

/** Numbers of the jobs whose result is there, with its detail. */
async function stored(storage: Storage, { id }: CheckRow): Promise<readonly number[]> {
  const { items } = await storage.results.list({ checkId: id, limit: 100, withDetails: true, resultTypes: ["FINAL"] });
  expect(items.every(({ detailJson }) => detailJson !== null)).toBe(true);
  return items.map(({ jobNo }) => jobNo).toSorted((a, b) => a - b);
}

async function byWorker(databaseUrl: string, worker: string, checks: readonly CheckRow[]): Promise<readonly [CheckRow[], CheckRow[]]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ id: number; port: number }>(
    `select c.id::int4 as id, p.nodeport as port from unnest($1::int8[]) as c(id)
     join pg_dist_shard_placement p on p.shardid = get_shard_id_for_distribution_column('results', c.id)`,
    [checks.map(({ id }) => id)],
  );
  await client.end();
  const ids = new Set(rows.filter(({ port }) => port === Number(new URL(worker).port)).map(({ id }) => id));
  return [checks.filter(({ id }) => ids.has(id)), checks.filter(({ id }) => !ids.has(id))];
}
