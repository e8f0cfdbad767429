import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, describe, expect, it } from "vitest";
import { createFolderStore } from "../../../src/control-plane/blob-store/folder-store.ts";
import { BundleUploads } from "../../../src/control-plane/code-bundles/bundle-uploads.ts";
import { type BundleMember, bundleOf, sha256Of, tarOf } from "../../support/code-bundle.ts";
import { enginesUnderTest } from "../../support/engines.ts";
import { hasS3Server, startS3Server } from "../../support/s3-server.ts";
import type { Answer } from "../call.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane-under-test.ts";
import { FakeAgent } from "../fake-agent.ts";

const engines = await enginesUnderTest();
const s3 = hasS3Server() ? await startS3Server() : undefined;
afterAll(async () => {
  await s3?.[Symbol.asyncDispose]();
  await engines[Symbol.asyncDispose]();
});

const places = [
  ...engines.list.map((engine) => ({ name: `${engine.name} and a folder`, engine, env: {} })),
  ...(s3 === undefined ? [] : engines.list.map((engine) => ({ name: `${engine.name} and S3`, engine, env: s3.env }))),
];
const project: readonly BundleMember[] = [
  { path: "package.json", body: '{"name":"shop"}' },
  { path: "e2e/shop.spec.ts", body: "import { test } from '@playwright/test';" },
];
const octets = { "content-type": "application/octet-stream" };
const next = "/next/checkly-storage";
const day = 24 * 3_600_000;

type Options = { readonly key?: string; readonly headers?: Readonly<Record<string, string>> };
const upload = (plane: ControlPlaneUnderTest, body: Buffer, { headers = {}, ...options }: Options = {}): Promise<Answer> =>
  plane.call("POST", `${next}/upload-code-bundle`, { body, headers: { ...octets, ...headers }, ...options });
const peek = (plane: ControlPlaneUnderTest, key: string, options: Options = {}): Promise<Answer> =>
  plane.call("POST", `${next}/peek-code-bundle`, { body: { key }, ...options });

/** Files in the blob store's folder, those under way included. */
function blobsOf({ dataDir }: ControlPlaneUnderTest): readonly string[] {
  const folder = join(dataDir, "blobs");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((one) => (one.isFile() ? [one.name] : []));
}

