import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Bundles } from "../../../src/agent/runners/check-runner.ts";
import { BundleCache } from "../../../src/agent/suites/bundle-cache.ts";
import { makeRoom } from "../../../src/agent/suites/make-room.ts";

const never = new AbortController().signal;
const megabyte = 1024 * 1024;

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), "outpost-bundles-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function shaOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A control plane that has some bundles, and what was asked of it. */
function sourceOf(accountId: string, ...all: readonly Buffer[]): Bundles & { readonly asked: number[] } {
  const asked: number[] = [];
  return {
    accountId,
    asked,
    read: async (sha256, from, to) => {
      asked.push(from);
      const found = all.find((one) => shaOf(one) === sha256);
      if (found === undefined) throw new Error("no such bundle");
      return { bytes: found.subarray(from, to + 1), size: found.length };
    },
  };
}

describe("bundles that were fetched", () => {
  it("come in parts, once for each account", async () => {
    const [cache, bundle] = [new BundleCache(join(folderOf(), "a/b"), 64 * megabyte), randomBytes(9 * megabyte)];
    const [one, other] = [sourceOf("one", bundle), sourceOf("other", bundle)];
    const file = await cache.get(shaOf(bundle), one, never);
    expect([readFileSync(file).equals(bundle), await cache.get(shaOf(bundle), one, never), one.asked]).toEqual([
      true,
      file,
      [0, 4 * megabyte, 8 * megabyte],
    ]);
    await expect(cache.get(shaOf(bundle), sourceOf("third"), never)).rejects.toThrow("no such bundle");
    expect(await cache.get(shaOf(bundle), other, never)).not.toBe(file);
  });

  it("stay while they are held", async () => {
    const cache = new BundleCache(folderOf(), megabyte);
    const bundles = [1, 2, 3].map(() => randomBytes(megabyte)) as [Buffer, Buffer, Buffer];
    const source = sourceOf("one", ...bundles);
    const first = await cache.get(shaOf(bundles[0]), source, never);
    const held = cache.hold(first);
    await cache.get(shaOf(bundles[1]), source, never);
    expect(readFileSync(first).equals(bundles[0])).toBe(true);
    held[Symbol.dispose]();
    await cache.get(shaOf(bundles[2]), source, never);
    expect(() => readFileSync(first)).toThrow("ENOENT");
  });

  it.each([
    ["other bytes", (bytes: Buffer) => ({ bytes: Buffer.alloc(bytes.length), size: 6 * megabyte }), /came with other bytes than its name/],
    ["a short part", (bytes: Buffer) => ({ bytes: bytes.subarray(1), size: 6 * megabyte }), /sent 4194303 bytes .* they must be 4194304/],
    ["an empty part", () => ({ bytes: Buffer.alloc(0), size: 6 * megabyte }), /sent 0 bytes/],
    ["another size later", (bytes: Buffer, from: number) => ({ bytes, size: 6 * megabyte + from }), /of a code bundle of 10485760/],
  ])("are none where %s came", async (_what, changed, sentence) => {
    const [folder, bundle] = [folderOf(), randomBytes(6 * megabyte)];
    const read = async (_sha256: string, from: number, to: number) => changed(bundle.subarray(from, to + 1), from);
    const getting = new BundleCache(folder, 64 * megabyte).get(shaOf(bundle), { accountId: "one", read }, never);
    await expect(getting).rejects.toMatchObject({ code: "unavailable", message: expect.stringMatching(sentence) });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("room in a cache", () => {
  it("is made by what was used longest ago, and by what a killed agent left", async () => {
    const folder = folderOf();
    const hour = 3_600;
    const aged = { first: 4, second: 3, held: 5, "writing.new": 6, "left.new": 25, ".old-half": 0 };
    for (const [name, hours] of Object.entries(aged)) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "a"), randomBytes(megabyte));
      utimesSync(join(folder, name), Date.now() / 1_000, Date.now() / 1_000 - hours * hour);
    }
    await makeRoom(folder, 2.5 * megabyte, (path) => path.endsWith("/held"));
    expect(readdirSync(folder).toSorted()).toEqual(["held", "second", "writing.new"]);
  });

  it("is made by two at the same time, and where there is no folder", async () => {
    const folder = folderOf();
    for (let nth = 0; nth < 30; nth += 1) {
      mkdirSync(join(folder, `${nth}/a/b`), { recursive: true });
      writeFileSync(join(folder, `${nth}/a/b/c`), "x");
    }
    await Promise.all([1, 2, 3].map(() => makeRoom(folder, 0, () => false)));
    await makeRoom(folder, 0, () => false);
    expect(readdirSync(folder)).toEqual([]);
    await expect(makeRoom(join(folder, "none"), 0, () => false)).resolves.toBeUndefined();
  });
});
