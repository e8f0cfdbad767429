import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";

const inside = createRequire(import.meta.url);
const known = inside("../../../src/agent/playwright/inside/job.cjs") as { job: unknown };
const { beginHtmlReport, beginReport } = inside("../../../src/agent/playwright/inside/own-reports.cjs") as Record<
  "beginHtmlReport" | "beginReport",
  (config: { readonly reporter: readonly (readonly [string])[] }, suite: object) => { readonly options: object } | null
>;

const report = "class { constructor(options) { this.options = options; } onBegin() {} }";

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

  it.each([
    ["a file for each report", "reporters/html.js", `exports.default = ${report};`],
    ["one bundle, as in 1.65", "runner/index.js", `exports.html = { default: ${report} };`],
  ])("are found in %s", async (_layout, file, source) => {
    await runtimeWith(file, source);
    expect(beginHtmlReport({ reporter: [["list"]] }, {})?.options).toMatchObject({ outputFolder: "/run/html-report", open: "never" });
    expect(beginHtmlReport({ reporter: [["html"]] }, {})).toBeNull();
    expect(beginReport({ reporter: [] }, {})).toBeNull();
  });
});
