import type { TinyRegistry } from "../agent/runtimes/tiny-registry.ts";
import { locked, managerVersion, readVersion } from "../agent/suites/lock-files.ts";
import { manifest, npmLock, playwrightRegistry } from "../agent/suites/project.ts";
import { managerFolders, noManagers, npmFolder } from "./package-managers.ts";

export const spec = `import { expect, test } from "@playwright/test";
import { greeting } from "@shop/lib";
test("greets", async () => { expect(greeting).toBe("hello"); });`;
const library = (folder: string) => ({
  [`${folder}/package.json`]: JSON.stringify({ name: "@shop/lib", version: "1.0.0", main: "index.js" }),
  [`${folder}/index.js`]: 'exports.greeting = "hello";',
});

type Files = Readonly<Record<string, string>>;
export interface SuiteProject {
  /** Package manager and version, as a result tells them. */
  readonly manager: string;
  readonly words?: readonly string[];
  readonly files: (registry: string, npmLock: string) => Promise<Files>;
}

const npm = noManagers === null ? `npm ${readVersion(npmFolder)}` : "";
const npmManifest = JSON.stringify(manifest({ packageManager: npm.replace(" ", "@"), scripts: { start: "node server.js" } }));

/** A registry with Playwright and all package managers, and the lock file of projects that npm installs. */
export async function suiteRegistry(): Promise<{ readonly registry: TinyRegistry; readonly lock: string }> {
  const registry = await playwrightRegistry();
  for (const folder of Object.values(managerFolders)) await registry.publishFolder(folder);
  await registry.publishFolder(npmFolder, true);
  return { registry, lock: await npmLock(registry) };
}

/** As teams have them; without `playwright.config.ts` where the usual one is enough. */
export const suiteProjects: Readonly<Record<string, SuiteProject>> = {
  "npm, with paths of TypeScript": {
    manager: npm,
    files: async (_registry, lock) => ({
      "package.json": npmManifest,
      "package-lock.json": lock,
      "tsconfig.json": JSON.stringify({ compilerOptions: { baseUrl: ".", paths: { "@shop/*": ["./src/*"] } } }),
      "src/lib.ts": 'export const greeting: string = "hello";',
      "tests/a.spec.ts": spec,
    }),
  },
  "a monorepo of pnpm": {
    manager: `pnpm ${managerVersion("pnpm")}`,
    words: ["--working-dir", "apps/e2e", "--test-command", "pnpm exec playwright test"],
    files: async (registry) => ({
      ...(await locked(
        "pnpm",
        {
          "package.json": JSON.stringify({ name: "root", private: true, packageManager: `pnpm@${managerVersion("pnpm")}` }),
          "pnpm-workspace.yaml": "packages:\n  - apps/*\n  - libs/*\n",
          "apps/e2e/package.json": JSON.stringify(manifest({ dependencies: { "@shop/lib": "workspace:*" } })),
          ...library("libs/lib"),
        },
        registry,
      )),
      "apps/e2e/playwright.config.ts": "export default {};",
      "apps/e2e/a.spec.ts": spec,
    }),
  },
  "modern yarn": {
    manager: `yarn ${managerVersion("yarn")}`,
    words: ["--test-command", "yarn playwright test"],
    files: async (registry) => ({
      ...(await locked(
        "yarn",
        {
          ...workspace("yarn"),
          ".yarnrc.yml": "unsafeHttpWhitelist:\n  - 127.0.0.1\nnpmMinimalAgeGate: 0\n",
        },
        registry,
      )),
      "a.spec.ts": spec,
    }),
  },
  bun: {
    manager: `bun ${managerVersion("bun")}`,
    words: ["--test-command", "bunx playwright test"],
    files: async (registry) => ({ ...(await locked("bun", workspace("bun"), registry)), "a.spec.ts": spec }),
  },
  "a server, a global set-up and a browser": {
    manager: npm,
    files: async (_registry, lock) => ({
      "package.json": npmManifest,
      "package-lock.json": lock,
      "server.js": `require("node:http").createServer((_, answer) => {
  answer.setHeader("content-type", "text/html");
  answer.end("<h1>hello</h1>");
}).listen(4173, "127.0.0.1");`,
      "set-up.ts": 'import { writeFileSync } from "node:fs";\nexport default () => writeFileSync("word.txt", "hello");',
      "playwright.config.ts": `import { defineConfig } from "@playwright/test";
export default defineConfig({
  globalSetup: "./set-up.ts",
  webServer: { command: "npm run start", url: "http://127.0.0.1:4173" },
  use: { baseURL: "http://127.0.0.1:4173" },
});`,
      "a.spec.ts": `import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
test("greets", async ({ page }) => {
  await page.goto("/");
  await expect(page.locator("h1")).toHaveText(readFileSync("word.txt", "utf8"));
});`,
    }),
  },
};

export function workspace(manager: "yarn" | "bun"): Files {
  return {
    "package.json": JSON.stringify({
      ...manifest({ dependencies: { "@shop/lib": "workspace:*" } }),
      workspaces: ["libs/*"],
      packageManager: `${manager}@${managerVersion(manager)}`,
    }),
    ...library("libs/lib"),
  };
}
