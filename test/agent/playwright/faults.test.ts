import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { EgressProxy } from "../../../src/agent/egress/egress-proxy.ts";
import { systemClock } from "../../../src/agent/host/clock.ts";
import { tries } from "../../attacks/cases.ts";
import { type HttpServer, httpServer } from "../../support/http-servers/http-server.ts";
import { EngineUnderTest, missing } from "./engine-under-test.ts";

const shop = "<title>Shop</title><h1>Shop</h1>";

/** Runners of Playwright whose folder is below another one. */
function runnersOf(folder: string): number[] {
  const says = (pid: string, name: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, "latin1");
    } catch {
      return ""; // it has ended
    }
  };
  const isRunner = (pid: string): boolean =>
    says(pid, "cmdline").includes("@playwright/test/cli.js\0test") && says(pid, "environ").includes(`OUTPOST_RUN=${folder}/`);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isRunner(name))
    .map(Number);
}

describe.skipIf(missing !== null)("pairs of Playwright", () => {
  let tested: EngineUnderTest;
  beforeAll(async () => {
    tested = await EngineUnderTest.start({ warm: 1, browserConcurrency: 0, multiStepConcurrency: 2 });
  });
  afterAll(() => tested[Symbol.asyncDispose]());
  const script = (body: string): string => `import { test } from "@playwright/test"; import fs from "node:fs";
    test("x", async () => { ${body} });`;

  it(
    "that die while they wait are replaced: the next job starts cold",
    tries("F16", "the next job runs cold, and another pair waits"),
    async () => {
      await tested.run("MULTI_STEP", script(""));
      await expect.poll(() => runnersOf(tested.folder).length, { timeout: 10_000 }).toBe(1);
      const [waiting] = runnersOf(tested.folder);
      process.kill(waiting ?? 0, "SIGKILL");
      await expect.poll(() => runnersOf(tested.folder)).toEqual([]);
      const { outcome, failure } = await tested.run("MULTI_STEP", script(""));
      expect([outcome, failure]).toEqual(["passed", null]);
      await expect.poll(() => runnersOf(tested.folder).length, { timeout: 10_000 }).toBe(1);
      expect(runnersOf(tested.folder)).not.toContain(waiting);
    },
  );

  it(
    "at the same time see neither the files nor the home of each other",
    tries("S14", "Landlock: EACCES for each file and folder"),
    async () => {
      const stop = new AbortController();
      const other = tested.run("MULTI_STEP", script("fs.writeFileSync('../home/profile', ''); await new Promise(() => {});"), {
        signal: stop.signal,
      });
      other.catch(() => {}); // it is looked at below
      await expect
        .poll(() =>
          tested.runFolders().some((name) => {
            const names = readdirSync(join(tested.folder, "browser", name, "run/home"), { withFileTypes: true });
            return names.some((one) => one.name === "profile");
          }),
        )
        .toBe(true);
      const looks = `const says = (act) => { try { act(); return "seen"; } catch (error) { return error.code; } };
      const said = process.env.OTHERS.split(",").flatMap((other) => [
        says(() => fs.readdirSync(other)), says(() => fs.readFileSync(other + "/work/check.spec.ts")),
        says(() => fs.readFileSync(other + "/home/profile")), says(() => fs.writeFileSync(other + "/tmp/mine", ""))]);
      console.log([...new Set(said)].join(), says(() => fs.readFileSync("check.spec.js")));`;
      const OTHERS = tested
        .runFolders()
        .map((name) => join(tested.folder, "browser", name, "run"))
        .join();
      const { result } = await tested.run(
        "MULTI_STEP",
        `const { test } = require("@playwright/test"); const fs = require("node:fs");
      test("x", () => { ${looks} });`,
        { environment: { OTHERS }, scriptPath: "check.spec.js" },
      );
      expect([result.errors, result.jobLog[0]?.msg]).toEqual([[], "EACCES seen"]);
      stop.abort(new Error("seen enough"));
      await expect(other).rejects.toThrow("seen enough");
    },
  );
});

