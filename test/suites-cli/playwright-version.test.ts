import { describe, expect, it } from "vitest";
import { playwrightVersion } from "../../src/suites-cli/playwright-version.ts";

const pnpm = `lockfileVersion: '9.0'

settings:
  autoInstallPeers: true

importers:

  .:
    devDependencies:
      typescript:
        specifier: ^5.0.0
        version: 5.0.0

  apps/e2e:
    devDependencies:
      '@playwright/test':
        specifier: ^1.60.0
        version: 1.63.0(react@19.0.0)

packages:

  '@playwright/test@1.64.1':
    resolution: {integrity: sha512-x}
`;
const npm = JSON.stringify({
  packages: {
    "node_modules/@playwright/test": { version: "1.64.1" },
    "apps/e2e/node_modules/@playwright/test": { version: "1.60.2" },
  },
});

describe("the version of Playwright", () => {
  it.each([
    ["npm", "package-lock.json", npm, "", "1.64.1"],
    ["npm, of a package of the workspace", "package-lock.json", npm, "apps/e2e", "1.60.2"],
    ["npm, of another package", "npm-shrinkwrap.json", npm, "apps/web", "1.64.1"],
    ["npm, unreadable", "package-lock.json", "{", "", null],
    ["pnpm", "pnpm-lock.yaml", pnpm, "apps/e2e", "1.63.0"],
    ["pnpm, below a package", "pnpm-lock.yaml", pnpm, "apps/e2e/more", "1.63.0"],
    ["pnpm, which does not say", "pnpm-lock.yaml", pnpm, "", null],
    ["Yarn 1", "yarn.lock", '"@playwright/test@^1.60.0":\n  version "1.64.1"\n  resolved "x"\n', "", "1.64.1"],
    ["Yarn 4", "yarn.lock", '"@playwright/test@npm:^1.60.0":\n  version: 1.64.1\n  resolution: "x"\n', "", "1.64.1"],
    ["Bun", "bun.lock", '{ "packages": { "@playwright/test": ["@playwright/test@1.64.1", "", {}] } }', "", "1.64.1"],
    ["Bun, in binary", "bun.lockb", "", "", null],
  ])("is read from the lock file of %s", (_title, file, text, workingDir, version) => {
    expect(playwrightVersion({ file, text }, workingDir, "^1.60.0")).toBe(version);
  });

  it("is that of package.json where it is exact and the lock file does not tell", () => {
    expect(playwrightVersion({ file: "bun.lockb", text: "" }, "", "1.64.1")).toBe("1.64.1");
    expect(playwrightVersion({ file: "bun.lockb", text: "" }, "", "latest")).toBeNull();
  });
});
