import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openStorage } from "../../../src/control-plane/storage/open-storage.ts";
import { startPostgres } from "../../support/postgres.ts";
import type { StorePlace } from "./fixture.ts";
import { check, lease, reaping, report, scene, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

interface Writer {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  /** Lines as they come. */
  readonly lines: string[];
  /** Resolves at this many lines. */
  readonly until: (count: number) => Promise<void>;
}

function writer({ dataDir, databaseUrl = "" }: StorePlace): Writer {
  const file = fileURLToPath(new URL("writing-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=source", "--disable-warning=ExperimentalWarning", file, dataDir, databaseUrl], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  const wakers = new Set<() => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    for (const wake of wakers) wake();
  });
  return {
    child,
    lines,
    until(count) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      wakers.add(() => lines.length >= count && resolve());
      child.once("exit", () => reject(new Error("the writer ended")));
      if (lines.length >= count) resolve();
      return promise;
    },
  };
}

describe.each(engines.names)("a killed process on %s", (engine) => {
  it("leaves every result that it had acknowledged, once, and jobs that go on", { timeout: 120_000 }, async () => {
    const place = await engines.place(engine);
    for (const count of [40, 150]) {
      const { child, lines, until } = writer(place);
      await until(count);
      child.kill("SIGKILL");
      await once(child, "exit");
      const storage = await openStorage({ ...place, nowMs: t0 });
      const checkId = Number(lines[0]?.split(" ")[1]);
      const acknowledged = lines.slice(1).map(Number);
      const stored: number[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page: { items: readonly { jobNo: number; detailJson: Buffer | null }[]; nextCursor: string | null } =
          await storage.results.list({
            checkId,
            limit: 100,
            resultTypes: ["FINAL"],
            withDetails: true,
            ...(cursor === undefined ? {} : { cursor }),
          });
        expect(page.items.every((row) => row.detailJson !== null)).toBe(true);
        stored.push(...page.items.map((row) => row.jobNo));
        cursor = page.nextCursor;
      }
      expect(acknowledged.filter((no) => !stored.includes(no))).toEqual([]);
      expect(new Set(stored).size).toBe(stored.length);
      await storage.jobs.reap(t0 + 60_000, reaping);
      expect((await storage.jobs.queueDepths(t0 + 60_000)).reduce((sum, depth) => sum + depth.leased, 0)).toBe(0);
      await storage.close();
    }
  });
});

describe("a data folder", () => {
  it("is one process's while it lives, and free at once when it is killed", { timeout: 120_000 }, async () => {
    const place = await engines.place("sqlite");
    const { child, until } = writer(place);
    await until(1);
    await expect(openStorage({ ...place, nowMs: t0 })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("another Outpost"),
    });
    child.kill("SIGKILL");
    await once(child, "exit");
    const storage = await engines.open("sqlite", place);
    expect(await storage.accounts.list()).toHaveLength(1);
  });
});

describe.skipIf(!engines.names.includes("postgres"))("a PostgreSQL server that crashes", () => {
  it("is unavailable meanwhile, and has everything acknowledged when it is back", { timeout: 120_000 }, async () => {
    await using server = await startPostgres({ own: true });
    if (!server) throw new Error("no server");
    const databaseUrl = await server.database("crash");
    const storage = await openStorage({ databaseUrl, dataDir: "unused", nowMs: t0, maxConnections: 3 });
    try {
      const { agent: by, check: of, berlin, account: owner } = await scene(storage);
      const [job] = await lease(storage, by);
      if (!job) throw new Error("no job");
      await storage.results.ingest(by, [report(job)], t0 + 1_000);
      await server.stop("immediate");
      await expect(storage.results.ingest(by, [report(job)], t0 + 1_000)).rejects.toMatchObject({ code: "unavailable" });
      await expect(storage.accounts.list()).rejects.toMatchObject({ code: "unavailable" });
      await server.start();
      expect(await storage.accounts.list()).toEqual([owner]);
      expect((await storage.results.ingest(by, [report(job)], t0 + 2_000))[0]?.outcome).toBe("duplicate");
      const woken = new Promise((resolve) => storage.signals.onJobs(resolve));
      await start(storage, of, [berlin.id]);
      expect(await woken).toEqual([berlin.id]);
      // The connection that listens comes back too, and hears of other processes.
      const other = await openStorage({ databaseUrl, dataDir: "unused", nowMs: t0, maxConnections: 2 });
      try {
        const heard = new Promise((resolve) => other.signals.onJobs(resolve));
        await start(storage, of, [berlin.id]);
        expect(await heard).toEqual([berlin.id]);
        // A notification may come before the lost connection listens again; the next one does not.
        let heardBack = false;
        storage.signals.onScheduleChanged(() => {
          heardBack = true;
        });
        await expect
          .poll(
            async () => {
              await check(other, owner.id, []);
              return heardBack;
            },
            { timeout: 10_000, interval: 100 },
          )
          .toBe(true);
      } finally {
        await other.close();
      }
    } finally {
      await storage.close();
    }
  });
});