describe.skipIf(missing !== null)("a run in trouble", { timeout: 120_000 }, () => {
  let tested: EngineUnderTest;
  let server: HttpServer;
  let asked = 0;
  let isSet = false;
  beforeAll(async () => {
    server = await httpServer((request, response) => {
      asked += 1;
      if (request.url === "/set") isSet = true;
      if (request.url === "/endless")
        return void response.writeHead(200, { "content-type": "application/zip", "content-disposition": "attachment" }).write("more");
      response.setHeader("content-type", "text/html").end(shop);
    });
    tested = await EngineUnderTest.start({ browserConcurrency: 2 });
  });
  afterAll(async () => {
    await tested[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const script = (body: string): string => `import { expect, test } from "@playwright/test";
    test("x", async ({ page, context }) => { await page.goto(process.env.URL!); ${body} });`;
  const environment = (): Record<string, string> => ({ URL: server.url });

  it(
    "by its memory leaves the other seat alone",
    tries("F4", "the other seat's run passes; on two cores its reloads take half as long again (p95 114 and 178 ms)"),
    async () => {
      const other = script(
        'for (let round = 0; round < 40; round += 1) { await page.reload(); await expect(page.locator("h1")).toBeVisible(); }',
      );
      const alone = await tested.run("BROWSER", other, { environment: environment() });
      const bomb = "const all = []; for (;;) { all.push(Buffer.alloc(32e6, 1)); await new Promise((next) => setTimeout(next, 30)); }";
      const [killed, beside] = await Promise.all([
        tested.run("BROWSER", script(bomb), { environment: environment() }),
        tested.run("BROWSER", other, { environment: environment() }),
      ]);
      expect(killed.failure?.message).toMatch(/used more than 900 MB/);
      expect([alone.outcome, beside.outcome, beside.result.errors]).toEqual(["passed", "passed", []]);
      const p95 = ({ result }: typeof alone): number => {
        const reloads = result.steps.filter(({ title }) => /reload/i.test(title)).map(({ durationMs }) => durationMs);
        return reloads.toSorted((one, other) => one - other)[Math.ceil(reloads.length * 0.95) - 1] ?? Number.NaN;
      };
      process.stdout.write(`a reload takes (p95) ${p95(alone)} ms alone, ${p95(beside)} ms beside the bomb\n`);
      expect(p95(beside)).toBeLessThan(1_000);
    },
  );

  it(
    "ends as one of the agent's, in 5 s, when its way into the network ends",
    tries("F17", "an error of the agent's side, no alert"),
    async () => {
      const opened: EgressProxy[] = [];
      const open = EgressProxy.open.bind(EgressProxy);
      const watched = vi.spyOn(EgressProxy, "open").mockImplementation(async (options) => {
        const proxy = await open(options);
        opened.push(proxy);
        return proxy;
      });
      onTestFinished(() => watched.mockRestore());
      const before = asked;
      const running = tested.run("BROWSER", script("await new Promise(() => {});"), { environment: environment() });
      await expect.poll(() => asked, { timeout: 20_000 }).toBeGreaterThan(before);
      const diedMs = performance.now();
      opened.forEach((proxy) => proxy.close());
      const { failure, outcome } = await running;
      expect(performance.now() - diedMs).toBeLessThan(5_000);
      expect([outcome, failure?.side, failure?.message]).toEqual(["failed", "agent", "the run's way into the network ended"]);
    },
  );

  it(
    "does not begin where there is no port for its way, and leaves nothing",
    tries("F17", "an error before it begins, no folder left"),
    async () => {
      const open = vi.spyOn(EgressProxy, "open").mockRejectedValue(Object.assign(new Error("listen EADDRINUSE"), { code: "EADDRINUSE" }));
      onTestFinished(() => open.mockRestore());
      await expect(tested.run("BROWSER", script(""), { environment: environment() })).rejects.toThrow("EADDRINUSE");
      await expect.poll(() => tested.runFolders()).toEqual([]);
    },
  );

  it("by a clock that is set has the time that it took", tries("F14", "durations by a clock that never goes back"), async () => {
    const hours = 2 * 3_600_000;
    const two = `import { expect, test } from "@playwright/test";
      const { Date: Real } = globalThis;
      let set = 0;
      globalThis.Date = class extends Real {
        constructor(...given: any[]) { super(...((given.length ? given : [Date.now()]) as [number])); }
        static now() { return Real.now() + set; }
      } as any;
      test("x", async ({ page }) => {
        await page.waitForTimeout(1_000);
        await page.goto(process.env.URL + "/set");
        set = Number(process.env.SET);
        await page.waitForTimeout(1_000);
      });
      test("y", async ({ page }) => { await page.goto(process.env.URL!); });`;
    for (const by of [hours, -hours]) {
      const clock = { monotonicMs: systemClock.monotonicMs, wallMs: () => systemClock.wallMs() + (isSet ? by : 0) };
      isSet = false;
      await using set = await EngineUnderTest.start({ clock });
      const startedMs = performance.now();
      const { outcome, responseTimeMs, result } = await set.run("BROWSER", two, { environment: { ...environment(), SET: `${by}` } });
      const tookMs = performance.now() - startedMs;
      expect([outcome, isSet]).toEqual(["passed", true]);
      expect(responseTimeMs).toBeGreaterThan(2_000);
      expect(result.steps.filter(({ error }) => error !== null)).toEqual([]);
      for (const ms of [responseTimeMs, ...[...result.tests, ...result.steps].map(({ startMs, durationMs }) => startMs + durationMs)])
        expect([by, ms, ms >= 0 && ms <= tookMs]).toEqual([by, ms, true]);
    }
  });

  it.each([
    [
      "a pop-up and its dialog",
      "page.evaluate(() => { open(location.href).alert('stay'); }).catch(() => {}); await context.waitForEvent('page');",
    ],
    ["a dialog", "page.on('dialog', () => {}); page.evaluate(() => confirm('stay?')).catch(() => {}); await page.waitForEvent('dialog');"],
    [
      "a download that goes on",
      "await Promise.all([page.waitForEvent('download'), page.evaluate(() => { location.href = '/endless'; })]);",
    ],
    [
      "a beforeunload",
      "page.on('dialog', () => {}); await page.evaluate(() => { onbeforeunload = () => { for (;;) {} }; }); await page.locator('h1').click(); page.close({ runBeforeUnload: true }).catch(() => {});",
    ],
  ])("is not kept by %s that nobody answers", tries("F19", "the verdict stands, the kill ends it"), async (_what, body) => {
    const began = performance.now();
    const { outcome, failure, result } = await tested.run("BROWSER", script(body), { environment: environment(), limitMs: 20_000 });
    expect([outcome, failure, result.errors]).toEqual(["passed", null, []]);
    expect(performance.now() - began).toBeLessThan(20_000);
    await expect.poll(() => tested.runFolders()).toEqual([]);
    expect(tested.engine.state()).toEqual({ running: 0, waiting: 0, warm: 0, left: 0 });
  });

  it(
    "of which there are many waits for its turn, first come first served",
    tries("F15", "queued in order, never more than the seats"),
    async () => {
      const begun: number[] = [];
      const most: number[] = [];
      const all = Array.from({ length: 6 }, async (_none, index) => {
        const one = tested.run("BROWSER", script(""), { environment: { URL: `${server.url}?${index}` } });
        most.push(tested.engine.state().running);
        const { startedMs, outcome } = await one;
        begun[index] = startedMs;
        return outcome;
      });
      expect([...new Set(await Promise.all(all))]).toEqual(["passed"]);
      expect(Math.max(...most)).toBe(2);
      expect(begun.map((ms, index) => index < 2 || ms >= (begun[index - 2] ?? 0))).not.toContain(false);
    },
  );
});