describe.each(places)("code bundles on $name", { timeout: 120_000 }, ({ engine, env }) => {
  const inFolder = (files: number): number => ("ARTIFACT_STORE" in env ? 0 : files);
  async function running(): Promise<ControlPlaneUnderTest> {
    const url = await engine.databaseUrl();
    return controlPlaneUnderTest({ ...(url !== undefined && { DATABASE_URL: url }), ...env });
  }
  it("are stored once, found by their key, and listed", async () => {
    await using plane = await running();
    const bytes = bundleOf(project);
    const sha256 = sha256Of(bytes);
    const first = await upload(plane, bytes);
    expect([first.status, first.body]).toEqual([
      200,
      { key: `${sha256}.tar.gz`, lastModified: expect.any(String), contentLength: bytes.length, checksumSha256: sha256 },
    ]);
    const again = await plane.call("POST", `/v1/code-bundles?sha256=${sha256}`, { body: bytes, headers: octets });
    expect(again.body).toMatchObject({ key: `${sha256}.tar.gz`, sha256, bytes: bytes.length, files: 2, unpackedBytes: 55 });
    expect([again.status, (await peek(plane, first.body.key)).body]).toEqual([201, first.body]);
    const { body: listed, headers } = await plane.call("GET", "/v1/code-bundles");
    expect([listed, headers.get("content-range")]).toEqual([[again.body], "items 0-0/1"]);
    expect(blobsOf(plane)).toHaveLength(inFolder(1));
  });

  it("of several parts go to the agent that runs a check of their account, whole and in part, and to nobody else", async () => {
    await using plane = await running();
    const bytes = bundleOf([...project, { path: "big.bin", body: randomBytes(17_000_000) }]);
    const sha256 = sha256Of(bytes);
    expect((await upload(plane, bytes)).status).toBe(200);
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"));
    const { id } = (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ locations: ["eu-west-1"] }) })).body;
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    const [job] = await agent.lease();
    const read = (fence: number, headers: Readonly<Record<string, string>> = {}, hash = sha256): Promise<Response> =>
      fetch(`${plane.base}/agent/v1/bundles/${hash}?jobId=${job?.jobId}&fence=${fence}`, {
        headers: { authorization: `Bearer ${agent.session.sessionToken}`, ...headers },
      });
    const whole = await read(job?.fence ?? 0);
    expect([whole.status, sha256Of(Buffer.from(await whole.arrayBuffer()))]).toEqual([200, sha256]);
    const rest = await read(job?.fence ?? 0, { range: `bytes=${bytes.length - 5}-` });
    expect([rest.status, Buffer.from(await rest.arrayBuffer())]).toEqual([206, bytes.subarray(-5)]);
    expect((await read((job?.fence ?? 0) + 1)).status).toBe(409);
    expect((await read(job?.fence ?? 0, {}, "0".repeat(64))).status).toBe(404);
  });

  it("are nobody else's: an account finds its own alone, and a key that only reads uploads none", async () => {
    await using plane = await running();
    const { storage, nowMs } = plane.context;
    const other = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
    const key = await plane.keyFor("OWNER", other.id);
    const bytes = bundleOf(project);
    const { body: mine } = await upload(plane, bytes);
    expect((await peek(plane, mine.key, { key })).status).toBe(404);
    expect((await upload(plane, bytes, { key })).status).toBe(200);
    expect((await peek(plane, mine.key, { key })).status).toBe(200);
    expect((await upload(plane, bytes, { key: await plane.keyFor("READ_ONLY") })).status).toBe(403);
    expect(blobsOf(plane)).toHaveLength(inFolder(2));
  });

  it("with a hash are refused where the bytes are others, and leave nothing", async () => {
    await using plane = await running();
    const bytes = bundleOf(project);
    const checksum = (value: string): Options => ({ headers: { "x-bundle-checksum-sha256": value } });
    const wrong = await upload(plane, bytes, checksum("0".repeat(64)));
    expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining(sha256Of(bytes))]);
    expect((await upload(plane, bytes, checksum("abc"))).status).toBe(400);
    expect(blobsOf(plane)).toEqual([]);
    expect((await peek(plane, `${sha256Of(bytes)}.tar.gz`)).status).toBe(404);
    for (const good of [sha256Of(bytes), Buffer.from(sha256Of(bytes), "hex").toString("base64")])
      expect((await upload(plane, bytes, checksum(good))).status).toBe(200);
  });

  it("go a week after their last use, unless a check names them, and what an upload left goes after an hour", async () => {
    await using plane = await running();
    const [used, unused] = [bundleOf(project), bundleOf([{ path: "a", body: "1" }])];
    const { key } = (await upload(plane, used)).body;
    const { key: lost } = (await upload(plane, unused)).body;
    const body = { name: "suite", locations: ["eu-west-1"], codeBundlePath: key };
    expect((await plane.call("POST", "/v1/checks/playwright", { body })).status).toBe(201);
    const { codeBundles } = plane.context.storage;
    await codeBundles.begin(plane.account.id, "cut", { bundles: 10, bytes: 1e9, underWay: 3 }, plane.context.nowMs());
    const bounds = (daysLater: number) => {
      const nowMs = plane.context.nowMs() + daysLater * day;
      return { nowMs, openSinceMs: nowMs - 3_600_000, unusedSinceMs: nowMs - 7 * day };
    };
    expect(await codeBundles.leftBehind(bounds(0), 10)).toEqual([]);
    const left = await codeBundles.leftBehind(bounds(8), 10);
    expect(left).toHaveLength(2);
    expect([(await peek(plane, key)).status, (await peek(plane, lost)).status]).toEqual([200, 404]);
    for (const one of left) await codeBundles.forget(one.key);
    expect(await codeBundles.leftBehind(bounds(8), 10)).toEqual([]);
    expect((await upload(plane, unused)).body.key).toBe(lost);
  });

  it("go with their account", async () => {
    await using plane = await running();
    const { storage, nowMs } = plane.context;
    const { id, rawKey } = (await plane.call("POST", "/v1/accounts", { body: { name: "Other" } })).body;
    expect((await upload(plane, bundleOf(project), { key: rawKey })).status).toBe(200);
    expect((await plane.call("DELETE", `/v1/accounts/${id}`)).status).toBe(204);
    const left = await storage.codeBundles.leftBehind({ nowMs: nowMs(), openSinceMs: nowMs() - day, unusedSinceMs: 0 }, 10);
    expect(left).toHaveLength(1);
    for (const one of left) await storage.codeBundles.forget(one.key);
    await eventually(async () => (await storage.accounts.sweep(nowMs(), 1_000)) === 0);
    expect((await storage.accounts.list()).map(({ uuid }) => uuid)).not.toContain(id);
  });
});

/** The answer's first line to a request whose body does not come. */
async function fetchHead(url: string, length: number, key: string): Promise<string> {
  const headers = { ...octets, authorization: `Bearer ${key}`, "content-length": String(length) };
  const sent = request(url, { method: "POST", headers });
  sent.flushHeaders();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  sent.destroy();
  return ` ${answer.statusCode} `;
}

