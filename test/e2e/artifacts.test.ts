import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pino } from "pino";
import { extract } from "tar";
import { describe, expect, it } from "vitest";
import { createParts, type Parts, systemDeps } from "../../src/agent/agent-parts.ts";
import { readAgentConfig } from "../../src/agent/config.ts";
import { newIdentity } from "../../src/agent/contact/introduction.ts";
import { createKeyReader } from "../../src/agent/contact/location-key.ts";
import { createKnownSecrets } from "../../src/agent/runs/known-secrets.ts";
import { createAgentSecrets } from "../../src/agent/scripts/agent-secrets.ts";
import { artifactLimitBytes } from "../../src/contract/agent-artifacts.ts";
import type { LeasedJob } from "../../src/contract/agent-protocol.ts";
import type { AssetManifest, CheckResult } from "../../src/contract/check-results.ts";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { flakyProxy } from "../support/flaky-proxy.ts";
import { until } from "../support/processes.ts";
import { Site } from "../support/site.ts";
import { leaveArtifact, someBytes } from "../support/stored-artifact.ts";

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** A finished job of a new check at the location, made by hand. */
async function finishedJob(site: Site, key: string, slug: string): Promise<LeasedJob> {
  const checkId = await site.check("http://127.0.0.1:9/", [slug]);
  await site.trigger(checkId);
  const agent = await FakeAgent.open(site.base, key);
  const [job] = await agent.lease(1, 5);
  if (job === undefined) throw new Error("no job");
  await agent.report(reportOf(job, { hasFailures: true, errorMessage: "no" }));
  return job;
}

async function assetsOf(site: Site, checkId: string): Promise<AssetManifest["assets"]> {
  const [result] = await site.results(checkId);
  if (result === undefined) return [];
  return (await site.api<AssetManifest>("GET", `/v1/check-results/${checkId}/${result.id}/assets`)).assets;
}

/** The parts of an agent that keep and upload artifacts, in this process: no check type of today leaves a folder. */
async function partsOf(site: Site, key: string): Promise<Pick<Parts, "artifacts"> & AsyncDisposable> {
  const log = pino({ level: "silent" });
  const config = readAgentConfig({ API_KEY: key, API_URL: site.base, DATA_DIR: join(site.folder, "parts") });
  const deps = systemDeps(config, log);
  const agentSecrets = createAgentSecrets(config.secrets, log, deps.clock);
  const secrets = createKnownSecrets(config.proxy, agentSecrets.values);
  const readKey = createKeyReader(config.key, log);
  const parts = createParts(config, deps, { secrets, agentSecrets, readKey, onIncompatible: () => undefined }, newIdentity(), () => 0);
  await parts.outbox.start();
  await parts.artifacts.start();
  parts.artifactUploader.start();
  return {
    artifacts: parts.artifacts,
    async [Symbol.asyncDispose]() {
      parts.loopDelay.stop();
      await parts.artifactUploader.stop();
      await parts.artifacts.close();
      await parts.outbox.close();
      await parts.controlPlane.close();
    },
  };
}

/** Waits for an artifact. @returns its digest, read as it comes */
async function downloaded(site: Site, checkId: string, name: string, limitMs = 60_000): Promise<{ size: number; sha256: string }> {
  const asset = await until(`the artifact ${name}`, async () => (await assetsOf(site, checkId)).find((one) => one.name === name), limitMs);
  const answer = await site.fetch(new URL(asset.url).pathname);
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, sha256: hash.digest("hex") };
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** The highest of nine tenths of all looks at a process's memory meanwhile, MB above the first one. */
async function grownMb(pid: number, work: () => Promise<void>): Promise<number> {
  const rss = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  const before = rss();
  const looks: number[] = [];
  const timer = setInterval(() => looks.push(rss()), 20);
  await work().finally(() => clearInterval(timer));
  return (looks.toSorted((a, b) => a - b)[Math.floor(looks.length * 0.9)] ?? before) - before;
}

