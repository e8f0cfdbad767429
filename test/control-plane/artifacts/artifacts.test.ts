import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { artifactPartBytes as partBytes } from "#contract/agent-artifacts.ts";
import { enginesUnderTest } from "../../support/engines.ts";
import { hasS3Server, startS3Server } from "../../support/s3-server.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import { assetsOf, commit, declarationOf, declare, download, finishedJob, putPart, sha256, uploadAll } from "./uploading.ts";

const engines = await enginesUnderTest();
const s3 = hasS3Server() ? await startS3Server() : undefined;
afterAll(async () => {
  await s3?.[Symbol.asyncDispose]();
  await engines[Symbol.asyncDispose]();
});

interface Site extends ControlPlaneUnderTest {
  readonly agent: FakeAgent;
}

const places = [
  ...engines.list.map((engine) => ({ name: `${engine.name} and a folder`, engine, env: {} })),
  ...(s3 === undefined ? [] : engines.list.map((engine) => ({ name: `${engine.name} and S3`, engine, env: s3.env }))),
];

describe.each(places)("artifacts on $name", ({ engine, env }) => {
  async function running(): Promise<Site> {
    const url = await engine.databaseUrl();
    const plane = await controlPlaneUnderTest({ ...(url !== undefined && { DATABASE_URL: url }), ...env });
    return { ...plane, agent: await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1")) };
  }

  it.each([0, 1, partBytes, 2 * partBytes + 5])("of %i bytes are stored, listed and downloaded, whole and in part (S-13)", async (size) => {
    await using site = await running();
    const job = await finishedJob(site, site.agent);
    const bytes = randomBytes(size);
    const declaration = declarationOf(job, bytes, { type: "report", contentType: "text/html" });
    expect(await uploadAll(site.base, site.agent, declaration, bytes)).toMatchObject({
      status: 200,
      body: { size, sha256: sha256(bytes) },
    });
    const folder = await assetsOf(site, job);
    const { assets } = (await site.call("GET", folder)).body;
    expect(assets).toMatchObject([{ name: "body.bin", type: "report", contentType: "text/html" }]);
    const whole = await download(site, `${folder}/body.bin`);
    expect([whole.status, whole.bytes.equals(bytes)]).toEqual([200, true]);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      "content-length": String(size),
      "content-type": "text/html",
      "content-disposition": 'attachment; filename="body.bin"',
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
    });
    const end = await download(site, `${folder}/body.bin`, { range: "bytes=-3" });
    expect([end.status, end.bytes.equals(bytes.subarray(Math.max(0, size - 3)))]).toEqual([size === 0 ? 416 : 206, true]);
  });

  it("go on where they were, whatever is asked twice", async () => {
    await using site = await running();
    const { agent, base } = site;
    const job = await finishedJob(site, agent);
    const bytes = randomBytes(2 * partBytes + 100);
    const declaration = declarationOf(job, bytes);
    const first = (await declare(agent, declaration)).body;
    expect(first).toMatchObject({ partBytes, received: 0, stored: false });
    const part = (offset: number) => putPart(base, agent, first.uploadId, offset, bytes.subarray(offset, offset + partBytes));
    expect(await part(partBytes)).toMatchObject({ status: 409, body: { attributes: { received: 0 } } });
    expect(await part(0)).toMatchObject({ status: 200, body: { received: partBytes } });
    expect(await part(0)).toMatchObject({ status: 200, body: { received: partBytes } });
    expect(await commit(agent, first.uploadId)).toMatchObject({ status: 409, body: { attributes: { received: partBytes } } });
    expect((await declare(agent, declaration)).body).toEqual({ ...first, received: partBytes });
    expect(await part(2 * partBytes)).toMatchObject({ status: 409, body: { attributes: { received: partBytes } } });
    await part(partBytes);
    await part(2 * partBytes);
    for (let times = 0; times < 2; times += 1) expect(await commit(agent, first.uploadId)).toMatchObject({ status: 200 });
    expect((await declare(agent, declaration)).body).toEqual({ ...first, received: bytes.length, stored: true });
    expect(await part(0)).toMatchObject({ status: 200, body: { received: bytes.length } });
    expect((await download(site, `${await assetsOf(site, job)}/body.bin`)).bytes.equals(bytes)).toBe(true);
  });

  it("are refused where they are others than announced, and may begin anew (S-13)", async () => {
    await using site = await running();
    const { agent, base } = site;
    const job = await finishedJob(site, agent);
    const bytes = randomBytes(100_000);
    const corrupted = Buffer.from(bytes);
    corrupted.writeUInt8(bytes.readUInt8(50_000) ^ 1, 50_000);
    const declaration = declarationOf(job, bytes);
    expect(await uploadAll(base, agent, declaration, corrupted)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('"sha256" differs') },
    });
    const folder = await assetsOf(site, job);
    expect((await site.call("GET", folder)).body.assets).toEqual([]);
    expect((await declare(agent, declaration)).body).toMatchObject({ received: 0, stored: false });
    expect(await uploadAll(base, agent, declaration, bytes)).toMatchObject({ status: 200 });
    expect((await download(site, `${folder}/body.bin`)).bytes.equals(bytes)).toBe(true);
  });

  it("keep their digest over a restart: what was sent before and after makes one file", async () => {
    const url = await engine.databaseUrl();
    const plane = await controlPlaneUnderTest({ ...(url !== undefined && { DATABASE_URL: url }), ...env });
    await using site = { ...plane, agent: await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1")) };
    const job = await finishedJob(site, site.agent);
    const bytes = randomBytes(partBytes + 10);
    const { uploadId } = (await declare(site.agent, declarationOf(job, bytes))).body;
    await putPart(site.base, site.agent, uploadId, 0, bytes.subarray(0, partBytes));
    // Another part's bytes at the end: the file that is read again is the one that counts.
    await putPart(site.base, site.agent, uploadId, partBytes, Buffer.alloc(10));
    expect(await commit(site.agent, uploadId)).toMatchObject({ status: 409 });
  });

  it("are as large as they say (S-13)", async () => {
    await using site = await running();
    const { agent, base } = site;
    const job = await finishedJob(site, agent);
    const bytes = randomBytes(1_000);
    const { uploadId } = (await declare(agent, declarationOf(job, bytes))).body;
    expect(await putPart(base, agent, uploadId, 0, randomBytes(1_001))).toMatchObject({
      status: 413,
      body: { message: expect.stringContaining("more than the 1000 bytes") },
    });
    expect(await putPart(base, agent, uploadId, 0, randomBytes(999))).toMatchObject({ status: 400 });
    expect(await putPart(base, agent, uploadId, 1, bytes)).toMatchObject({ status: 409 });
    expect(await putPart(base, agent, uploadId, partBytes, bytes)).toMatchObject({ status: 400 });
    for (const size of [0, 999, 1_001, partBytes + 1]) {
      expect(await putPart(base, agent, uploadId, `0?size=${size}`, bytes.subarray(0, size))).toMatchObject({ status: 400 });
    }
    expect(await commit(agent, uploadId)).toMatchObject({ status: 409 });
  });

  it("go with their result and with their check, and what nobody finished goes after a day", async () => {
    await using site = await running();
    const { agent, base } = site;
    const [kept, removed, open] = [await finishedJob(site, agent), await finishedJob(site, agent), await finishedJob(site, agent)];
    const bytes = randomBytes(1_000);
    for (const job of [kept, removed]) await uploadAll(base, agent, declarationOf(job, bytes), bytes);
    const { uploadId } = (await declare(agent, declarationOf(open, bytes))).body;
    await putPart(base, agent, uploadId, 0, bytes);
    const { artifacts, results } = site.context.storage;
    const left = async (): Promise<number> => (await artifacts.leftBehind(site.context.nowMs() - 24 * 3_600_000, 100)).length;
    expect(await left()).toBe(0);
    await site.call("DELETE", `/v1/checks/${removed.payload.checkId}`);
    await results.prune(0, 1_000);
    expect(await left()).toBe(1);
    site.advance(25 * 3_600_000);
    expect(await left()).toBe(2);
    await results.prune(site.context.nowMs() + 48 * 3_600_000, 1_000);
    expect(await left()).toBe(3);
  });
});

