import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EngineUnderTest, missing } from "./engine-under-test.ts";

describe.skipIf(missing !== null)("what is compiled of a runtime", () => {
  let tested: EngineUnderTest;
  beforeAll(async () => {
    tested = await EngineUnderTest.start();
  });
  afterAll(() => tested[Symbol.asyncDispose]());

  const folder = (): string => {
    const tools = join(tested.folder, "browser/tools");
    return join(tools, readdirSync(tools).find((name) => name.startsWith("compiled-2026.04-")) ?? "none");
  };
  const files = (): string[] => readdirSync(folder(), { recursive: true, encoding: "utf8" }).map((name) => join(folder(), name));
  const digest = (): string => {
    const hash = createHash("sha256");
    for (const file of files()) if (statSync(file).isFile()) hash.update(file).update(readFileSync(file));
    return hash.digest("hex");
  };

  it("is kept from the first pair on, as files of the agent", async () => {
    const { outcome } = await tested.run("MULTI_STEP", `require("@playwright/test").test("x", () => {});`);
    expect(outcome).toBe("passed");
    expect(files().length).toBeGreaterThan(150);
    for (const file of files()) expect([file, statSync(file).uid, statSync(file).mode & 0o022]).toEqual([file, process.getuid?.(), 0]);
  });

  it("cannot be changed by a script, nor made for the next run", async () => {
    const before = digest();
    const script = `const { expect, test } = require("@playwright/test");
const { cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
test("x", () => {
  const tools = process.env.PLAYWRIGHT_BROWSERS_PATH;
  const kept = join(tools, readdirSync(tools).find((name) => name.startsWith("compiled-")));
  const file = readdirSync(kept, { recursive: true }).map((name) => join(kept, name)).find((name) => statSync(name).isFile());
  const refused = (act) => { try { act(); return "it did"; } catch ({ code }) { return code; } };
  expect([
    refused(() => writeFileSync(file, "poison")),
    refused(() => writeFileSync(join(kept, "more"), "poison")),
    refused(() => rmSync(file)),
    refused(() => renameSync(kept, join(tools, "other"))),
    refused(() => mkdirSync(join(tools, "compiled-2026.04-more"))),
  ]).toEqual(Array(5).fill("EACCES"));
  cpSync(kept, "../compiled", { recursive: true });
  writeFileSync("../compiled.runner", "");
  writeFileSync("../compiled.worker", "");
});`;
    const { outcome, result } = await tested.run("MULTI_STEP", script);
    expect([outcome, result.errors]).toEqual(["passed", []]);
    expect(digest()).toBe(before);
  });

  it("leaves scripts the modules that they import as they go on, and no variable of ours", async () => {
    const files = [
      { path: "tide.mts", content: `export const tide: string = "high";` },
      { path: "moon.mts", content: `import { tide } from "./tide.mts"; export const moon: string = tide;` },
    ];
    const script = `import { expect, test } from "@playwright/test";
test("x", async () => {
  expect((await import("./tide.mts")).tide).toBe("high");
  expect((await import("./moon.mts")).moon).toBe("high");
  expect(Object.keys(process.env).filter((name) => /^(OUTPOST|NODE_COMPILE|PW_)/.test(name))).toEqual([]);
});`;
    const { outcome, result } = await tested.run("MULTI_STEP", script, { files });
    expect([outcome, result.errors]).toEqual(["passed", []]);
  });

  it("leaves a script without modules no variable of ours either", async () => {
    const script = `const { expect, test } = require("@playwright/test");
const names = () => Object.keys(process.env).filter((name) => /^(OUTPOST|NODE_COMPILE|PW_)/.test(name) && name !== "OUTPOST_RUN");
const atLoad = names();
test("x", () => expect([atLoad, names()]).toEqual([[], []]));
test("y", () => expect(1).toBe(2));
test("z", () => expect([atLoad, names()]).toEqual([[], []]));`;
    const { result } = await tested.run("MULTI_STEP", script);
    expect(result.tests.map(({ status }) => status)).toEqual(["passed", "failed", "passed"]);
  });
});
