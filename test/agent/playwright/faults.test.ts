import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EngineUnderTest, missing } from "./engine-under-test.ts";

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

  it("that die while they wait are replaced: the next job starts cold", async () => {
    await tested.run("MULTI_STEP", script(""));
    await expect.poll(() => runnersOf(tested.folder).length, { timeout: 10_000 }).toBe(1);
    const [waiting] = runnersOf(tested.folder);
    process.kill(waiting ?? 0, "SIGKILL");
    await expect.poll(() => runnersOf(tested.folder)).toEqual([]);
    const { outcome, failure } = await tested.run("MULTI_STEP", script(""));
    expect([outcome, failure]).toEqual(["passed", null]);
    await expect.poll(() => runnersOf(tested.folder).length, { timeout: 10_000 }).toBe(1);
    expect(runnersOf(tested.folder)).not.toContain(waiting);
  });

  it("at the same time see neither the files nor the home of each other", async () => {
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
  });
});
