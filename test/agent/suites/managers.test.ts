import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEgressPolicy } from "../../../src/agent/net/egress-policy.ts";
import { createStubResolver } from "../../../src/agent/net/stub-resolver.ts";
import { createTrust } from "../../../src/agent/net/tls.ts";
import { type ManagerPackage, managerOf } from "../../../src/agent/suites/manager-program.ts";
import { fetchedManager } from "../../../src/agent/suites/manager-store.ts";
import { TinyRegistry } from "../runtimes/tiny-registry.ts";
import { reachableLevels } from "../sandbox/sandbox-under-test.ts";

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), "outpost-managers-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  return folder;
}

describe("a package manager of this machine", () => {
  const asked = { manager: "npm", version: null, lock: "package-lock.json", words: ["ci"] } as const;

  function machine(name: string): string {
    const folder = folderOf();
    const files = { [`lib/${name}/bin/npm-cli.js`]: "", [`lib/${name}/package.json`]: JSON.stringify({ name }) };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    mkdirSync(join(folder, "bin"));
    symlinkSync(join(folder, `lib/${name}/bin/npm-cli.js`), join(folder, "bin/npm"));
    return folder;
  }

  it("is the one that a link on PATH leads to", () => {
    const folder = machine("npm");
    expect(managerOf(asked, `/none:${join(folder, "bin")}`)).toMatchObject({ file: join(folder, "lib/npm/bin/npm-cli.js") });
  });

  it.each(["corepack", "tools"])("is none where the link leads to %s: that folder is not granted", (name) => {
    const [shim, real] = [machine(name), machine("npm")];
    expect(managerOf(asked, join(shim, "bin"))).toMatchObject({ name: "npm", program: { command: "npm" } });
    expect(managerOf(asked, `${join(shim, "bin")}:${join(real, "bin")}`)).toMatchObject({ file: join(real, "lib/npm/bin/npm-cli.js") });
  });

  it("is none where a file of that name belongs to no package", () => {
    const folder = folderOf();
    writeFileSync(join(folder, "npm"), "#!/bin/sh");
    expect(managerOf(asked, folder)).toMatchObject({ name: "npm", program: { command: "npm" } });
  });
});

const { levels } = await reachableLevels();
const noFence = levels.includes(2) ? null : "this kernel has no fence for programs";
if (noFence !== null) process.stdout.write(`package managers are not fetched: ${noFence}\n`);

describe.skipIf(noFence !== null)("a package manager of the registry", { timeout: 120_000 }, () => {
  const pnpm = { name: "pnpm", version: "9.1.0", program: { command: "pnpm" }, sha512: null };

  async function store(more: Readonly<Record<string, unknown>>, files: Readonly<Record<string, string>> = { "lib/run.cjs": "" }) {
    const registry = await TinyRegistry.start([{ name: "pnpm", version: "9.1.0", files, more }]);
    onTestFinished(() => registry[Symbol.asyncDispose]());
    const data = folderOf();
    const folder = join(data, "managers");
    const options = {
      folder,
      runsFolder: join(data, "runs"),
      user: null,
      toolsFolder: data,
      registry: registry.url,
      authorities: async () => null,
    };
    const network = {
      resolver: createStubResolver(),
      egress: createEgressPolicy({ allowCidrs: [], denyCidrs: [], mode: "default", ownPorts: [] }),
      proxyUrl: null,
      trust: () => createTrust([]),
    };
    const get = (wanted: Partial<ManagerPackage> = {}) =>
      fetchedManager({ ...pnpm, ...wanted }, process.execPath, options, network, new AbortController().signal);
    return { registry, folder, get };
  }

  it("is fetched once, and its program is where its package says", async () => {
    const { registry, folder, get } = await store({ bin: { pnpm: "./lib/run.cjs" } }, { "lib/run.cjs": "own" });
    const [{ file, folders }, other] = await Promise.all([get(), get()]);
    expect([readFileSync(file, "utf8"), folders, other.file]).toEqual(["own", [join(folder, "pnpm@9.1.0/package")], file]);
    const asked = registry.asked.length;
    expect([(await get()).file, registry.asked.length, readdirSync(folder)]).toEqual([file, asked, ["pnpm@9.1.0"]]);
  });

  it("is held against the project's digest when it is there already, too", async () => {
    const { registry, get } = await store({ bin: "lib/run.cjs" });
    await get();
    const sha512 = Buffer.from(registry.integrityOf("pnpm", "9.1.0").slice("sha512-".length), "base64").toString("hex");
    await expect(get({ sha512 })).resolves.toBeDefined();
    await expect(get({ sha512: "0".repeat(128) })).rejects.toMatchObject({
      code: "unavailable",
      message: "install failed: pnpm@9.1.0 came with another digest than packageManager of package.json says",
    });
  });

  it("is fetched anew where what is there is not whole; what nobody used for long makes room", async () => {
    const { folder, get } = await store({ bin: "lib/run.cjs" });
    for (const name of ["pnpm@9.1.0", "pnpm@8.0.0"]) {
      mkdirSync(join(folder, name), { recursive: true });
      execFileSync("fallocate", ["-l", name === "pnpm@8.0.0" ? "513M" : "1M", join(folder, name, "half")]);
      utimesSync(join(folder, name), 1, 1);
    }
    await get();
    expect([readdirSync(folder), readdirSync(join(folder, "pnpm@9.1.0")).toSorted()]).toEqual([["pnpm@9.1.0"], ["package", "sha512"]]);
  });

  it.each([
    ["names none", {}],
    ["names another", { bin: { pnpx: "lib/run.cjs" } }],
    ["names one that is not there", { bin: "bin/pnpm.cjs" }],
    ["names one outside", { bin: "../../../../../../../../etc/passwd" }],
  ])("is not taken where its package %s", async (_what, more) => {
    const { folder, get } = await store(more);
    await expect(get()).rejects.toMatchObject({
      code: "unavailable",
      message: "install failed: pnpm@9.1.0 has no program pnpm: bin of its package.json must name a file of the package",
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});
