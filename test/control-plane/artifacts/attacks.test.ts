import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { artifactLimitBytes, artifactPartBytes as partBytes } from "#contract/agent-artifacts.ts";
import { createFolderStore } from "../../../src/control-plane/blob-store/folder-store.ts";
import { readControlPlaneConfig } from "../../../src/control-plane/config.ts";
import { createArtifactSweeper } from "../../../src/control-plane/upkeep/artifact-sweeper.ts";
import { someBytes } from "../../support/stored-artifact.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent } from "../fake-agent.ts";
import { assetsOf, commit, declarationOf, declare, download, finishedJob, putPart, uploadAll } from "./uploading.ts";

interface Site extends ControlPlaneUnderTest {
  readonly agent: FakeAgent;
}

async function running(env: Readonly<Record<string, string>> = {}): Promise<Site> {
  const plane = await controlPlaneUnderTest(env);
  return { ...plane, agent: await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1")) };
}

/** Where a key's bytes are; there is only one blob. */
function blobsIn({ dataDir }: Site): string[] {
  const folder = join(dataDir, "blobs");
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

describe("an agent that is not to be trusted", () => {
  it("announces no more than fits: its location is told to finish something first, others are not", async () => {
    await using site = await running();
    const huge = { size: artifactLimitBytes, sha256: "0".repeat(64) };
    const all = Buffer.alloc(0);
    for (let jobs = 0; jobs < 2; jobs += 1) {
      const job = await finishedJob(site, site.agent);
      for (let n = 0; n < 20; n += 1)
        expect((await declare(site.agent, declarationOf(job, all, { ...huge, name: `n${n}` }))).status).toBe(200);
    }
    const job = await finishedJob(site, site.agent);
    expect(await declare(site.agent, declarationOf(job, all, { ...huge }))).toMatchObject({
      status: 429,
      body: { message: expect.stringContaining("finish some of them first") },
    });
    const elsewhere = await FakeAgent.open(site.base, await site.locationKey("us-east-1"));
    const other = await finishedJob(site, elsewhere, "us-east-1");
    expect((await declare(elsewhere, declarationOf(other, all, huge))).status).toBe(200);
  });

  it("is told at once that a file is too large, by the byte", async () => {
    await using site = await running();
    const job = await finishedJob(site, site.agent);
    const announced = (size: number) => declare(site.agent, declarationOf(job, Buffer.alloc(0), { size }));
    expect(await announced(artifactLimitBytes + 1)).toMatchObject({
      status: 413,
      body: { message: '"size" is 157286401; an artifact has at most 157286400 bytes' },
    });
    expect((await announced(artifactLimitBytes)).status).toBe(200);
  });

  it("hangs in the middle of a part, and comes again: the newer request counts, the older one is let go", async () => {
    await using site = await running();
    const job = await finishedJob(site, site.agent);
    const bytes = someBytes(partBytes + 9);
    const { uploadId } = (await declare(site.agent, declarationOf(job, bytes))).body;
    const hanging = request(`${site.base}/agent/v1/artifacts/${uploadId}/parts/0`, {
      method: "PUT",
      headers: {
        authorization: `Bearer ${site.agent.session.sessionToken}`,
        "content-type": "application/octet-stream",
        "content-length": String(partBytes),
        expect: "100-continue",
      },
    }).on("error", () => undefined);
    const arrived = once(hanging, "continue");
    hanging.flushHeaders();
    await arrived;
    hanging.write(Buffer.alloc(2_000_000, 0xff));
    for (let offset = 0; offset < bytes.length; offset += partBytes) {
      const part = bytes.subarray(offset, offset + partBytes);
      expect((await putPart(site.base, site.agent, uploadId, offset, part)).status).toBe(200);
    }
    expect(await commit(site.agent, uploadId)).toMatchObject({ status: 200 });
    hanging.destroy();
    expect((await download(site, `${await assetsOf(site, job)}/body.bin`)).bytes.equals(bytes)).toBe(true);
  });

  it("cuts its connection in the middle of a part: nothing of that part counts", async () => {
    await using site = await running();
    const job = await finishedJob(site, site.agent);
    const bytes = someBytes(partBytes + 9);
    const declaration = declarationOf(job, bytes);
    const { uploadId } = (await declare(site.agent, declaration)).body;
    const cut = request(`${site.base}/agent/v1/artifacts/${uploadId}/parts/0`, {
      method: "PUT",
      headers: {
        authorization: `Bearer ${site.agent.session.sessionToken}`,
        "content-type": "application/octet-stream",
        "content-length": String(partBytes),
      },
    }).on("error", () => undefined);
    const written = Promise.withResolvers<void>();
    cut.write(Buffer.alloc(3_000_000, 0xff), () => written.resolve());
    await written.promise;
    cut.destroy();
    expect((await declare(site.agent, declaration)).body).toMatchObject({ uploadId, received: 0 });
    expect(await uploadAll(site.base, site.agent, declaration, bytes)).toMatchObject({ status: 200 });
  });
});

describe("a stored artifact", () => {
  const bytes = Buffer.from("<script>alert(1)</script>");

  async function stored(): Promise<{ site: Site; path: string; blob: string }> {
    const site = await running();
    const job = await finishedJob(site, site.agent);
    await uploadAll(site.base, site.agent, declarationOf(job, bytes, { name: "page.html", contentType: "text/html" }), bytes);
    const [blob = ""] = blobsIn(site);
    return { site, path: `${await assetsOf(site, job)}/page.html`, blob };
  }

  it("is sent in ranges, and refuses those that are beyond it", async () => {
    const { site, path } = await stored();
    await using _site = site;
    const part = await download(site, path, { range: "bytes=1-6" });
    expect([part.status, part.bytes.toString(), part.headers.get("content-range")]).toEqual([206, "script", `bytes 1-6/${bytes.length}`]);
    expect(part.headers.get("content-disposition")).toBe('attachment; filename="page.html"');
    const beyond = await download(site, path, { range: "bytes=25-" });
    expect([beyond.status, beyond.bytes.length, beyond.headers.get("content-range")]).toEqual([416, 0, `bytes */${bytes.length}`]);
  });

  it.each([
    { what: "gone", harm: (blob: string) => rmSync(blob), says: "not there any more" },
    { what: "damaged", harm: (blob: string) => truncateSync(blob, 5), says: "damaged" },
  ])("whose file is $what is a 404 that says so, in JSON, and the list still stands", async ({ harm, says }) => {
    const { site, path, blob } = await stored();
    await using _site = site;
    harm(blob);
    const answer = await download(site, path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json; charset=utf-8"]);
    expect(JSON.parse(answer.bytes.toString()).message).toContain(says);
    expect((await site.call("GET", path.slice(0, path.lastIndexOf("/")))).body.assets).toHaveLength(1);
  });

  it("is removed from the store once its result is not kept any more", async () => {
    const { site, blob } = await stored();
    await using _site = site;
    const { artifacts, results } = site.context.storage;
    await results.prune(site.context.nowMs() + 48 * 3_600_000, 1_000);
    const blobs = createFolderStore(join(site.dataDir, "blobs"));
    const sweeper = createArtifactSweeper({ artifacts, blobs, nowMs: site.context.nowMs, log: pino({ level: "silent" }) });
    await sweeper.start();
    await expect.poll(() => existsSync(blob)).toBe(false);
    await expect.poll(() => artifacts.leftBehind(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
    await sweeper.stop(AbortSignal.timeout(5_000));
  });
});

describe("a disk without space", () => {
  it("is a 503 that says so, the part may come again, and the result is not touched", async () => {
    await using site = await running();
    const job = await finishedJob(site, site.agent);
    const bytes = Buffer.from("something");
    const { uploadId } = (await declare(site.agent, declarationOf(job, bytes))).body;
    const waiting = join(site.dataDir, "blobs", "uploads", uploadId.replaceAll("-", ""));
    mkdirSync(join(waiting, ".."), { recursive: true });
    symlinkSync("/dev/full", waiting);
    expect(await putPart(site.base, site.agent, uploadId, 0, bytes)).toMatchObject({
      status: 503,
      body: { message: "there is no space left for artifacts" },
    });
    rmSync(waiting);
    expect((await declare(site.agent, declarationOf(job, bytes))).body).toMatchObject({ received: 0 });
    expect((await site.call("GET", await assetsOf(site, job))).body.assets).toEqual([]);
  });
});

describe("the settings of the store", () => {
  const s3 = {
    ARTIFACT_STORE: "s3",
    S3_BUCKET: "artifacts",
    S3_ACCESS_KEY_ID: "key-id",
    S3_SECRET_ACCESS_KEY: "a-secret-that-no-message-shows",
  };

  it.each([
    { ARTIFACT_STORE: "tape" },
    { S3_ENDPOINT: "ftp://store" },
    { S3_ENDPOINT: "https://key:a-secret-that-no-message-shows@store" },
    { S3_ENDPOINT: "https://store/?x=a-secret-that-no-message-shows" },
    { S3_BUCKET: "Upper" },
    { S3_BUCKET: "../x" },
    { S3_REGION: "eu west" },
    { S3_ACCESS_KEY_ID: "a b" },
    { S3_SECRET_ACCESS_KEY: "" },
    { S3_PATH_STYLE: "perhaps" },
  ])("refuse %j by name, and never with a secret", (changes) => {
    const read = () => readControlPlaneConfig({ DATA_DIR: "/nowhere", ...s3, ...changes });
    const [name = ""] = Object.keys(changes);
    expect(read).toThrow(name);
    expect(read).not.toThrow(/a-secret-that-no-message-shows/);
  });

  it.each(["S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const)("ask for %s where the store is S3", (name) => {
    const { [name]: _left, ...rest } = s3;
    expect(() => readControlPlaneConfig({ DATA_DIR: "/nowhere", ...rest })).toThrow(
      new RegExp(`${name}.*required where ARTIFACT_STORE is s3`),
    );
  });

  it("show no secret where they are printed", () => {
    const { artifactStore } = readControlPlaneConfig({ DATA_DIR: "/nowhere", ...s3 });
    expect(JSON.stringify(artifactStore)).not.toContain("a-secret-that-no-message-shows");
    expect(artifactStore).toMatchObject({ kind: "s3", s3: { endpoint: new URL("https://s3.us-east-1.amazonaws.com") } });
  });
});
