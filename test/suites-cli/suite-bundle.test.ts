import { chmodSync, linkSync, symlinkSync, utimesSync } from "node:fs";
import { createServer } from "node:net";
import { list } from "tar";
import { afterEach, describe, expect, it } from "vitest";
import { type BundleOptions, type SuiteBundle, suiteBundle } from "../../src/suites-cli/suite-bundle.ts";
import { SuiteFolder, shop } from "./suite-folder.ts";

const options: BundleOptions = { workingDir: null, include: [], namesConfig: false };
const bundleOf = (folder: string, changes: Partial<BundleOptions> = {}): Promise<SuiteBundle> =>
  suiteBundle(folder, { ...options, ...changes });

interface Member {
  readonly path: string;
  readonly type: string;
  readonly mode: number;
  readonly uid: number;
  readonly mtimeMs: number;
}

async function membersOf({ bytes }: SuiteBundle): Promise<readonly Member[]> {
  const members: Member[] = [];
  const parser = list({
    onReadEntry: ({ path, type, mode = 0, uid = 0, mtime }) => {
      members.push({ path, type, mode, uid, mtimeMs: mtime?.getTime() ?? 0 });
    },
  });
  const done = new Promise((resolve, reject) => parser.on("end", resolve).on("error", reject));
  parser.end(Buffer.concat(bytes));
  await done;
  return members;
}

const pathsOf = async (bundle: SuiteBundle): Promise<readonly string[]> => (await membersOf(bundle)).map(({ path }) => path);

