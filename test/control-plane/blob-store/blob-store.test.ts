import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noProxies } from "#daemon/proxy.ts";
import type { BlobStore } from "../../../src/control-plane/blob-store/blob-store.ts";
import { createFolderStore } from "../../../src/control-plane/blob-store/folder-store.ts";
import { createS3Store } from "../../../src/control-plane/blob-store/s3-store.ts";
import { Secret } from "../../../src/daemon/secret.ts";
import { flakyProxy } from "../../support/flaky-proxy.ts";
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
    store = server === undefined ? createFolderStore(folder) : createS3Store(server.settings, noProxies, Date.now);
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

describe("the disk of a folder of blobs", () => {
  it("is left to others where little of it is free", async () => {
    const folder = mkdtempSync(join(tmpdir(), "outpost-blobs-"));
    const [key, part] = ["ab0123", { number: 0, offset: 0, size: Number.MAX_SAFE_INTEGER }];
    const store = createFolderStore(folder);
    const ref = await store.begin(key);
    await expect(store.putPart({ key, ref }, part, chunksOf(Buffer.from("x")), never)).rejects.toMatchObject({
      code: "unavailable",
      message: "there is no space left for artifacts",
    });
    expect(statSync(join(folder, "uploads", key)).size).toBe(0);
    rmSync(folder, { recursive: true });
  });
});

/** A server in the place of an S3 store that answers everything alike. */
async function answering(status: number, body: string): Promise<{ store: BlobStore; asked: () => number } & AsyncDisposable> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    request.resume().on("end", () => response.writeHead(status).end(body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const endpoint = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const secretAccessKey = new Secret("a-secret-that-no-message-shows");
  const settings = { endpoint, bucket: "artifacts", region: "us-east-1", accessKeyId: "key-id", secretAccessKey, pathStyle: true };
  return {
    store: createS3Store(settings, noProxies, Date.now),
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

describe("an S3 server in trouble", () => {
  const error = (code: string): string =>
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>a-secret-that-no-message-shows</Message></Error>`;

  it.each([
    { status: 500, body: error("InternalError"), says: "the artifact store answered 500 InternalError", asked: 3 },
    { status: 503, body: error("SlowDown"), says: "the artifact store answered 503 SlowDown", asked: 3 },
    { status: 403, body: error("AccessDenied"), says: "the artifact store answered 403 AccessDenied", asked: 1 },
    { status: 404, body: error("NoSuchBucket"), says: "the artifact store answered 404 NoSuchBucket", asked: 1 },
    { status: 301, body: error("PermanentRedirect"), says: "the artifact store answered 301 PermanentRedirect", asked: 1 },
    { status: 200, body: "<html>a login page</html>", says: "the artifact store did not begin an upload", asked: 1 },
    { status: 200, body: error("InternalError"), says: "the artifact store answered 200 InternalError", asked: 1 },
    { status: 502, body: "x".repeat(1_000_000), says: "the artifact store answered 502", asked: 3 },
  ])("that answers $status $says: cannot be used now, and its words are not passed on", async ({ status, body, says, asked }) => {
    await using server = await answering(status, body);
    await expect(server.store.begin("ab0123")).rejects.toMatchObject({ code: "unavailable", message: says });
    expect(server.asked()).toBe(asked);
  });

  it("that sends another length than was asked for is a damaged file", async () => {
    await using server = await answering(206, "short");
    await expect(server.store.open("ab0123", 0, 100)).rejects.toMatchObject({ code: "not_found" });
  });

  it("that refuses the last step in the body of a 200 has not stored the file", async () => {
    await using server = await answering(200, error("InternalError"));
    await expect(server.store.complete({ key: "ab0123", ref: "x" }, ['"tag"'], 1)).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe.skipIf(!stores.includes("s3"))("an S3 store", () => {
  it("that goes away in the middle of a part and comes back takes the part again", async () => {
    await using server = await startS3Server();
    await using way = await flakyProxy(Number(new URL(server.endpoint).port));
    const far = createS3Store({ ...server.settings, endpoint: new URL(way.url) }, noProxies, Date.now);
    const [key, bytes] = ["ab0123", randomBytes(partBytes)];
    const ref = await far.begin(key);
    const part = { number: 0, offset: 0, size: partBytes };
    async function* cutting(): AsyncGenerator<Buffer> {
      yield bytes.subarray(0, 1_000_000);
      way.become("cut");
      yield bytes.subarray(1_000_000);
    }
    await expect(far.putPart({ key, ref }, part, cutting(), never)).rejects.toMatchObject({ code: "unavailable" });
    way.become("open");
    const tag = await far.putPart({ key, ref }, part, chunksOf(bytes), never);
    await far.complete({ key, ref }, [tag], partBytes);
    const near = createS3Store(server.settings, noProxies, Date.now); // the proxy may end before it has passed on all of a long answer
    expect((await read(near, key, 0, partBytes)).equals(bytes)).toBe(true);
  });

  it("says what a server that refuses answered, and never the secret", async () => {
    await using server = await startS3Server();
    const wrong = createS3Store({ ...server.settings, accessKeyId: "somebody-else" }, noProxies, Date.now);
    await expect(wrong.begin("ab0123")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^the artifact store answered 40\d [A-Za-z]+$/),
    });
  });

  it("is unavailable where nobody listens", async () => {
    const server = await startS3Server();
    await server[Symbol.asyncDispose]();
    await expect(createS3Store(server.settings, noProxies, Date.now).begin("ab0123")).rejects.toMatchObject({ code: "unavailable" });
  });
});
