import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";
import { flakyProxy } from "../support/flaky-proxy.ts";
import { ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost, type ScheduledCheck } from "../support/oracle.ts";
import { startPostgres } from "../support/postgres.ts";
import { until } from "../support/processes.ts";
import { Site } from "../support/site.ts";
import { noSlowDisk, slowDisk } from "./slow-disk.ts";

const periodMs = 10_000;
/** The aim is 20,000: so many take minutes on a busy machine. */
const burst = Number(process.env["OUTPOST_TEST_BURST"] ?? 2_000);
const every = { frequency: 0, frequencyOffset: 10 };
const place = mkdtempSync(join(tmpdir(), "outpost-bad-days-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const server = await startPostgres();
afterAll(() => server?.[Symbol.asyncDispose]());

interface Health {
  readonly status: string;
  readonly works: { readonly writing: { readonly tookMs?: number } };
}

/** Checks of each ten seconds, for three of their periods. @returns what `/health` said meanwhile */
async function runsOn(site: Site, count: number): Promise<readonly Health[]> {
  await using target = await ledgerTarget();
  await site.agent(await site.location("north")).ready();
  const made = async (no: number): Promise<Omit<ScheduledCheck, "toMs">> => {
    const checkId = await site.check(target.url(`check-${no}`), ["north"], every);
    return { checkId, periodMs, locations: ["north"], fromMs: Date.now() };
  };
  const checks: Omit<ScheduledCheck, "toMs">[] = [];
  for (let first = 0; first < count; first += 10)
    checks.push(...(await Promise.all(Array.from({ length: 10 }, (_, no) => made(first + no)))));
  const told: Health[] = [];
  await until(
    "three runs of each",
    async () => {
      told.push((await (await site.fetch("/health")).json()) as Health);
      return target.requests() >= 3 * count;
    },
    120_000,
  );
  const scheduled: ScheduledCheck[] = [];
  for (const check of checks) {
    scheduled.push({ ...check, toMs: Date.now() });
    await site.pause(check.checkId);
  }
  const results = [...(await expectNothingLost(site, { sessions: [], scheduled }, 90_000)).values()].flat();
  expect(results.filter(({ resultType }) => resultType === "MISSED")).toEqual([]);
  return told;
}

describe("on a bad day", () => {
  it.skipIf(noSlowDisk !== null)(
    "a disk that takes 200 ms for a sync costs no run, and health tells it (S-15)",
    async () => {
      await using site = await Site.start({ env: slowDisk(tmpdir(), 200, place) });
      const told = await runsOn(site, 20);
      expect(new Set(told.map(({ status }) => status))).toEqual(new Set(["ok"]));
      expect(told.at(-1)?.works.writing.tookMs).toBeGreaterThanOrEqual(200);
      const metrics = await (await fetch(`${site.base}/metrics`)).text();
      expect(Number(/^outpost_store_write_seconds (\S+)$/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(0.2);
    },
    240_000,
  );

  it.skipIf(server === undefined)(
    "a database 10 ms away costs no run, and health tells it (S-16)",
    async () => {
      const url = new URL((await server?.database("far_away")) ?? "");
      await using far = await flakyProxy(Number(url.port));
      far.delay(5);
      url.port = new URL(far.url).port;
      await using site = await Site.start({ databaseUrl: url.href });
      const told = await runsOn(site, 40);
      expect(new Set(told.map(({ status }) => status))).toEqual(new Set(["ok"]));
      expect(told.at(-1)?.works.writing.tookMs).toBeGreaterThanOrEqual(10);
    },
    240_000,
  );

  it("checks that are all due at once run once each, in bounded memory, and probes answer meanwhile (S-17)", async () => {
    await using site = await Site.start({ env: { LEASE_SECONDS: "60" } });
    const key = await site.location("north");
    for (let first = 0; first < burst; first += 4_000) await deployed(site, `burst-${first}`, Math.min(4_000, burst - first));
    await site.controlPlane[Symbol.asyncDispose]();
    const db = new DatabaseSync(join(site.env["DATA_DIR"] ?? "", "outpost.db"));
    const dueMs = Math.floor(Date.now() / 1_000) * 1_000 + 20_000;
    db.exec("delete from jobs"); // of the few that came due while the others were made
    db.exec(`update checks set next_due = ${dueMs}, phase_ms = ${dueMs} % period_ms`);
    await site.startControlPlane();
    const agents = await Promise.all(Array.from({ length: 4 }, () => FakeAgent.open(site.base, key)));
    const accepted = new Map<string, number>();
    const probes: number[] = [];
    let isOver = false;
    const probing = (async () => {
      for (; !isOver; await pause(100)) {
        const startedMs = performance.now();
        await (await site.fetch("/-/readiness")).text();
        probes.push(performance.now() - startedMs);
      }
    })();
    const works = agents.map(async (agent) => {
      while (accepted.size < burst) {
        const jobs = await agent.lease(200, 5);
        const answers = jobs.length === 0 ? [] : await agent.report(...jobs.map((job) => reportOf(job)));
        for (const [index, { outcome }] of answers.entries())
          if (outcome === "accepted") accepted.set(jobs[index]?.jobId ?? "", (accepted.get(jobs[index]?.jobId ?? "") ?? 0) + 1);
      }
    });
    await Promise.all(works);
    const seconds = (Date.now() - dueMs) / 1_000;
    isOver = true;
    await probing;
    const resident = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${site.controlPlane.pid}/status`, "utf8"))?.[1]) / 1_024;
    process.stdout.write(
      `${burst} due at once: all run after ${seconds.toFixed(1)} s, ${resident.toFixed(0)} MB at most, slowest probe ${Math.max(...probes).toFixed(0)} ms\n`,
    );
    expect([...accepted.values()].every((times) => times === 1)).toBe(true);
    const ends = db.prepare("select type, count(*) as runs, count(distinct check_id) as checks from results group by type").all();
    db.close();
    expect(ends.map((row) => ({ ...row }))).toEqual([{ type: 0, runs: burst, checks: burst }]);
    expect(resident).toBeLessThan(512);
    expect(Math.max(...probes)).toBeLessThan(10_000);
  }, 600_000);

  it("100,000 checks in one deployment are refused before anything is made (S-18)", async () => {
    await using site = await Site.start();
    await site.location("north");
    // Without their requests, as 16 MB hold no more.
    const resources = Array.from({ length: 100_000 }, (_, no) => ({
      type: "check",
      logicalId: `check-${no}`,
      payload: { name: `Check ${no}` },
    }));
    const body = { ...deployment("too-much", 0), resources };
    await expect(site.api("POST", "/v1/projects/deploy?dryRun=false", body)).rejects.toThrow(/: (400|413) /);
    expect(await site.api("GET", "/v1/checks?limit=1")).toEqual([]);
    expect(((await (await site.fetch("/health")).json()) as Health).status).toBe("ok");
  }, 120_000);
});

function deployment(logicalId: string, checks: number): object {
  return {
    project: { logicalId, name: logicalId, repoUrl: "https://git.example.com/shop" },
    repoInfo: null,
    resources: Array.from({ length: checks }, (_, no) => ({
      type: "check",
      logicalId: `check-${no}`,
      payload: {
        checkType: "API",
        name: `Check ${no}`,
        activated: true,
        frequency: 1440,
        privateLocations: ["north"],
        retryStrategy: null,
        request: { method: "GET", url: `https://shop.example.com/items/${no}` },
      },
    })),
  };
}

async function deployed(site: Site, logicalId: string, checks: number): Promise<void> {
  const path = "/v1/projects/deploy?dryRun=false&scheduleOnDeploy=false";
  const { id } = await site.api<{ id: string }>("POST", path, deployment(logicalId, checks));
  await until(
    `the end of the deployment ${logicalId}`,
    () =>
      site.api("GET", `/v1/projects/${logicalId}/deployments/${id}/completion?maxWaitSeconds=30`).catch((error: Error) => {
        if (error.message.includes(": 408 ")) return false;
        throw error;
      }),
    120_000,
  );
}
