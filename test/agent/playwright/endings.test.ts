import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { tries } from "../../attacks/cases.ts";
import { EngineUnderTest, missing } from "./engine-under-test.ts";

/** Processes of runs, by their variables, words or current folder; only root sees those of other users. */
function processesOf(folder: string): string[] {
  const tells = [
    (of: string) => readlinkSync(`${of}/cwd`),
    ...["environ", "cmdline"].map((name) => (of: string) => readFileSync(`${of}/${name}`, "latin1")),
  ];
  const isOf = (pid: string): boolean =>
    tells.some((tell) => {
      try {
        return tell(`/proc/${pid}`).includes(folder);
      } catch {
        return false; // it has ended
      }
    });
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isOf(name));
}

describe.skipIf(missing !== null)("the end of a run", () => {
  let tested: EngineUnderTest;
  beforeAll(async () => {
    tested = await EngineUnderTest.start({ memoryMb: 700 });
  });
  afterAll(() => tested[Symbol.asyncDispose]());
  const script = (body: string): string => `import { expect, test } from "@playwright/test";
    import { spawn } from "node:child_process"; import fs from "node:fs";
    test("x", async ({ page }) => { await page.goto("data:text/html,<h1>x</h1>"); ${body} });`;
  const nothingIsLeft = async (): Promise<void> => {
    await expect.poll(() => [tested.runFolders(), processesOf(tested.folder)]).toEqual([[], []]);
    expect(tested.engine.state()).toEqual({ running: 0, waiting: 0, warm: 0, left: 0 });
  };

  const scripts: readonly (readonly [what: string, body: string, outcome: string, why: RegExp, tried?: ReturnType<typeof tries>])[] = [
    ["passes", "", "passed", /^$/],
    [
      "leaves processes without a parent",
      'spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "ignore" }).unref();',
      "passed",
      /^$/,
    ],
    [
      "leaves a folder that nobody may read",
      'fs.mkdirSync("closed/in", { recursive: true }); fs.writeFileSync("closed/in/file", ""); fs.chmodSync("closed", 0);',
      "passed",
      /^$/,
    ],
    [
      "kills its browser",
      'for (const pid of fs.readdirSync("/proc")) { let line = ""; try { line = fs.readFileSync("/proc/" + pid + "/cmdline", "utf8"); } catch {} if (line.includes("chromium-headless-shell") && !line.includes("--type=") && pid !== String(process.pid)) try { process.kill(Number(pid), 9); } catch {} } await page.title(); await page.goto("data:text/html,y");',
      "failed",
      /^$/,
      tries("F1", "the test fails, nothing is left"),
    ],
    [
      "kills its worker",
      'process.kill(process.pid, "SIGKILL"); await new Promise(() => {});',
      "failed",
      /^$/,
      tries("F2", "the test fails, nothing is left"),
    ],
    [
      "kills its runner",
      'process.kill(process.ppid, "SIGKILL"); await new Promise(() => {});',
      "failed",
      /Playwright ended/,
      tries("F2", "an error of the agent's side, nothing is left"),
    ],
    [
      "takes memory without end",
      "const all = []; for (;;) { all.push(Buffer.alloc(32e6, 1)); await new Promise((next) => setTimeout(next, 30)); }",
      "failed",
      /used more than 700 MB/,
      tries("F4", "killed at its limit, which the result names"),
    ],
    [
      "tells no whole line",
      'fs.writeFileSync("../seen.ndjson", "x".repeat(9e6)); fs.writeFileSync("degraded.json", "[".repeat(1e6));',
      "passed",
      /^$/,
      tries("S7", "read up to a limit, and ignored"),
    ],
    [
      "tells what is no line",
      'fs.appendFileSync("../seen.ndjson", JSON.stringify({ kind: "request", __proto__: 1, url: { a: 1 } }) + "\\n{\\"__proto__\\": {\\"polluted\\": 1}, \\"kind\\": \\"log\\"}\\n");',
      "passed",
      /^$/,
      tries("S7", "read as text of a stranger, and ignored"),
    ],
    [
      "tells its own verdict on the runner's descriptor",
      'const line = JSON.stringify({ status: "passed", version: "", tests: [], steps: [], errors: [], output: [] }) + "\\n"; for (let one = 3; one < 40; one += 1) try { fs.writeSync(one, line); } catch {} expect(1).toBe(2);',
      "failed",
      /^$/,
      tries("S8", "workers do not have the descriptor"),
    ],
  ];
  for (const [what, body, outcome, why, tried = {}] of scripts) {
    it(`is told, and leaves nothing, of a script that ${what}`, tried, async () => {
      const run = await tested.run("BROWSER", script(body));
      expect(run.outcome).toBe(outcome);
      expect(run.failure?.message ?? "").toMatch(why);
      await nothingIsLeft();
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    });
  }

  it("comes to a page in an endless loop when its time is up", tries("F3", "the tree is killed when its time is up"), async () => {
    const began = performance.now();
    const run = await tested.run("BROWSER", script("await page.evaluate(() => { for (;;) {} });"), { limitMs: 6_000 });
    expect(run.outcome).toBe("failed");
    expect(run.result.tests).toMatchObject([{ title: "x" }]);
    expect(run.stoppedMs - began).toBeLessThan(30_000);
    await nothingIsLeft();
  });

  it.each([
    ["waits for ever", "", /^$/],
    ["wants more time than there is", "test.setTimeout(600_000);", /^a time-out of 600000 ms is more than this run has left: \d+ ms$/],
    ["wants no time-out", "test.setTimeout(0);", /^a time-out of 0 ms is more than this run has left: \d+ ms$/],
  ])("leaves the step, its picture and the trace of a test that %s", async (_what, wish, said) => {
    const waits = `${wish} await test.step("finds money", () => page.getByText("money").click());`;
    const { failure, result, files } = await tested.run("BROWSER", `${script(waits)} test("next", () => {});`, { limitMs: 18_000 });
    expect(failure).toBeNull();
    expect(result.tests).toMatchObject([{ title: "x", status: "timedOut" }]);
    expect(result.tests[0]?.durationMs).toBeLessThan(17_000);
    expect(result.steps.find(({ title }) => title === "finds money")?.error).not.toBeNull();
    expect(result.errors[0]).toMatchObject({ message: expect.stringContaining("Test timeout of"), screenshot: "screenshot-x.png" });
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(["screenshot-x.png", "trace-x.zip"]));
    expect(result.jobLog.map(({ msg }) => msg).join()).toMatch(said);
    await nothingIsLeft();
  });

  it("leaves the trace where a hook after the test waits for ever, too", async () => {
    const both = `${script("await page.getByText('money').click();")} test.afterEach(async ({ page }) => { await page.getByText("more").click(); });`;
    const { failure, result, files } = await tested.run("BROWSER", both, { limitMs: 60_000 }); // its hook ends 5 s before: a slow machine packs a trace in them
    expect(failure).toBeNull();
    expect(result.tests).toMatchObject([{ title: "x", status: "timedOut" }]);
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(["screenshot-x.png", "trace-x.zip"]));
  }, 90_000);

  it.each([
    ["its worker answers no more", "for (;;) {}", /^$/],
    ["its runner answers no more", 'process.kill(process.ppid, "SIGSTOP"); await new Promise(() => {});', /did not end within 14 s/],
    [
      "it takes too much memory",
      "const all = []; for (;;) { all.push(Buffer.alloc(16e6, 1)); await new Promise((next) => setTimeout(next, 60)); }",
      /used more than/,
    ],
  ])("leaves the tests and steps so far where %s", async (_what, body, why) => {
    const two = `${script("await test.step('looks', async () => {});").replace('"x"', '"first"')}
      test("second", async ({ request }) => { await test.step("hangs", async () => { await new Promise((next) => setTimeout(next, 1_200)); ${body} }); });`;
    const { failure, result } = await tested.run("BROWSER", two, { limitMs: 14_000 });
    expect(failure?.message ?? "").toMatch(why);
    expect(result.tests).toMatchObject([
      { title: "first", status: "passed" },
      { title: "second", status: "interrupted" },
    ]);
    expect(result.steps.find(({ title }) => title === "looks")).toMatchObject({ test: 0, error: null });
    expect(result.steps.find(({ title }) => title === "hangs")).toMatchObject({ test: 1, error: "it had not ended" });
    await nothingIsLeft();
  });

  it("comes when the agent is killed", tries("F7", "no process of the run is left after 5 s"), async () => {
    const words = ["--disable-warning=ExperimentalWarning", "--conditions=source", join(import.meta.dirname, "engine-child.ts")];
    const agent = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void agent.kill("SIGKILL"));
    const [folder] = (await once(agent.stdout, "data")) as [Buffer];
    const ofRun = folder.toString().trim();
    onTestFinished(() => rmSync(ofRun, { recursive: true }));
    await expect.poll(() => processesOf(ofRun).length).toBeGreaterThan(8);
    agent.kill("SIGKILL");
    const killedMs = performance.now();
    await expect.poll(() => processesOf(ofRun), { interval: 20 }).toEqual([]);
    expect(performance.now() - killedMs).toBeLessThan(5_000);
  });

  it("comes when it is cancelled", async () => {
    const reason = new Error("cancelled by a test");
    await expect(tested.run("BROWSER", script("await new Promise(() => {});"), { signal: AbortSignal.timeout(4_000) })).rejects.toThrow(
      "timeout",
    );
    const ended = AbortSignal.abort(reason);
    await expect(tested.run("BROWSER", script(""), { signal: ended })).rejects.toBe(reason);
    await nothingIsLeft();
  });
});
