import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { managerFolders, noManagers } from "../../support/package-managers.ts";
import { noPlaywright } from "../../support/playwright-runtime.ts";
import type { TinyRegistry } from "../runtimes/tiny-registry.ts";
import { bundled, manifest, playwrightRegistry } from "./project.ts";
import { SuitesUnderTest } from "./suite-under-test.ts";

const timeout = 240_000;
const spec = `import { expect, test } from "@playwright/test";
import { greeting } from "@shop/lib";
test("greets", async () => { expect(greeting).toBe("hello"); });`;

describe.skipIf(noPlaywright !== null || noManagers !== null)("a suite of a workspace", { timeout }, () => {
  const made = new AsyncDisposableStack();
  let registry: TinyRegistry;
  let suites: SuitesUnderTest;
  beforeAll(async () => {
    registry = made.use(await playwrightRegistry());
    for (const folder of Object.values(managerFolders)) await registry.publishFolder(folder);
    suites = made.use(await SuitesUnderTest.start({ registry: registry.url }));
  }, timeout);
  afterAll(() => made.disposeAsync());

  /** The lock file as the manager writes it. */
  async function lockOf(program: string, words: readonly string[], lock: string, files: Readonly<Record<string, string>>): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), "outpost-workspace-"));
    try {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      const env = {
        ...process.env,
        HOME: folder,
        CI: "",
        npm_config_registry: registry.url,
        YARN_NPM_REGISTRY_SERVER: registry.url,
        YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
        YARN_ENABLE_TELEMETRY: "0",
        YARN_ENABLE_IMMUTABLE_INSTALLS: "0",
        YARN_NODE_LINKER: "node-modules",
      };
      await promisify(execFile)(process.execPath, [program, ...words], { cwd: folder, env }).catch(
        (error: { readonly stdout?: string }) => {
          throw new Error(error.stdout ?? "", { cause: error });
        },
      );
      return readFileSync(join(folder, lock), "utf8");
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  const versionOf = (folder: string): string =>
    (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version;

  it("of pnpm runs in its workingDir, with the packages of the root beside it", async () => {
    const version = versionOf(managerFolders.pnpm);
    const files = {
      "package.json": JSON.stringify({ name: "root", private: true, packageManager: `pnpm@${version}` }),
      "pnpm-workspace.yaml": "packages:\n  - apps/*\n  - libs/*\n",
      "libs/lib/package.json": JSON.stringify({ name: "@shop/lib", version: "1.0.0", main: "index.js" }),
      "libs/lib/index.js": 'exports.greeting = "hello";',
      "apps/e2e/package.json": JSON.stringify(manifest({ dependencies: { "@shop/lib": "workspace:*" } })),
    };
    const lock = await lockOf(join(managerFolders.pnpm, "bin/pnpm.cjs"), ["install", "--lockfile-only"], "pnpm-lock.yaml", files);
    const bundle = bundled({ ...files, "pnpm-lock.yaml": lock, "apps/e2e/a.spec.ts": spec });
    const settings = { codeBundlePath: suites.add(bundle), workingDir: "apps/e2e", testCommand: "pnpm exec playwright test" };
    const { failure, result } = await suites.run(settings);
    expect([failure, result.errors, result.packageManager]).toEqual([null, [], `pnpm ${version}`]);
    expect(result.tests.map(({ title, file, status }) => [title, file, status])).toEqual([["greets", "apps/e2e/a.spec.ts", "passed"]]);
    expect((await suites.run(settings)).result.cachedPackages).toBe(true);
  });

  it("of modern yarn is installed as its lock file says", async () => {
    const version = versionOf(managerFolders.yarn);
    const files = {
      "package.json": JSON.stringify({
        ...manifest({ dependencies: { "@shop/lib": "workspace:*" } }),
        workspaces: ["libs/*"],
        packageManager: `yarn@${version}`,
      }),
      ".yarnrc.yml": "unsafeHttpWhitelist:\n  - 127.0.0.1\nnpmMinimalAgeGate: 0\n",
      "libs/lib/package.json": JSON.stringify({ name: "@shop/lib", version: "1.0.0", main: "index.js" }),
      "libs/lib/index.js": 'exports.greeting = "hello";',
    };
    const lock = await lockOf(join(managerFolders.yarn, "bin/yarn.js"), ["install", "--mode=update-lockfile"], "yarn.lock", files);
    const bundle = bundled({ ...files, "yarn.lock": lock, "a.spec.ts": spec });
    const { failure, result } = await suites.run({ codeBundlePath: suites.add(bundle), testCommand: "yarn playwright test" });
    expect([failure, result.errors, result.packageManager]).toEqual([null, [], `yarn ${version}`]);
    expect(result.tests.map(({ title, status }) => [title, status])).toEqual([["greets", "passed"]]);
  });
});
