import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { resultUuid } from "../../../src/control-plane/kinds/ids.ts";
import { initial } from "../../../src/control-plane/storage/migrations/0001-initial.ts";
import { attemptReport } from "../../support/attempt-report.ts";
import { checkMetrics } from "../../support/check-details.ts";
import { allTypes, type EngineName, jobUuid, leaseOne, report, type StorePlace, scene, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const dayMs = 86_400_000;
const file = { type: "log", contentType: "text/plain", data: Buffer.from("a").toString("base64") } as const;
const evidence = [{ ...file, name: "a.log" }];

/** Works on the database itself, beside the store; what `before` runs comes before the query. */
async function rows(
  engine: EngineName,
  place: StorePlace,
  text: string,
  before: (run: (statement: string) => Promise<unknown>) => Promise<void> = async () => undefined,
): Promise<Record<string, unknown>[]> {
  if (engine === "sqlite") {
    const db = new DatabaseSync(join(place.dataDir, "outpost.db"));
    await before(async (statement) => db.exec(statement));
    const found = db.prepare(text).all();
    db.close();
    return found.map((row) => ({ ...row }));
  }
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  await before((statement) => client.query(statement));
  const found = await client.query(text);
  await client.end();
  return found.rows;
}

const versionTable = "create table schema_version (version integer primary key, applied_at bigint not null)";
const midnightUs = (t0 - 12 * 3_600_000) * 1_000;
const dayOfT0 = (table: string): string =>
  `create table ${table}_20261120 partition of ${table} for values from (${midnightUs}) to (${midnightUs + dayMs * 1_000})`;

describe.each(engines.names)("files of results on %s", (engine) => {
  const names = (place: StorePlace): Promise<Record<string, unknown>[]> =>
    rows(engine, place, "select name from result_assets order by name");

  it("go with results that are too old, and stay with those that are not", async () => {
    const place = await engines.place(engine);
    const { storage, agent: by, check: of, berlin } = await scene(await engines.open(engine, place));
    const old = await leaseOne(storage, by);
    await storage.results.ingest(by, [report(old, { evidence })], t0 + 1_000);
    const later = t0 + 2 * dayMs;
    await start(storage, of, [berlin.id], later);
    const young = await leaseOne(storage, by, later);
    await storage.results.ingest(by, [report(young, { evidence: [{ ...file, name: "b.log" }] })], later + 1_000);
    expect(await names(place)).toEqual([{ name: "a.log" }, { name: "b.log" }]);
    await storage.results.prune(later - 1_000, 1_000);
    expect(await names(place)).toEqual([{ name: "b.log" }]);
    const { items } = await storage.results.list({ checkId: of.id, limit: 10, resultTypes: allTypes, withDetails: false });
    expect(items.map((row) => row.assets)).toEqual([[expect.objectContaining({ name: "b.log", type: "log", contentType: "text/plain" })]]);
    expect(await storage.results.asset(of.id, resultUuid({ ...young, jobNo: young.no }), "b.log")).toMatchObject({
      body: expect.any(Uint8Array),
    });
    expect(await storage.results.asset(of.id, resultUuid({ ...old, jobNo: old.no }), "a.log")).toBeUndefined();
  });

  it("go with a check that was removed", async () => {
    const place = await engines.place(engine);
    const { storage, account: owner, agent: by, check: of } = await scene(await engines.open(engine, place));
    await storage.results.ingest(by, [report(await leaseOne(storage, by), { evidence })], t0 + 1_000);
    expect(await storage.checks.remove(owner.id, of.uuid, t0)).toBe(true);
    await storage.results.prune(t0 - dayMs, 1_000);
    expect(await names(place)).toEqual([]);
    expect(await rows(engine, place, "select id from result_details")).toEqual([]);
  });

  it("are there also for a day whose partition nobody prepared", async () => {
    const place = await engines.place(engine);
    const { storage, agent: by, check: of, berlin } = await scene(await engines.open(engine, place));
    await leaseOne(storage, by);
    const later = t0 + 40 * dayMs;
    await start(storage, of, [berlin.id], later);
    const job = await leaseOne(storage, by, later);
    await storage.results.ingest(by, [report(job, { evidence })], later + 1_000);
    expect(await names(place)).toEqual([{ name: "a.log" }]);
  });

  it("come to a store that an earlier version made, also for its days", async ({ skip }) => {
    if (engine === "citus") return skip("a history is distributed at the newest version");
    const place = await engines.emptyPlace(engine);
    await rows(engine, place, "select 1", async (run) => {
      for (const statement of [versionTable, ...initial.statements(engine)]) await run(statement);
      if (engine === "postgres") for (const table of ["results", "result_details"]) await run(dayOfT0(table));
      await run(`insert into schema_version (version, applied_at) values (${initial.version}, 0)`);
    });
    const { storage, agent: by } = await scene(await engines.open(engine, place));
    await storage.results.ingest(by, [report(await leaseOne(storage, by), { evidence })], t0 + 1_000);
    expect(await names(place)).toEqual([{ name: "a.log" }]);
  });

  it("stand beside metrics that keep their sign", async () => {
    const place = await engines.place(engine);
    const { storage, agent: by, account: owner, berlin } = await scene(await engines.open(engine, place));
    await leaseOne(storage, by);
    const schedule = { periodMs: 0, phaseMs: 0, nextDueMs: null };
    const definition = { name: "ssl", activated: true, muted: false, tags: [], frequency: 1, frequencyOffset: 1, runParallel: false };
    const ssl = await storage.checks.create({
      uuid: crypto.randomUUID(),
      accountId: owner.id,
      type: "SSL",
      definition,
      locationIds: [berlin.id],
      schedule,
      nowMs: t0,
    });
    await start(storage, ssl, [berlin.id]);
    const [job] = await storage.jobs.lease({
      agentSession: by.id,
      locationId: berlin.id,
      checkTypes: ["SSL"],
      runtimes: [],
      max: 1,
      nowMs: t0,
      leaseMs: 30_000,
    });
    if (job === undefined) throw new Error("no job");
    const metrics = { ...checkMetrics.SSL, keySizeBits: 1e12, baselineScore: -1e12 };
    const sent = attemptReport({ jobId: jobUuid(job), fence: job.fence, checkType: "SSL", startedAt: t0 + 1, stoppedAt: t0 + 2, metrics });
    expect(await storage.results.ingest(by, [sent], t0 + 1_000)).toMatchObject([{ outcome: "accepted" }]);
    const [row] = await rows(engine, place, `select m1, m2, m3, m4, m5, m6, rt_us from results where check_id = ${ssl.id}`);
    expect(row).toEqual({ m1: 4_500, m2: -3_000, m3: 1_300, m4: 2 ** 31 - 1, m5: -(2 ** 31), m6: 2_000, rt_us: 1_000 });
  });
});
