import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder of a test with a repository in it, which goes with the test. */
export class SuiteFolder implements Disposable {
  readonly path: string;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.path = realpathSync(mkdtempSync(join(tmpdir(), "outpost-suite-")));
    mkdirSync(join(this.path, ".git"));
    this.write(files);
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, path)), { recursive: true });
      writeFileSync(join(this.path, path), text);
    }
  }

  at(path: string): string {
    return join(this.path, path);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** The least that is a Playwright project, in the order of its paths. */
export const shop: Readonly<Record<string, string>> = {
  "package-lock.json": JSON.stringify({ lockfileVersion: 3, packages: { "node_modules/@playwright/test": { version: "1.64.1" } } }),
  "package.json": JSON.stringify({ name: "shop-e2e", devDependencies: { "@playwright/test": "^1.64.0" } }),
  "playwright.config.ts": "export default {};\n",
  "tests/shop.spec.ts": 'import { test } from "@playwright/test";\n\ntest("opens", async () => {});\n',
};