describe("the bundle of a suite", () => {
  it("holds its files in order, without times and owners, and says what is in it", async () => {
    using folder = new SuiteFolder(shop);
    const bundle = await bundleOf(folder.path);
    expect((await membersOf(bundle)).map(({ path, mode, uid, mtimeMs }) => [path, mode, uid, mtimeMs])).toEqual(
      Object.keys(shop).map((path) => [path, 0o644, 0, 0]),
    );
    expect(bundle).toMatchObject({
      key: `${bundle.sha256}.tar.gz`,
      files: 4,
      manager: "npm",
      playwrightVersion: "1.64.1",
      workingDir: "",
      suiteName: "shop-e2e",
      secrets: [],
      cacheHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it("has the same bytes as long as the project is the same, wherever it lies and whenever it was checked out", async () => {
    using here = new SuiteFolder(shop);
    using there = new SuiteFolder(shop);
    const file = there.at("tests/shop.spec.ts");
    chmodSync(file, 0o600);
    utimesSync(file, 1, 1);
    linkSync(file, there.at("tests/second.spec.ts"));
    here.write({ "tests/second.spec.ts": shop["tests/shop.spec.ts"] ?? "" });
    const [first, second] = [await bundleOf(here.path), await bundleOf(there.path)];
    expect(second.sha256).toBe(first.sha256);
    chmodSync(file, 0o755);
    expect((await bundleOf(there.path)).sha256).not.toBe(first.sha256);
  });

  it("changes what was installed before only with the lock file or a package.json", async () => {
    using folder = new SuiteFolder(shop);
    const before = await bundleOf(folder.path);
    folder.write({ "tests/shop.spec.ts": "// another one\n" });
    const after = await bundleOf(folder.path);
    expect([after.cacheHash, after.sha256 === before.sha256]).toEqual([before.cacheHash, false]);
    folder.write({ "package-lock.json": "{}" });
    expect((await bundleOf(folder.path)).cacheHash).not.toBe(before.cacheHash);
  });

  it("leaves out what .gitignore and .outpostignore say, in each folder, and what runs make", async () => {
    using folder = new SuiteFolder({
      ...shop,
      ".gitignore": "*.log\n/build/\n!important.log\n",
      ".outpostignore": "videos/\n",
      "a.log": "",
      "important.log": "",
      "build/x.js": "",
      "tests/build/y.ts": "",
      "tests/.gitignore": "!kept.log\ngenerated/*\n!generated/kept.ts\n",
      "tests/kept.log": "",
      "tests/generated/gone.ts": "",
      "tests/generated/kept.ts": "",
      "tests/videos/v.webm": "",
      "node_modules/x/index.js": "",
      "tests/node_modules/y/index.js": "",
      "test-results/r.json": "",
      "playwright-report/index.html": "",
      "blob-report/b.zip": "",
      ".env": "A=1",
      ".env.local": "A=1",
      "tests/.env.test": "A=1",
    });
    const extra = [".gitignore", ".outpostignore", "important.log", "tests/.gitignore", "tests/build/y.ts"];
    expect(await pathsOf(await bundleOf(folder.path))).toEqual(
      [...Object.keys(shop), ...extra, "tests/generated/kept.ts", "tests/kept.log"].toSorted(),
    );
  });

  it("tells names apart by their case, as git does", async () => {
    using folder = new SuiteFolder({ ...shop, ".gitignore": "BUILD\n", "build/x.ts": "" });
    expect(await pathsOf(await bundleOf(folder.path))).toContain("build/x.ts");
  });

  it("heeds the .gitignore of the folders above in the repository, and no more of them", async () => {
    using outer = new SuiteFolder({ ".gitignore": "*.ts\n" });
    using folder = new SuiteFolder();
    folder.write({ ".gitignore": "/e2e/big/\n*.tmp\n" });
    for (const [path, text] of Object.entries({ ...shop, "big/x": "", "a.tmp": "" })) folder.write({ [`e2e/${path}`]: text });
    expect(await pathsOf(await bundleOf(folder.at("e2e")))).toEqual(Object.keys(shop));
    outer.write(Object.fromEntries(Object.entries(shop).map(([path, text]) => [`inner/${path}`, text])));
    outer.write({ "inner/.git": "gitdir: elsewhere\n" });
    expect(await pathsOf(await bundleOf(outer.at("inner")))).toEqual(Object.keys(shop));
  });

  it("takes along what is included by name or pattern, and names what looks like a secret", async () => {
    using folder = new SuiteFolder({
      ...shop,
      ".gitignore": "auth/\n",
      ".npmrc": "registry=https://npm.example.com/\n",
      ".env.test": "A=1",
      "auth/user.json": "{}",
      "auth/deep/admin.json": "{}",
      "certs/client.pem": "",
      "node_modules/tool/index.js": "",
    });
    const plain = await bundleOf(folder.path);
    expect(plain.secrets).toEqual(["certs/client.pem"]);
    const bundle = await bundleOf(folder.path, { include: [".env.*", "auth", "node_modules/tool"] });
    const added = [".env.test", "auth/deep/admin.json", "auth/user.json", "node_modules/tool/index.js"];
    expect((await pathsOf(bundle)).filter((path) => added.includes(path))).toEqual(added);
    expect(bundle.secrets).toEqual([".env.test", "certs/client.pem"]);
    folder.write({ ".npmrc": "//npm.example.com/:_authToken=abc\n" });
    expect((await bundleOf(folder.path)).secrets).toEqual([".npmrc", "certs/client.pem"]);
    folder.write({ ".npmrc": "//npm.example.com/:_authToken=${NPM_TOKEN}\n" });
    expect((await bundleOf(folder.path)).secrets).toEqual(["certs/client.pem"]);
  });

  it("takes along names that look like patterns", async () => {
    using folder = new SuiteFolder({ ...shop, ".gitignore": "pages/\n", "pages/[id].ts": "", "pages/other.ts": "" });
    const paths = await pathsOf(await bundleOf(folder.path, { include: ["pages/[id].ts"] }));
    expect(paths.filter((path) => path.startsWith("pages"))).toEqual(["pages/[id].ts"]);
  });

  it("keeps links that stay inside", async () => {
    using folder = new SuiteFolder(shop);
    symlinkSync("../tests/shop.spec.ts", folder.at("tests/link.ts"));
    expect((await membersOf(await bundleOf(folder.path))).find(({ path }) => path === "tests/link.ts")?.type).toBe("SymbolicLink");
  });
});

describe("the workspace of a suite", () => {
  const inFolder = (folder: string): Record<string, string> =>
    Object.fromEntries(Object.entries(shop).flatMap(([path, text]) => (path.includes("lock") ? [] : [[`${folder}/${path}`, text]])));

  it.each([
    ["pnpm", { "pnpm-workspace.yaml": "packages:\n  - apps/*\n  - '!apps/old'\n", "pnpm-lock.yaml": "lockfileVersion: '9.0'\n" }, {}],
    ["npm", { "package-lock.json": "{}" }, { workspaces: ["apps/*", "packages/**"] }],
    ["yarn", { "yarn.lock": "" }, { workspaces: { packages: ["./apps/e2e/"] } }],
    ["bun", { "bun.lock": "{}" }, { workspaces: ["apps/e2e"] }],
  ])("of %s comes along with its lock file and its packages", async (manager, files, fields) => {
    using folder = new SuiteFolder({
      ...inFolder("apps/e2e"),
      ...files,
      "package.json": JSON.stringify({ private: true, ...fields }),
      "packages/kit/index.ts": "",
      ".gitignore": "dist\n",
      "packages/kit/dist/index.js": "",
    });
    const bundle = await bundleOf(folder.at("apps/e2e"));
    expect(bundle).toMatchObject({ manager, workingDir: "apps/e2e", root: folder.path, suiteName: "shop-e2e" });
    const paths = await pathsOf(bundle);
    expect(paths).toEqual(expect.arrayContaining([...Object.keys(files), "apps/e2e/tests/shop.spec.ts", "packages/kit/index.ts"]));
    expect(paths).not.toContain("packages/kit/dist/index.js");
  });

  it("stays behind where the suite is no package of it, or has a lock file of its own", async () => {
    const above = { "package.json": JSON.stringify({ workspaces: ["packages/*", "!packages/e2e"] }), "package-lock.json": "{}" };
    using folder = new SuiteFolder({ ...above, ...inFolder("packages/e2e"), ...inFolder("packages/other") });
    await expect(bundleOf(folder.at("packages/e2e"))).rejects.toThrow(/packages\/e2e has no lock file/);
    folder.write({ "packages/other/package-lock.json": "{}" });
    expect(await bundleOf(folder.at("packages/other"))).toMatchObject({ workingDir: "", root: folder.at("packages/other") });
  });

  it("is the package above where the suite's folder has no package.json", async () => {
    using folder = new SuiteFolder({
      "package.json": shop["package.json"] ?? "",
      "package-lock.json": shop["package-lock.json"] ?? "",
      "e2e/playwright.config.mts": "",
      "src/shop.ts": "",
    });
    const bundle = await bundleOf(folder.at("e2e"));
    expect(bundle).toMatchObject({ workingDir: "e2e", root: folder.path, suiteName: "e2e", playwrightVersion: "1.64.1" });
    expect(await pathsOf(bundle)).toContain("src/shop.ts");
  });

  it("is the folder itself where the suite's folder in it is named", async () => {
    using folder = new SuiteFolder({ ...inFolder("apps/e2e"), "package.json": "{}", "yarn.lock": "" });
    expect(await bundleOf(folder.path, { workingDir: "apps/e2e" })).toMatchObject({ workingDir: "apps/e2e", manager: "yarn" });
    await expect(bundleOf(folder.at("apps"), { workingDir: "../.." })).rejects.toThrow(/--working-dir \.\.\/\.\. leads out of/);
  });
});

describe("a home folder", () => {
  const home = process.env["HOME"];
  afterEach(() => {
    process.env["HOME"] = home;
  });

  it("is never bundled because of a package.json in it", async () => {
    using folder = new SuiteFolder({ ...shop, "e2e/playwright.config.ts": "" });
    process.env["HOME"] = folder.path;
    await expect(bundleOf(folder.at("e2e"))).rejects.toThrow(
      /has no package\.json of its own, and the next one is in .*, all of which would be bundled/,
    );
  });
});

describe("a project that no agent could run is refused", () => {
  const without = (...names: readonly string[]): Record<string, string> =>
    Object.fromEntries(Object.entries(shop).filter(([name]) => !names.includes(name)));
  const manifest = (fields: object): Record<string, string> => ({
    "package.json": JSON.stringify({ devDependencies: { "@playwright/test": "1.64.1" }, ...fields }),
  });

  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ["without a lock file", without("package-lock.json"), /has no lock file, so nobody can install.*Run your package manager's install/],
    [
      "with two",
      { ...shop, "yarn.lock": "" },
      /lock files of several package managers: package-lock\.json and yarn\.lock\. Remove all but one/,
    ],
    [
      "with an unknown manager",
      { ...shop, ...manifest({ packageManager: "deno@2.0.0" }) },
      /names "deno@2\.0\.0" as packageManager; agents install with npm/,
    ],
    [
      "with another manager's lock",
      { ...shop, ...manifest({ packageManager: "pnpm@10.0.0" }) },
      /names pnpm as packageManager, and the lock file there is package-lock\.json/,
    ],
    ["without a configuration", without("playwright.config.ts"), /has no playwright\.config\.ts .*--config/],
    ["without Playwright", { ...shop, "package.json": "{}" }, /does not depend on @playwright\/test.*Add it to devDependencies/],
    ["without a package.json", without("package.json"), /has no package\.json/],
    ["with a broken package.json", { ...shop, "package.json": "{" }, /package\.json is no JSON/],
    [
      "that ignores its lock file",
      { ...shop, ".gitignore": "package-lock.json\n" },
      /leaves out package-lock\.json.*Write !\/package-lock\.json into/,
    ],
  ])("%s", async (_title, files, message) => {
    using folder = new SuiteFolder(files);
    await expect(bundleOf(folder.path)).rejects.toThrow(message);
  });

  it("but packageManager decides between lock files, and the others stay out", async () => {
    using folder = new SuiteFolder({ ...shop, ...manifest({ packageManager: "yarn@4.5.0" }), "yarn.lock": "" });
    const bundle = await bundleOf(folder.path);
    expect([bundle.manager, (await pathsOf(bundle)).filter((path) => path.includes("lock"))]).toEqual(["yarn", ["yarn.lock"]]);
  });

  it("with a link that leads out of it", async () => {
    using folder = new SuiteFolder(shop);
    symlinkSync("/etc/passwd", folder.at("tests/passwd"));
    await expect(bundleOf(folder.path)).rejects.toThrow(/the link "tests\/passwd" leads to "\/etc\/passwd", outside/);
  });

  it("with what is neither a file nor a folder nor a link", async () => {
    using folder = new SuiteFolder(shop);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(folder.at("tests/sock"), resolve));
    try {
      await expect(bundleOf(folder.path)).rejects.toThrow(/"tests\/sock" is a socket; a bundle has files, folders and links/);
    } finally {
      server.close();
    }
  });

  it("that is not there, or includes what is not there", async () => {
    using folder = new SuiteFolder(shop);
    await expect(bundleOf(folder.at("none"))).rejects.toThrow(/none cannot be read \(ENOENT\)/);
    await expect(bundleOf(folder.at("package.json"))).rejects.toThrow(/is no folder/);
    await expect(bundleOf(folder.path, { include: [".env.tset"] })).rejects.toThrow(/--include \.env\.tset names no file/);
    await expect(bundleOf(folder.path, { include: ["../x"] })).rejects.toThrow(/--include \.\.\/x leads out/);
  });
});
