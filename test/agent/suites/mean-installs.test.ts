import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BundleMember } from "../../support/code-bundle.ts";
import { noPlaywright } from "../../support/playwright-runtime.ts";
import { TinyRegistry } from "../runtimes/tiny-registry.ts";
import { bundled } from "./project.ts";
import { SuitesUnderTest } from "./suite-under-test.ts";

const timeout = 120_000;

/** Plug-ins of package managers are code of the project: here the manager itself is what they could be. */
describe.skipIf(noPlaywright !== null)("an install that does harm", { timeout }, () => {
  const made = new AsyncDisposableStack();
  let registry: TinyRegistry;
  let suites: SuitesUnderTest;
  let target: string;
  let count = 0;
  beforeAll(async () => {
    registry = made.use(await TinyRegistry.start([]));
    suites = made.use(await SuitesUnderTest.start({ registry: registry.url }));
    target = mkdtempSync(join(tmpdir(), "outpost-target-"));
    made.defer(() => rmSync(target, { recursive: true }));
    mkdirSync(join(target, "node_modules"));
    writeFileSync(join(target, "key"), "secret", { mode: 0o600 });
  }, timeout);
  afterAll(() => made.disposeAsync());

  /** What a run says whose install is this code; `modules` is the project's `node_modules`, which is there. */
  async function saidAfter(
    code: string,
    files: Readonly<Record<string, string>> = {},
    members: readonly BundleMember[] = [],
  ): Promise<string> {
    count += 1;
    const version = `9.0.${count}`;
    const program = `const fs = require("node:fs"); const path = require("node:path"); const work = process.cwd(); const modules = path.join(work, "node_modules");
fs.mkdirSync(modules, { recursive: true }); const target = ${JSON.stringify(target)};
${code}`;
    await registry.publish({ name: "pnpm", version, files: { "bin/pnpm.cjs": program }, more: { bin: { pnpm: "bin/pnpm.cjs" } } });
    const project = { "package.json": JSON.stringify({ packageManager: `pnpm@${version}` }), "pnpm-lock.yaml": "", ...files };
    const { failure } = await suites.run({ codeBundlePath: suites.add(bundled(project, members)) });
    expect([readdirSync(target).toSorted(), statSync(join(target, "key")).mode & 0o777, readdirSync(join(target, "node_modules"))]).toEqual(
      [["key", "node_modules"], 0o600, []],
    );
    return failure?.message ?? "";
  }

  it("cannot put a link in the place of its folder", async () => {
    expect(await saidAfter("fs.renameSync(work, `${work}2`); fs.symlinkSync(target, work);")).toMatch(
      /put something else in the place of its folder/,
    );
  });

  it("cannot lead links for its packages out through a link of the bundle", async () => {
    const code = `fs.mkdirSync("a/node_modules", { recursive: true }); fs.symlinkSync(target, "a/node_modules/z"); fs.rmSync("b"); fs.mkdirSync("b/z/x/node_modules", { recursive: true });`;
    const members: BundleMember[] = [
      { path: "a/readme", body: "x" },
      { path: "b", type: "SymbolicLink", linkpath: "a/node_modules" },
    ];
    expect(await saidAfter(code, {}, members)).toMatch(/is no folder of the bundle/);
  });

  it("cannot have the agent read without end by a link of the bundle", async () => {
    const link: BundleMember = { path: "playwright.config.ts", type: "SymbolicLink", linkpath: "node_modules/@playwright/test/evil" };
    const code = `fs.mkdirSync("node_modules/@playwright/test", { recursive: true }); fs.writeFileSync("node_modules/@playwright/test/cli.js", ""); fs.symlinkSync("/dev/zero", "node_modules/@playwright/test/evil");`;
    expect(await saidAfter(code, {}, [link])).toMatch(/Playwright ended without a word/);
  });

  it("cannot keep the agent busy with what it says", async () => {
    const began = performance.now();
    expect(await saidAfter('process.stderr.write("err:" + "a".repeat(60_000) + "\\n"); process.exit(1);')).toMatch(
      /install failed: pnpm install: /,
    );
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it("has no program where its package has none", async () => {
    await registry.publish({ name: "pnpm", version: "8.0.0", files: { "other.js": "" } });
    const files = { "package.json": '{"packageManager":"pnpm@8.0.0"}', "pnpm-lock.yaml": "" };
    const { failure } = await suites.run({ codeBundlePath: suites.add(bundled(files)) });
    expect(failure?.message).toMatch(/install failed/);
  });
});

describe.skipIf(noPlaywright !== null)("a manifest", { timeout }, () => {
  it("larger than one has a reason to be is refused before it is read", async () => {
    await using suites = await SuitesUnderTest.start();
    const { failure } = await suites.run({
      codeBundlePath: suites.add(bundled({ "package.json": " ".repeat(2_000_000), "yarn.lock": "" })),
    });
    expect(failure?.message).toMatch(/package\.json of the bundle has 2000000 bytes; at most 1048576 are read/);
  });
});
