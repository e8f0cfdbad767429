import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { httpServer } from "../../support/http-servers/http-server.ts";
import { noPlaywright, playwrightRuntime, runtimesFolder } from "../../support/playwright-runtime.ts";
import { outpostRun } from "./outpost-run.ts";

const secret = "canary-of-explain";

describe("outpost run --explain", { timeout: 120_000 }, () => {
  it("says of a check without code where it runs and what it may reach, and sends nothing", async () => {
    let asked = 0;
    await using server = await httpServer((_request, response) => {
      asked += 1;
      response.end();
    });
    const check = { name: "Shop", checkType: "URL", request: { url: server.url } };
    const { code, stdout } = await outpostRun(["c.yaml", "--explain"], { "c.yaml": check }, { env: { TARGET_DENY_CIDR: "10.0.0.0/8" } });
    expect([code, asked]).toEqual([0, 0]);
    expect(stdout).toMatch(/^Shop \(URL\)\n {2}runs in {7}the agent's own process/);
    expect(stdout.replace(/\s+/g, " ")).toContain("denied 10.0.0.0/8");
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it("says what would bring a browser check where there is no runtime", async () => {
    const check = { name: "Shop", checkType: "BROWSER", script: "test('x', () => {})" };
    const { code, stdout } = await outpostRun(["c.yaml", "--explain"], { "c.yaml": check });
    expect([code, stdout]).toEqual([0, expect.stringContaining("outpost runtime install")]);
  });

  it.skipIf(noPlaywright !== null)("says of a browser check its browser, fences, limits and variables by name", async () => {
    const environmentVariables = [{ key: "TOKEN", value: secret, locked: true }];
    const check = { name: "Shop", checkType: "BROWSER", runtimeId: playwrightRuntime, script: "test('x', () => {})", environmentVariables };
    const folder = mkdtempSync(join(tmpdir(), "outpost-explain-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    chmodSync(folder, 0o711); // runs have a user of their own where root starts them
    const env = { RUNTIMES_DIR: runtimesFolder, DATA_DIR: folder, BROWSER_MEMORY_MB: "700" };
    const { code, stdout, stderr } = await outpostRun(["c.yaml", "--explain"], { "c.yaml": check }, { env });
    expect([code, stderr]).toEqual([0, ""]);
    const text = stdout.replace(/\s+/g, " ");
    for (const part of [
      "2026.04, Playwright 1.58.2",
      "chromium/",
      "level 2: Landlock",
      "the kernel holds it",
      "240 s, 700 MB",
      "TOKEN (secret)",
    ])
      expect(text).toContain(part);
    expect(stdout).not.toContain(secret);
  });
});
