import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BlobStore } from "../../../src/control-plane/blob-store/blob-store.ts";
import { createFolderStore } from "../../../src/control-plane/blob-store/folder-store.ts";
import { createS3Store } from "../../../src/control-plane/blob-store/s3-store.ts";
import { hasS3Server, type S3Server, startS3Server } from "../../support/s3-server.ts";

const partBytes = 5 * 1024 * 1024; // S3 takes no smaller ones
const never = new AbortController().signal;
const stores = hasS3Server() ? ["folder", "s3"] : ["folder"];

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

async function put(store: BlobStore, key: string, bytes: Buffer): Promise<{ ref: string; tags: string[] }> {
  const ref = await store.begin(key);
  const tags: string[] = [];
  for (let offset = 0; offset < bytes.length; offset += partBytes) {
    const part = bytes.subarray(offset, offset + partBytes);
    const place = { number: offset / partBytes, offset, size: part.length };
    tags.push(await store.putPart({ key, ref }, place, chunksOf(part), never));
  }
  return { ref, tags };
}

async function read(store: BlobStore, key: string, start: number, end: number): Promise<Buffer> {
  return Buffer.concat(await (await store.open(key, start, end)).toArray());
}

describe.each(stores)("a blob store of kind %s", (kind) => {
  const folder = mkdtempSync(join(tmpdir(), "outpost-blobs-"));
  let server: S3Server | undefined;
  let store: BlobStore;
  let keys = 0;
  const newKey = (): string => `${String(++keys).padStart(2, "0")}abcdef`;

  beforeAll(async () => {
    server = kind === "s3" ? await startS3Server() : undefined;
    store = server === undefined ? createFolderStore(folder) : createS3Store(server.settings, Date.now);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([0, 1, partBytes, 2 * partBytes + 17])("gives back %i bytes, whole and in part", async (size) => {
    const [key, bytes] = [newKey(), randomBytes(size)];
    const { ref, tags } = await put(store, key, bytes);
    await store.complete({ key, ref }, tags, size);
    expect((await read(store, key, 0, size)).equals(bytes)).toBe(true);
    const [start, end] = [Math.floor(size / 3), Math.ceil(size / 2)];
    expect((await read(store, key, start, end)).equals(bytes.subarray(start, end))).toBe(true);
  });

  it("completes again without harm", async () => {
    const [key, bytes] = [newKey(), randomBytes(1_000)];
    const { ref, tags } = await put(store, key, bytes);
    await store.complete({ key, ref }, tags, 1_000);
    await store.complete({ key, ref }, tags, 1_000);
    expect((await read(store, key, 0, 1_000)).equals(bytes)).toBe(true);
  });

  it("takes a part that comes again in place of the one before", async () => {
    const [key, bytes] = [newKey(), randomBytes(partBytes + 100)];
    const ref = await store.begin(key);
    const first = { number: 0, offset: 0, size: partBytes };
    await store.putPart({ key, ref }, first, chunksOf(randomBytes(partBytes)), never);
    const tags = [
      await store.putPart({ key, ref }, first, chunksOf(bytes.subarray(0, partBytes)), never),
      await store.putPart({ key, ref }, { number: 1, offset: partBytes, size: 100 }, chunksOf(bytes.subarray(partBytes)), never),
    ];
    await store.complete({ key, ref }, tags, bytes.length);
    expect((await read(store, key, 0, bytes.length)).equals(bytes)).toBe(true);
  });

  it("does not show what is not complete, and forgets it", async () => {
    const key = newKey();
    const { ref, tags } = await put(store, key, randomBytes(100));
    await expect(store.open(key, 0, 100)).rejects.toMatchObject({ code: "not_found" });
    await store.remove({ key, ref });
    await store.remove({ key, ref });
    await expect(store.complete({ key, ref }, tags, 100)).rejects.toMatchObject({ code: "not_found" });
  });

  it("removes what is complete", async () => {
    const key = newKey();
    const { ref, tags } = await put(store, key, randomBytes(100));
    await store.complete({ key, ref }, tags, 100);
    await store.remove({ key, ref });
    await expect(store.open(key, 0, 100)).rejects.toMatchObject({ code: "not_found" });
  });

  it("passes on what the bytes end with", async () => {
    const key = newKey();
    const ref = await store.begin(key);
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(10);
      throw new RangeError("enough");
    }
    await expect(store.putPart({ key, ref }, { number: 0, offset: 0, size: 100 }, broken(), never)).rejects.toThrow("enough");
    await store.remove({ key, ref });
  });
});

describe("a folder of blobs", () => {
  it("is this user's alone, with names in two levels", async () => {
    const folder = mkdtempSync(join(tmpdir(), "outpost-blobs-"));
    const store = createFolderStore(folder);
    const { ref, tags } = await put(store, "ab0123", Buffer.from("x"));
    await store.complete({ key: "ab0123", ref }, tags, 1);
    expect(readdirSync(folder).toSorted()).toEqual(["ab", "uploads"]);
    expect(statSync(join(folder, "ab/0123")).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "ab")).mode & 0o777).toBe(0o700);
    rmSync(folder, { recursive: true });
  });

  it("says that a disk is full, in words for users", async () => {
    const store = createFolderStore("/dev/full");
    await expect(store.begin("ab0123")).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("cannot be kept") });
  });
});

describe.skipIf(!stores.includes("s3"))("an S3 store", () => {
  it("says what a server that refuses answered, and never the secret", async () => {
    await using server = await startS3Server();
    const wrong = createS3Store({ ...server.settings, accessKeyId: "somebody-else" }, Date.now);
    await expect(wrong.begin("ab0123")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^the artifact store answered 40\d [A-Za-z]+$/),
    });
  });

  it("is unavailable where nobody listens", async () => {
    const server = await startS3Server();
    await server[Symbol.asyncDispose]();
    await expect(createS3Store(server.settings, Date.now).begin("ab0123")).rejects.toMatchObject({ code: "unavailable" });
  });
});
