import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import parts from "../../../rolldown.config.ts";
import { echo, httpServer } from "../../support/http-servers/http-server.ts";
import { makeScriptRuntime } from "../../support/script-runtime.ts";

describe("the bundle of the agent", () => {
  const name = "dist/agent";
  const folder = mkdtempSync(join(tmpdir(), "outpost-bundle-"));
  beforeAll(async () => {
    const part = parts.find(({ output }) => !Array.isArray(output) && output?.dir === name) ?? {};
    await using bundle = await rolldown(part);
    await bundle.write({ ...[part.output].flat()[0], dir: folder });
    return () => rmSync(folder, { recursive: true });
  }, 120_000);

  it("has what children of the sandbox run, where it looks for it", () => {
    const files = readdirSync(join(import.meta.dirname, "../../../src/agent/sandbox/child"));
    expect(files).toContain("bootstrap.cjs");
    expect(readdirSync(join(folder, "chunks/child")).toSorted()).toEqual(files.toSorted());
    expect(readdirSync(join(folder, "chunks"))).toEqual(expect.arrayContaining(["keeper.cjs", "launcher.cjs", "strip-worker.js"]));
  });

  it("has what runs inside of the fence of Playwright", () => {
    const files = readdirSync(join(import.meta.dirname, "../../../src/agent/playwright/inside"));
    expect(files).toContain("host.config.cjs");
    expect(readdirSync(join(folder, "chunks/inside")).toSorted()).toEqual(files.toSorted());
  });

  it("runs setup and teardown scripts of a check, with types in them", async () => {
    await using runtime = await makeScriptRuntime();
    await using server = await httpServer(echo);
    const home = mkdtempSync(join(tmpdir(), "outpost-bundled-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const check = {
      checkType: "API",
      name: "bundled",
      request: { method: "GET", url: `${server.url}/`, assertions: [{ source: "TEXT_BODY", comparison: "EQUALS", target: "1.2.3" }] },
      localSetupScript: 'const version: string = require("semver").valid("1.2.3"); request.headers["x-version"] = version;',
      localTearDownScript: 'response.body = JSON.parse(response.body).headers["x-version"];',
    };
    writeFileSync(join(home, "check.json"), JSON.stringify(check));
    const words = ["--disable-warning=ExperimentalWarning", join(folder, "cli.js"), "run", "check.json"];
    const env = { PATH: "/usr/bin:/bin", RUNTIMES_DIR: runtime.folder, SCRIPT_SANDBOX: "require-1" };
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: home, env });
    expect(stdout).toContain("passed  bundled");
  }, 120_000);
});
