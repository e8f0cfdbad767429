import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";

const inside = createRequire(import.meta.url);
const known = inside("../../../src/agent/playwright/inside/job.cjs") as { job: unknown };
const { beginHtmlReport, beginReport } = inside("../../../src/agent/playwright/inside/own-reports.cjs") as Record<
  "beginHtmlReport" | "beginReport",
  (config: { readonly reporter: readonly (readonly [string])[] }, suite: object) => Promise<{ readonly options: object } | null>
>;

const report = "class { constructor(options) { this.options = options; } onBegin() {} }";
/** As the bundle of 1.65 makes them: a line for each test before them, and once more what the environment asks for. */
const bundle = `const Report = ${report};
exports.runnerReporters = {
  async createReporters(config, mode, [[name, options]]) {
    if (process.env.PW_TEST_REPORTER !== undefined) throw new Error("made once more");
    return [new Report({ name: "line" }), new Report({ name, mode, tags: config.config.tags.length, ...options })];
  },
};`;

describe("Playwright's own reports of a suite", () => {
  const folders: string[] = [];
  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });

  async function runtimeWith(file: string, source: string): Promise<void> {
    const runtime = await mkdtemp(join(tmpdir(), "own-reports-"));
    folders.push(runtime);
    const path = join(runtime, "node_modules/playwright/lib", file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, source);
    vi.stubEnv("OUTPOST_RUNTIME", runtime);
    known.job = { run: "/run", work: "/work" };
  }

  it("are found where there is a file for each", async () => {
    await runtimeWith("reporters/html.js", `exports.default = ${report};`);
    expect((await beginHtmlReport({ reporter: [["list"]] }, {}))?.options).toMatchObject({
      outputFolder: "/run/html-report",
      open: "never",
    });
    expect(await beginHtmlReport({ reporter: [["html"]] }, {})).toBeNull();
    expect(await beginReport({ reporter: [] }, {})).toBeNull();
  });

  it("are made by their names in a bundle, without our own", async () => {
    await runtimeWith("runner/index.js", bundle);
    vi.stubEnv("PW_TEST_REPORTER", "/ours.cjs");
    expect((await beginHtmlReport({ reporter: [["list"]] }, {}))?.options).toMatchObject({
      name: "html",
      outputFolder: "/run/html-report",
    });
    expect((await beginReport({ reporter: [] }, {}))?.options).toMatchObject({
      name: "json",
      mode: "test",
      outputFile: "/run/report.json",
    });
    expect(process.env["PW_TEST_REPORTER"]).toBe("/ours.cjs");
  });
});
