import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { installRuntime } from "../../../src/agent/runtimes/install-runtime.ts";
import { lockFrom, PackageLock, type RuntimeLock } from "../../../src/agent/runtimes/runtime-lock.ts";

import { temporaryFolder } from "../agent-under-test.ts";
import { nodeBuild, npmMissing, tinyOrder } from "./tiny-install.ts";
import { type Published, TinyRegistry } from "./tiny-registry.ts";

const left: Published = {
  name: "left",
  version: "1.0.0",
  files: {
    "index.js": "module.exports = require('@deep/pad');",
    "index.js.map": "{}",
    "index.d.ts": "export {};",
    "install.js": "require('fs').writeFileSync('ran', '')",
  },
  more: { dependencies: { "@deep/pad": "^1.0.0" }, scripts: { postinstall: "node install.js" } },
};
const pad = (version: string, content = version): Published => ({
  name: "@deep/pad",
  version,
  files: { "index.js": `module.exports = "pad ${content}";` },
});
const onlyPaths: Published = { name: "only-paths", version: "2.0.0", files: { "sub.js": "" }, more: { exports: { "./sub": "./sub.js" } } };

const packages = [left, pad("1.0.0"), onlyPaths, nodeBuild()];
const allFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

/** The lock of what is installed. */
function lockIn(folder: string): RuntimeLock {
  return lockFrom(PackageLock.parse(JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"))));
}

describe.skipIf(npmMissing !== null)("an install of a runtime", { timeout: 120_000 }, () => {
  it("makes a whole folder: a Node.js that starts, packages with what they need, nothing of them executed or superfluous", async () => {
    await using registry = await TinyRegistry.start(packages);
    using home = temporaryFolder();
    const order = tinyOrder(registry, home.path, { left: "1.0.0", "only-paths": "2.0.0", http: "24.13.1", "left/index": "1.0.0" });
    const { manifest, wasThere } = await installRuntime(order);
    const folder = join(order.folder, "2026.04");
    expect(wasThere).toBe(false);
    expect(manifest).toMatchObject({
      runtimeId: "2026.04",
      nodeJsVersion: "24.13.1",
      packages: { left: "1.0.0", "only-paths": "2.0.0" },
      leftOut: [
        { package: "http", version: "24.13.1", because: "it comes with Node.js" },
        { package: "left/index", because: "it is a file of the package left" },
      ],
      withoutMain: ["only-paths"],
    });
    expect(order.told).toContain("left out: http 24.13.1, it comes with Node.js");
    expect(createRequire(join(folder, "script.js"))("left")).toBe("pad 1.0.0");
    expect(statSync(join(folder, "bin/node")).mode & 0o111).toBe(0o111);
    const names = allFiles(folder).map((path) => path.slice(folder.length + 1));
    expect(names.filter((name) => /ran$|\.map$|\.d\.ts$|include|^node_modules\/node-/.test(name))).toEqual([]);
    expect(allFiles(folder).filter((path) => readFileSync(path, "utf8").includes(new URL(registry.url).host))).toEqual([]);
    expect(readdirSync(order.folder)).toEqual(["2026.04"]);
  });

  it("does nothing the second time, and repairs what is broken", async () => {
    await using registry = await TinyRegistry.start(packages);
    using home = temporaryFolder();
    const order = tinyOrder(registry, home.path, { left: "1.0.0" });
    const first = await installRuntime(order);
    const asked = registry.asked.length;
    expect(await installRuntime(order)).toEqual({ manifest: first.manifest, wasThere: true });
    expect(registry.asked).toHaveLength(asked);
    rmSync(join(order.folder, "2026.04/node_modules/left"), { recursive: true });
    expect(await installRuntime(order)).toEqual({ manifest: first.manifest, wasThere: false });
    expect(order.told).toContain("what is there is not whole: its package left is missing; it is installed anew");
    expect(readdirSync(order.folder)).toEqual(["2026.04"]);
  });

  it("follows the lock though the registry has newer versions, and takes them without it", async () => {
    await using registry = await TinyRegistry.start(packages);
    using home = temporaryFolder();
    const order = tinyOrder(registry, home.path, { left: "1.0.0" });
    await installRuntime(order);
    const folder = join(order.folder, "2026.04");
    const lock = lockIn(folder);
    expect(lock.words).toBe("@deep/pad@1.0.0 left@1.0.0");
    await registry.publish(pad("1.1.0"));
    rmSync(join(home.path, "cache"), { recursive: true });
    rmSync(folder, { recursive: true });
    await installRuntime(order);
    expect(lockIn(folder).words).toContain("@deep/pad@1.1.0");
    const locked = await installRuntime({ ...order, lock });
    expect(order.told).toContain("it is there, but made from another lock; it is installed anew");
    expect(locked.manifest.lock).toBe(lock.sha256);
    expect(lockIn(folder)).toEqual(lock);
  });

  it("refuses a locked version whose contents are others, and leaves nothing behind", async () => {
    await using registry = await TinyRegistry.start(packages);
    using home = temporaryFolder();
    const order = tinyOrder(registry, home.path, { left: "1.0.0" });
    await installRuntime(order);
    const lock = lockIn(join(order.folder, "2026.04"));
    await registry.publish(pad("1.0.0", "of a thief"));
    using other = temporaryFolder();
    const again = tinyOrder(registry, other.path, { left: "1.0.0" }, { lock });
    await expect(installRuntime(again)).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("other contents") });
    expect(readdirSync(again.folder)).toEqual([]);
  });

  it("leaves out what the registry does not have, unless it is locked", async () => {
    await using registry = await TinyRegistry.start(packages);
    using home = temporaryFolder();
    const order = tinyOrder(registry, home.path, { left: "1.0.0", gone: "3.2.1", "only-paths": "9.9.9" });
    const { manifest } = await installRuntime(order);
    expect(manifest.packages).toEqual({ left: "1.0.0" });
    expect(manifest.leftOut.map((one) => `${one.package}@${one.version}: ${one.because}`).toSorted()).toEqual([
      "gone@3.2.1: the registry of npm does not have it",
      "only-paths@9.9.9: the registry of npm does not have it",
    ]);
    const lock = { sha256: "0", words: "gone@3.2.1 left@1.0.0" };
    using other = temporaryFolder();
    await expect(installRuntime(tinyOrder(registry, other.path, { left: "1.0.0", gone: "3.2.1" }, { lock }))).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/does not have gone@3\.2\.1.*RUNTIME_LOCK=off/),
    });
  });

  it("says which package the lock does not know", async () => {
    await using registry = await TinyRegistry.start(packages);
    using home = temporaryFolder();
    const order = tinyOrder(registry, home.path, { left: "1.0.0" });
    await installRuntime(order);
    const lock = lockIn(join(order.folder, "2026.04"));
    using other = temporaryFolder();
    const more = tinyOrder(registry, other.path, { left: "1.0.0", "only-paths": "2.0.0" }, { lock });
    expect((await installRuntime(more)).manifest).toMatchObject({ lock: lock.sha256, unlocked: ["only-paths"] });
  });

  it("refuses a Node.js that is not the build that was tried, and one that does not start", async () => {
    await using registry = await TinyRegistry.start([nodeBuild()]);
    using home = temporaryFolder();
    const name = `node-${process.platform}-${process.arch}@24.13.1`;
    const pinned = tinyOrder(registry, home.path, {}, { nodePins: { [name]: "sha512-other" } });
    await expect(installRuntime(pinned)).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining(name) });
    await using liar = await TinyRegistry.start([nodeBuild("24.13.1", "20.0.0")]);
    using other = temporaryFolder();
    await expect(installRuntime(tinyOrder(liar, other.path, {}))).rejects.toThrow(
      "its Node.js says that it is v20.0.0 instead of v24.13.1",
    );
    await using bare = await TinyRegistry.start([]);
    await expect(installRuntime(tinyOrder(bare, other.path, {}))).rejects.toMatchObject({ code: "not_found" });
    expect([...readdirSync(pinned.folder), ...readdirSync(join(other.path, "runtimes"))]).toEqual([]);
  });

  it("goes through the proxy of the variables", async () => {
    await using proxy = await TinyRegistry.start(packages);
    using home = temporaryFolder();
    const order = tinyOrder({ url: "http://registry.invalid/" }, home.path, { left: "1.0.0" });
    const env = { ...order.env, HTTP_PROXY: proxy.url, npm_config_replace_registry_host: "always" };
    expect((await installRuntime({ ...order, env })).manifest.packages).toEqual({ left: "1.0.0" });
    expect(proxy.asked).toContain("left");
  });

  it("says what to look at when the registry cannot be reached, and when there is no npm", async () => {
    using home = temporaryFolder();
    const order = tinyOrder({ url: "http://127.0.0.1:9/" }, home.path, { left: "1.0.0" });
    await expect(installRuntime(order)).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringMatching(/^npm could not reach its registry \(ECONNREFUSED\): check the network, the proxy variables/),
    });
    const without = { ...order, env: { PATH: home.path } };
    await expect(installRuntime(without)).rejects.toMatchObject({
      name: "ConfigError",
      message: expect.stringContaining("There is no npm here"),
    });
    expect(readdirSync(order.folder)).toEqual([]);
  });

  it("is taken back when it is stopped", async () => {
    await using registry = await TinyRegistry.start(packages);
    registry.holdsArchives = true;
    using home = temporaryFolder();
    const stopping = new AbortController();
    const order = tinyOrder(registry, home.path, { left: "1.0.0" }, { signal: stopping.signal });
    const ended = installRuntime(order).catch((error: unknown) => error);
    await vi.waitFor(() => expect(registry.asked).toContain("left/-/left-1.0.0.tgz"), { timeout: 30_000 });
    const reason = new Error("stopped");
    stopping.abort(reason);
    expect(await ended).toBe(reason);
    expect(readdirSync(order.folder)).toEqual([]);
  });

  it("leaves nothing that looks like a runtime when it is killed, and the next install tidies up", async () => {
    await using registry = await TinyRegistry.start(packages);
    registry.holdsArchives = true;
    using home = temporaryFolder();
    const words = ["--disable-warning=ExperimentalWarning", "--conditions=source", join(import.meta.dirname, "install-child.ts")];
    const child = spawn(process.execPath, [...words, registry.url, home.path], { detached: true, stdio: "ignore" });
    await vi.waitFor(() => expect(registry.asked).toContain("left/-/left-1.0.0.tgz"), { timeout: 30_000 });
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await once(child, "close");
    const order = tinyOrder(registry, home.path, { left: "1.0.0" });
    expect(existsSync(join(order.folder, "2026.04"))).toBe(false);
    expect(readdirSync(order.folder)).toHaveLength(1);
    writeFileSync(join(order.folder, "notes.txt"), "the operator's own");
    registry.holdsArchives = false;
    await installRuntime(order);
    expect(readdirSync(order.folder).toSorted()).toEqual(["2026.04", "notes.txt"]);
  });
});