describe("an artifact", () => {
  async function running(env: Readonly<Record<string, string>> = {}): Promise<Site> {
    const plane = await controlPlaneUnderTest(env);
    return { ...plane, agent: await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1")) };
  }
  const bytes = Buffer.from("something");

  it("is announced for a stored result of the agent's own location only", async () => {
    await using site = await running();
    const job = await finishedJob(site, site.agent);
    const elsewhere = await FakeAgent.open(site.base, await site.locationKey("us-east-1"));
    const foreign = await site.call("POST", "/v1/private-locations", { body: { name: "p", slugName: "p" } });
    const own = await FakeAgent.open(site.base, foreign.body.keys[0].rawKey);
    const unknown = { jobId: crypto.randomUUID() };
    for (const [agent, changes] of [
      [elsewhere, {}],
      [own, {}],
      [site.agent, unknown],
      [site.agent, { attempt: 2 }],
    ] as const) {
      expect(await declare(agent, declarationOf(job, bytes, changes))).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining("no such result") },
      });
    }
    const { uploadId } = (await declare(site.agent, declarationOf(job, bytes))).body;
    expect(await putPart(site.base, elsewhere, uploadId, 0, bytes)).toMatchObject({ status: 409 });
    expect(await commit(elsewhere, uploadId)).toMatchObject({ status: 409 });
  });

  it("may come from another agent of the location, also half of it", async () => {
    await using site = await running();
    const job = await finishedJob(site, site.agent);
    const other = await FakeAgent.open(site.base, await site.locationKey("eu-west-1"));
    const large = randomBytes(partBytes + 1);
    const { uploadId } = (await declare(site.agent, declarationOf(job, large))).body;
    await putPart(site.base, site.agent, uploadId, 0, large.subarray(0, partBytes));
    expect((await declare(other, declarationOf(job, large))).body).toMatchObject({ uploadId, received: partBytes });
    expect(await uploadAll(site.base, other, declarationOf(job, large), large)).toMatchObject({ status: 200 });
  });

  it("is not the only one of its name: another one is refused", async () => {
    await using site = await running();
    const job = await finishedJob(site, site.agent);
    await uploadAll(site.base, site.agent, declarationOf(job, bytes), bytes);
    expect(await declare(site.agent, declarationOf(job, Buffer.from("other text")))).toMatchObject({ status: 409 });
    const withEvidence = await jobWithEvidence(site);
    expect(await declare(site.agent, declarationOf(withEvidence, bytes, { name: "a.log" }))).toMatchObject({ status: 409 });
  });

  async function jobWithEvidence(site: Site) {
    const { id } = (
      await site.call("POST", "/v1/checks/api", {
        body: { name: "x", locations: ["eu-west-1"], frequency: 1440, request: { method: "GET", url: "http://127.0.0.1/" } },
      })
    ).body;
    await site.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    const [job] = await site.agent.lease();
    if (job === undefined) throw new Error("no job");
    const evidence = [{ name: "a.log", type: "log", contentType: "text/plain", data: "YQ==" }] as const;
    await site.agent.report(reportOf(job, { hasFailures: true, evidence: [...evidence] }));
    return job;
  }

  it.each([
    { name: "../../etc/passwd" },
    { name: "A" },
    { name: "" },
    { name: `a${"b".repeat(60)}` },
    { name: 'a";b' },
    { name: "a\r\nb" },
    { name: "a\0b" },
    { name: ".." },
    { name: "a/b" },
    { name: "a\\b" },
    { name: "%2e%2e%2fb" },
    { name: "b\u00fccher" },
    { name: "a\u202egnp" },
    { name: "a".repeat(10_000) },
    { contentType: "text/html\r\nx: y" },
    { contentType: "text" },
    { type: "program" },
    { size: -1 },
    { size: 1.5 },
    { sha256: "0".repeat(63) },
    { sha256: "G".repeat(64) },
    { attempt: 0 },
  ])("is refused as %j", async (changes) => {
    await using site = await running();
    const job = await finishedJob(site, site.agent);
    const [field] = Object.keys(changes);
    expect(await declare(site.agent, declarationOf(job, bytes, changes))).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(`"${field}"`) },
    });
  });

  it("is taken as bytes only", async () => {
    await using site = await running();
    const job = await finishedJob(site, site.agent);
    const { uploadId } = (await declare(site.agent, declarationOf(job, bytes))).body;
    expect(await site.agent.send("PUT", `/artifacts/${uploadId}/parts/0`, { a: 1 })).toMatchObject({
      status: 400,
      body: { message: "The content type must be application/octet-stream" },
    });
    expect(await putPart(site.base, site.agent, "not-an-id", 0, bytes)).toMatchObject({ status: 400 });
    expect(await putPart(site.base, site.agent, crypto.randomUUID(), 0, bytes)).toMatchObject({ status: 409 });
  });

  it("needs a session that has not ended", async () => {
    await using site = await running();
    const job = await finishedJob(site, site.agent);
    const { uploadId } = (await declare(site.agent, declarationOf(job, bytes))).body;
    site.advance(2 * 3_600_000);
    expect(await putPart(site.base, site.agent, uploadId, 0, bytes)).toMatchObject({ status: 401 });
    const again = await FakeAgent.open(site.base, await site.locationKey("eu-west-1"));
    expect(await uploadAll(site.base, again, declarationOf(job, bytes), bytes)).toMatchObject({ status: 200 });
  });

  it("is not taken where none are kept, and agents know it", async () => {
    await using site = await running({ ARTIFACT_STORE: "off" });
    expect(site.agent.session.limits.artifactBytes).toBe(0);
    const job = await finishedJob(site, site.agent);
    expect(await declare(site.agent, declarationOf(job, bytes))).toMatchObject({ status: 409 });
  });

  it("has at most 19 others beside it, and no file of them is left where it was refused", async () => {
    await using site = await running();
    const job = await finishedJob(site, site.agent);
    for (let n = 0; n < 20; n += 1) expect((await declare(site.agent, declarationOf(job, bytes, { name: `n${n}` }))).status).toBe(200);
    expect(await declare(site.agent, declarationOf(job, bytes, { name: "n20" }))).toMatchObject({ status: 409 });
    expect((await declare(site.agent, declarationOf(job, bytes, { name: "n3" }))).status).toBe(200);
  });

  it("leaves no file behind when it is refused", async () => {
    await using site = await running();
    const job = await finishedJob(site, site.agent);
    await uploadAll(site.base, site.agent, declarationOf(job, bytes), Buffer.from("somethinx"));
    const dataDir = site.dataDir;
    const files = readdirSync(join(dataDir, "blobs"), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files).toEqual([]);
  });
});