describe("artifacts of real processes", () => {
  it("bring the whole body of a failed check, without its secrets, after its verdict", async () => {
    const secret = "sk-9f31c07e2b";
    const body = `{"echo":"${secret}","b64":"${Buffer.from(secret).toString("base64")}","more":"${"x".repeat(3_000_000)}"}`;
    const server = createServer((_request, response) => response.writeHead(500, { "content-type": "application/json" }).end(body));
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    await using site = await Site.start();
    const agent = await site.agent(await site.location("north")).ready();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const headers = [{ key: "Authorization", value: `Bearer ${secret}` }];
    const checkId = await site.check(url, ["north"], {
      request: { method: "GET", url, headers, assertions: [{ source: "STATUS_CODE", comparison: "EQUALS", target: "200" }] },
    });
    const [session] = await site.trigger(checkId);
    if (session === undefined) throw new Error("no session");
    await site.ended(session);
    const [result] = await site.results(checkId);
    expect(result).toMatchObject({
      hasFailures: true,
      apiCheckResult: { jobAssets: ["response-body.json"], response: { truncated: true } },
    });
    const [asset] = await until("the artifact", async () => {
      const found = await assetsOf(site, checkId);
      return found.length > 0 && found;
    });
    expect(asset).toMatchObject({ name: "response-body.json", type: "file", contentType: "application/json" });
    const text = await (await site.fetch(new URL(asset?.url ?? "").pathname)).text();
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString("base64"));
    expect(text).toContain(`"more":"${"x".repeat(3_000_000)}"`);
    expect((await site.api<CheckResult>("GET", `/v1/check-results/${checkId}/${result?.id}`)).assets).toHaveLength(1);
    const metrics = async (): Promise<string> => (await agent.probe("/metrics"))?.text ?? "";
    await expect.poll(metrics).toContain('outpost_agent_artifacts_total{outcome="uploaded"} 1'); // the agent hears of it after the readers do
    await expect.poll(metrics).toContain("outpost_agent_artifacts_waiting 0");
    server.close();
  }, 120_000);

  it("of exactly 157,286,400 bytes pass, with little memory; one byte more fails at once (S-13)", async () => {
    const env = { NODE_OPTIONS: "--max-semi-space-size=1", MALLOC_ARENA_MAX: "1" }; // as in the images: what else is garbage stays small
    await using site = await Site.start({ env });
    const key = await site.location("north");
    const [first, job] = [await finishedJob(site, key, "north"), await finishedJob(site, key, "north")];
    const agent = await site.agent(key, env).ready();
    const outbox = join(agent.folder, "outbox");
    /** Looked for on the disk, as a question costs the process that is asked. */
    const stored = (): number => filesBelow(join(site.folder, "control-plane", "blobs")).filter((path) => !path.includes("uploads")).length;
    leaveArtifact(outbox, first, "small.bin", someBytes(10_000_000)); // code that is loaded late is no growth
    await until("a first artifact", () => stored() === 1);
    const bytes = someBytes(artifactLimitBytes);
    const expected = { size: bytes.length, sha256: sha256(bytes) };
    let controlPlaneMb = 0;
    const agentMb = await grownMb(agent.pid, async () => {
      controlPlaneMb = await grownMb(site.controlPlane.pid, async () => {
        leaveArtifact(outbox, job, "large.bin", bytes);
        await until("the end of the upload", () => stored() === 2, 90_000);
      });
    });
    expect(await downloaded(site, job.payload.checkId, "large.bin")).toEqual(expected);
    expect(agentMb).toBeLessThan(20);
    expect(controlPlaneMb).toBeLessThan(20);
    const one = leaveArtifact(outbox, job, "too-large.bin", Buffer.concat([bytes, Buffer.alloc(1)]));
    expect(one.size).toBe(157_286_401);
    await until("its end", async () =>
      /outpost_agent_artifacts_total\{outcome="too_large"\} 1/.test((await agent.probe("/metrics"))?.text ?? ""),
    );
    expect((await assetsOf(site, job.payload.checkId)).map(({ name }) => name)).toEqual(["large.bin"]);
  }, 240_000);

  it("go on where they were when the control plane was killed in their middle, again and again", async () => {
    await using site = await Site.start();
    await using way = await flakyProxy(site.port);
    const key = await site.location("north");
    const job = await finishedJob(site, key, "north");
    const bytes = someBytes(artifactLimitBytes);
    const agent = await site.agent(key, { API_URL: way.url }).ready();
    let parts = 0;
    way.onReply((path, reply) => {
      if (path.includes("/parts/") && reply.includes("HTTP/1.1 200")) parts += 1;
    });
    leaveArtifact(join(agent.folder, "outbox"), job, "large.bin", bytes);
    for (let kills = 1; kills <= 2; kills += 1) {
      await until(`part ${kills * 4}`, () => parts >= kills * 4, 90_000);
      await site.controlPlane.kill();
      await site.startControlPlane();
    }
    expect(await downloaded(site, job.payload.checkId, "large.bin", 180_000)).toEqual({ size: bytes.length, sha256: sha256(bytes) });
    expect(parts).toBeLessThan(19 + 3);
  }, 260_000);

  it("get through a link that is cut every 7 MB, with at most one part sent again each time (S-12)", async () => {
    await using site = await Site.start();
    await using way = await cuttingProxy(site.port, 7_000_000);
    const key = await site.location("north");
    const job = await finishedJob(site, key, "north");
    const bytes = someBytes(30_000_000);
    const agent = await site.agent(key, { API_URL: way.url }).ready();
    leaveArtifact(join(agent.folder, "outbox"), job, "large.bin", bytes);
    expect(await downloaded(site, job.payload.checkId, "large.bin", 230_000)).toEqual({ size: bytes.length, sha256: sha256(bytes) });
    expect(way.cuts()).toBeGreaterThan(3);
    expect(way.passedBytes()).toBeLessThan(bytes.length + (way.cuts() + 1) * 8_400_000);
  }, 260_000);

  it("outlive their agent, and are uploaded by the next one of the same folder", async () => {
    await using site = await Site.start();
    const key = await site.location("north");
    const job = await finishedJob(site, key, "north");
    const bytes = someBytes(40_000_000);
    await using way = await flakyProxy(site.port);
    let parts = 0;
    way.onReply((path, reply) => {
      if (path.includes("/parts/") && reply.includes("HTTP/1.1 200")) parts += 1;
    });
    const first = await site.agent(key, { API_URL: way.url }).ready();
    leaveArtifact(join(first.folder, "outbox"), job, "large.bin", bytes);
    await until("the first part", () => parts > 0, 90_000);
    await first.kill();
    await site.agent(key, { DATA_DIR: first.folder }).ready();
    expect(await downloaded(site, job.payload.checkId, "large.bin")).toEqual({ size: bytes.length, sha256: sha256(bytes) });
  }, 150_000);

  it("of a folder are packed with tar and scrubbed inside: what is unpacked at the end are the same files without the secret", async () => {
    const secret = "sk-9f31c07e2b-of-the-run";
    await using site = await Site.start();
    const key = await site.location("north");
    const job = await finishedJob(site, key, "north");
    const folder = join(site.folder, "of-the-run");
    mkdirSync(join(folder, "logs"), { recursive: true });
    const trace = someBytes(3_000_000);
    writeFileSync(join(folder, "trace.bin"), trace);
    writeFileSync(join(folder, "logs", "console.txt"), `key=${secret}\n`.repeat(1_000));
    await using agent = await partsOf(site, key);
    const found = { name: "run.tar.gz", type: "file", contentType: "application/gzip", content: { folder } } as const;
    agent.artifacts.keep(job, "a check", [found], [secret]);
    const [asset] = await until("the artifact", async () => {
      const assets = await assetsOf(site, job.payload.checkId);
      return assets.length > 0 && assets;
    });
    const archive = join(site.folder, "downloaded.tar.gz");
    writeFileSync(archive, Buffer.from(await (await site.fetch(new URL(asset?.url ?? "").pathname)).arrayBuffer()));
    const into = join(site.folder, "unpacked");
    mkdirSync(into);
    await extract({ file: archive, cwd: into });
    expect(readFileSync(join(into, "trace.bin")).equals(trace)).toBe(true);
    const masked = readFileSync(join(into, "logs", "console.txt"), "utf8");
    expect(masked).not.toContain(secret);
    expect(masked.match(/^key=\*+$/gm)).toHaveLength(1_000);
    expect(existsSync(folder)).toBe(false);
  }, 120_000);

  it("never touch the verdict: with no folder for them it comes all the same (S-02)", async () => {
    const server = createServer((_request, response) => response.writeHead(500).end("x".repeat(400_000)));
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    await using site = await Site.start();
    const agent = await site.agent(await site.location("north")).ready();
    rmSync(join(agent.folder, "outbox", "artifacts"), { recursive: true });
    const checkId = await site.check(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ["north"]);
    const [session] = await site.trigger(checkId);
    if (session === undefined) throw new Error("no session");
    await site.ended(session);
    expect(await site.results(checkId)).toMatchObject([{ hasFailures: true, resultType: "FINAL" }]);
    server.close();
  }, 120_000);
});
