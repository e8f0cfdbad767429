import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { httpServer } from "../../support/http-servers/http-server.ts";
import { noPlaywright, playwrightRuntime, runtimesFolder } from "../../support/playwright-runtime.ts";
import { until } from "../../support/processes.ts";
import { outpostRun } from "./outpost-run.ts";

const noScreen = noPlaywright ?? (spawnSync("Xvfb", ["-help"]).error === undefined ? null : "Xvfb is not installed (apt-get install xvfb)");
if (noScreen !== null) process.stdout.write(`outpost run --headed is not tried with a window: ${noScreen}\n`);

const check = (script: string): object => ({ name: "Shop", checkType: "BROWSER", runtimeId: playwrightRuntime, script });

/** A screen that nobody sees, by its name. */
async function screen(): Promise<string> {
  const server = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1280x720x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  const [name] = (await once(server.stdio[3] as NodeJS.ReadableStream, "data")) as [Buffer];
  return `:${name.toString().trim()}`;
}

/** Command lines of processes that name a folder. */
function commandsWith(folder: string): string[] {
  const lines = readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ") : [];
    } catch {
      return []; // it has ended
    }
  });
  return lines.filter((line) => line.includes(folder));
}

describe("outpost run --headed", { timeout: 120_000 }, () => {
  it.each([
    ["a desktop", check("x"), {}, /--headed needs a desktop/],
    ["a runtime", check("x"), { DISPLAY: ":9" }, /outpost runtime install 2026\.04|needs a Chromium with windows/],
    ["a script", { checkType: "URL", request: { url: "http://127.0.0.1:1/" } }, { DISPLAY: ":9" }, /for BROWSER and MULTI_STEP checks/],
  ])("says so without %s", async (_what, file, env, said) => {
    const { code, stderr } = await outpostRun(["c.json", "--headed"], { "c.json": file }, { env });
    expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
  });

  it.skipIf(noScreen !== null)("opens a window, gives the script its variables and tells what Playwright says", async () => {
    const agents: string[] = [];
    await using server = await httpServer((request, response) => {
      agents.push(request.headers["user-agent"] ?? "");
      response.setHeader("content-type", "text/html").end("<h1>Shop</h1>");
    });
    const script = (heading: string): string => `const { expect, test } = require("@playwright/test");
      require("@outpost/playwright-helpers").markCheckAsDegraded("slow");
      test("x", async ({ page }) => { await page.goto(process.env.SHOP_URL); await expect(page.locator("h1")).toHaveText("${heading}", { timeout: 500 }); });`;
    const env = { DISPLAY: await screen(), RUNTIMES_DIR: runtimesFolder, SHOP_URL: server.url };
    const passed = await outpostRun(["c.json", "--headed"], { "c.json": check(script("Shop")) }, { env });
    expect([passed.code, passed.stdout]).toEqual([0, expect.stringContaining("1 passed")]);
    expect(agents[0]).not.toContain("Headless");
    const failed = await outpostRun(["c.json", "--headed"], { "c.json": check(script("Bank")) }, { env });
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining("1 failed")]);
  });

  it.skipIf(noScreen !== null).each([
    ["--ui", "chromium --type=renderer", "SIGINT"],
    ["--headed", "the page", "SIGTERM"],
  ] as const)("opens Playwright's own window with %s, and leaves no process and no folder when it is ended", async (flag, sign, signal) => {
    const opened = Promise.withResolvers<void>();
    await using server = await httpServer((_request, response) => {
      opened.resolve();
      response.setHeader("content-type", "text/html").end("<h1>Shop</h1>");
    });
    const folder = mkdtempSync(join(tmpdir(), "outpost-desktop-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const env = { DISPLAY: await screen(), RUNTIMES_DIR: runtimesFolder, SHOP_URL: server.url, TMPDIR: folder };
    const script = `const { test } = require("@playwright/test");
      test("x", async ({ page }) => { await page.goto(process.env.SHOP_URL); await new Promise(() => {}); });`;
    const running = outpostRun(
      ["c.json", flag],
      { "c.json": check(script) },
      {
        env,
        began: async (child) => {
          if (sign === "the page") await opened.promise;
          else await until("Playwright's window", () => commandsWith(folder).some((line) => line.includes("--type=renderer")), 60_000);
          expect(readdirSync(folder).some((name) => name.startsWith("outpost-desktop-"))).toBe(true);
          child.kill(signal);
        },
      },
    );
    expect((await running).signal).toBe(signal);
    expect(readdirSync(folder).filter((name) => name.startsWith("outpost-desktop-"))).toEqual([]);
    await until("the end of all processes", () => commandsWith(folder).length === 0, 10_000);
  });
});
