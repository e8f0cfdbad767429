import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { tries } from "../../attacks/cases.ts";
import { playwrightRuntime } from "../../support/playwright-runtime.ts";
import { EngineUnderTest, missing, runtimeFolder } from "./engine-under-test.ts";

const runtimesFolder = mkdtempSync(join(tmpdir(), "outpost-unknown-"));
afterAll(() => rmSync(runtimesFolder, { recursive: true }));

/** A runtime whose Playwright has its parts where no version that was tried has them. */
function moveParts(): void {
  const moved = join(runtimesFolder, playwrightRuntime);
  for (const name of ["runtime.json", "bin", "node_modules/playwright", "node_modules/@playwright"])
    cpSync(join(runtimeFolder, name), join(moved, name), { recursive: true, verbatimSymlinks: true });
  const lib = join(moved, "node_modules/playwright/lib");
  renameSync(join(lib, "common/process.js"), join(lib, "common/elsewhere.js"));
  for (const name of ["runner/processHost.js", "worker/workerMain.js", "loader/loaderMain.js"]) {
    const file = join(lib, name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll('"../common/process"', '"../common/elsewhere"'));
  }
}

describe.skipIf(missing !== null || playwrightRuntime !== "2026.04")(
  "a version of Playwright that is unknown",
  { timeout: 120_000 },
  () => {
    it("runs, its worker cold, with a warning", tries("F20", "the result is right, and its log warns"), async () => {
      moveParts();
      await using tested = await EngineUnderTest.start({ runtimesFolder });
      const script = `import { expect, test } from "@playwright/test";
      test("one", async ({ page }) => { await page.setContent("<h1>Shop</h1>"); await expect(page.locator("h1")).toHaveText("Shop"); });
      test("two", () => expect(1).toBe(2));`;
      const { failure, result } = await tested.run("BROWSER", script);
      expect([failure, result.tests.map(({ status }) => status)]).toEqual([null, ["passed", "failed"]]);
      expect(result.jobLog.map(({ level, msg }) => [level, msg.slice(0, 54)])).toContainEqual([
        "WARN",
        "this agent does not know this version of Playwright: i",
      ]);
    });
  },
);