describe("a code bundle that cannot be used", { timeout: 120_000 }, () => {
  const twentyThousandAndOne = Array.from({ length: 20_001 }, (_, index) => ({ path: `f/${index}` }));
  const link = (path: string, linkpath: string): BundleMember => ({ path, linkpath, type: "SymbolicLink" });
  it.each<[string, () => Buffer, number, string]>([
    ["nothing", () => Buffer.alloc(0), 400, "no whole .tar.gz"],
    ["bytes", () => randomBytes(1_000), 400, "no whole .tar.gz"],
    ["a tar that is not packed", () => tarOf(project), 400, "no whole .tar.gz"],
    ["packed text", () => gzipSync("hello ".repeat(1_000)), 400, "no whole .tar.gz"],
    ["one that is packed twice", () => gzipSync(bundleOf(project)), 400, "packed twice"],
    ["one that is cut", () => bundleOf([{ path: "a", body: randomBytes(5_000) }]).subarray(0, 3_000), 400, "no whole .tar.gz"],
    ["a tar that is cut", () => gzipSync(tarOf([{ path: "a", body: randomBytes(5_000) }]).subarray(0, 3_000)), 400, "no whole .tar.gz"],
    ["a broken checksum", () => gzipSync(tarOf(project).fill(7, 100, 108)), 400, "no whole .tar.gz"],
    ["a path out", () => bundleOf([{ path: "../x", body: "1" }]), 400, "leaves the folder"],
    ["a link out", () => bundleOf([link("a", "../../etc")]), 400, "outside of the bundle"],
    ["a file through a link", () => bundleOf([link("a", "b"), { path: "a/x", body: "1" }]), 400, "inside of"],
    ["a device", () => bundleOf([{ path: "null", type: "CharacterDevice" }]), 400, "is a device"],
    ["20,001 files", () => bundleOf(twentyThousandAndOne), 400, "more than 20000 entries"],
    [
      "a bomb",
      () => gzipSync(Buffer.concat([tarOf([{ path: "a", size: 600_000_000 }]), Buffer.alloc(200_000_000)])),
      400,
      "more than 500000000 bytes",
    ],
    [
      "something behind its end",
      () => gzipSync(Buffer.concat([tarOf(project), Buffer.alloc(200_000), tarOf(project)])),
      400,
      "behind the end",
    ],
    ["a bomb behind its end", () => gzipSync(Buffer.concat([tarOf(project), Buffer.alloc(3_000_000)])), 400, "behind the end"],
  ])("is refused: %s", async (_title, make, status, sentence) => {
    await using plane = await controlPlaneUnderTest();
    const answer = await upload(plane, make());
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(sentence)]);
    expect(blobsOf(plane)).toEqual([]);
    expect((await plane.call("GET", "/v1/code-bundles")).body).toEqual([]);
    expect((await upload(plane, bundleOf(project))).status).toBe(200); // none of them holds the room of another
  });

  it("may be empty, as command-line clients send one that no check needs", async () => {
    await using plane = await controlPlaneUnderTest();
    const { status, body } = await plane.call("POST", "/v1/code-bundles", { body: bundleOf([]), headers: octets });
    expect([status, body]).toEqual([201, expect.objectContaining({ files: 0, unpackedBytes: 0 })]);
  });

  it("is refused above 100 MB, and an account uploads three at a time", async () => {
    await using plane = await controlPlaneUnderTest();
    const announced = await fetchHead(`${plane.base}${next}/upload-code-bundle`, 100_000_001, plane.ownerKey);
    expect(announced).toContain(" 413 ");
    const deps = { bundles: plane.context.storage.codeBundles, blobs: createFolderStore(join(plane.dataDir, "blobs")), nowMs: Date.now };
    const uploads = new BundleUploads({ ...deps, log: pino({ level: "silent" }), mostBytes: 100 });
    const unannounced = uploads.take(plane.account.id, Readable.from([bundleOf(project)]), null, new AbortController().signal);
    await expect(unannounced).rejects.toMatchObject({ code: "too_large" });
    expect(blobsOf(plane)).toEqual([]);
    const { storage, nowMs } = plane.context;
    for (const key of ["a", "b", "c"])
      await storage.codeBundles.begin(plane.account.id, key, { bundles: 9, bytes: 9e9, underWay: 3 }, nowMs());
    expect((await upload(plane, bundleOf(project))).status).toBe(429);
  });

  it("whose client goes away leaves nothing", async () => {
    await using plane = await controlPlaneUnderTest();
    const bytes = bundleOf([{ path: "a", body: randomBytes(9_000_000) }]);
    const gone = new AbortController();
    const slow = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.subarray(0, 8_500_000));
        setTimeout(() => gone.abort(), 300);
      },
    });
    const asked = {
      method: "POST",
      body: slow,
      duplex: "half",
      signal: gone.signal,
      headers: { ...octets, authorization: `Bearer ${plane.ownerKey}` },
    };
    await expect(fetch(`${plane.base}${next}/upload-code-bundle`, asked as RequestInit)).rejects.toThrow(/abort/i);
    const { storage, nowMs } = plane.context;
    const open = (): Promise<readonly unknown[]> =>
      storage.codeBundles.leftBehind({ nowMs: nowMs(), openSinceMs: nowMs() + day, unusedSinceMs: 0 }, 10);
    await eventually(async () => (await open()).length === 0);
    expect(blobsOf(plane)).toEqual([]);
  });
});
