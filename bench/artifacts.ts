import { type ChildProcess, fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { artifactLimitBytes } from "../src/contract/agent-artifacts.ts";
import type { LeasedJob } from "../src/contract/agent-protocol.ts";
import { FakeAgent, reportOf } from "../test/control-plane/fake-agent.ts";
import { freePort } from "../test/support/free-ports.ts";
import type { ArtifactOrder } from "./support/artifact-agent.ts";
import { setUpControlPlane } from "./support/control-plane.ts";
import { imageFlags, memoryMb, nodeFlags, outpost, table, untilOk } from "./support/processes.ts";

/**
 * An artifact of 150 MB from the moment when a check leaves it until it is stored: scrubbed of 100 secrets in the agent's process, uploaded in
 * parts, checked and kept in a folder by the control plane's. Beside it how much the two grew meanwhile, and how long their event loops stood
 * still. The first round starts the thread that scrubs; before it one small artifact has gone the whole way.
 *
 *   npm run build && node --conditions=source bench/artifacts.ts [rounds, 3] [bytes, 157286400] [secrets, 100]
 */
const [rounds = 3, size = artifactLimitBytes, secretCount = 100] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "outpost-bench-"));
const secrets = Array.from({ length: secretCount }, (_, n) => randomBytes(12 + (n % 13)).toString(n % 2 === 0 ? "base64" : "hex"));
const preload = new URL("support/loop-delay.ts", import.meta.url).href;

const dataDir = join(folder, "control-plane");
const { apiKey, locationKey } = await setUpControlPlane(dataDir, { checks: 1, url: "http://127.0.0.1:9/" });
const port = await freePort();
const base = `http://127.0.0.1:${port}`;
const delayFiles = { agent: join(folder, "agent-delay"), controlPlane: join(folder, "control-plane-delay") };
const controlPlaneEnv = { DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: "WARN" };
await using controlPlane = outpost("control-plane", {
  ...controlPlaneEnv,
  BENCH_LOOP_DELAY_FILE: delayFiles.controlPlane,
  NODE_OPTIONS: `--import=${preload}`,
});
await untilOk(`${base}/-/readiness`);
const agent = startAgent();
const words = new Set<string>();
const gone = new AbortController();
agent.on("message", (word: string) => words.add(word)).on("exit", (code) => gone.abort(new Error(`the agent ended with ${code}`)));
await told("ready");
await deliver(100_000);

const rows = [["round", "seconds", "of it scrubbing", "agent MB", "control plane MB", "agent delay ms", "control plane delay ms"]];
for (let round = 1; round <= rounds; round += 1) rows.push([String(round), ...(await measured())]);
console.log(`\n${table(rows)}\n`);
console.log(
  `${size} bytes, ${secrets.length} secrets; MB: highest resident memory above that before the round; delay: the longest of the event loop`,
);
const ended = once(agent, "exit");
agent.kill("SIGKILL");
await ended;
await controlPlane[Symbol.asyncDispose]();
rmSync(folder, { recursive: true, force: true });

async function measured(): Promise<string[]> {
  await pause(1_000);
  await Promise.all([delayOf(agent.pid ?? 0, delayFiles.agent), delayOf(controlPlane.pid, delayFiles.controlPlane)]);
  const growth = [agent.pid ?? 0, controlPlane.pid].map(watchGrowth);
  const { payload, times } = await deliver(size);
  const grown = growth.map((stop) => stop().toFixed(1));
  const delays = await Promise.all([delayOf(agent.pid ?? 0, delayFiles.agent), delayOf(controlPlane.pid, delayFiles.controlPlane)]);
  await assertStored(payload.checkId, size);
  return [times.whole.toFixed(2), times.scrub.toFixed(2), ...grown, ...delays.map((ms) => ms.toFixed(1))];
}

/** The agent's flags are the image's; the program is from `src/`, as no bundle has this one. */
function startAgent(): ChildProcess {
  return fork(new URL("support/artifact-agent.ts", import.meta.url), {
    execArgv: [...nodeFlags, ...imageFlags("agent"), `--import=${preload}`],
    env: {
      ...process.env,
      API_KEY: locationKey,
      API_URL: base,
      DATA_DIR: join(folder, "agent"),
      LOG_LEVEL: "WARN",
      BENCH_LOOP_DELAY_FILE: delayFiles.agent,
    },
  });
}

/** One artifact of a job of its own, whole and right at its end. @returns seconds */
async function deliver(bytes: number): Promise<{ payload: LeasedJob["payload"]; times: { whole: number; scrub: number } }> {
  const file = join(folder, "artifact.log");
  writeText(file, bytes);
  const { jobId, attempt, fence, payload } = await finishedJob();
  const found = { name: "large.log", type: "log", contentType: "text/plain", content: { file } } as const;
  const order: ArtifactOrder = { attempt: { jobId, attempt, fence }, found, secrets };
  const start = performance.now();
  agent.send(order);
  await told("scrubbed");
  const scrub = (performance.now() - start) / 1_000;
  await told("delivered");
  const whole = (performance.now() - start) / 1_000;
  return { payload, times: { whole, scrub } };
}

async function assertStored(checkId: string, bytes: number): Promise<void> {
  const { entries } = await get<{ entries: { id: string }[] }>(`/v2/check-results/${checkId}?resultType=ALL&limit=1`);
  const answer = await fetch(`${base}/v1/check-results/${checkId}/${entries[0]?.id}/assets/large.log`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const text = Buffer.from(await answer.arrayBuffer());
  const known = secrets.filter((secret) => text.includes(secret));
  if (answer.status !== 200 || known.length > 0)
    throw new Error(`${answer.status}, ${known.length} secrets in ${text.length} of ${bytes} bytes`);
  console.log(`stored ${text.length} bytes, sha256 ${createHash("sha256").update(text).digest("hex").slice(0, 16)}`);
}

async function get<T>(path: string): Promise<T> {
  return (await (await fetch(base + path, { headers: { authorization: `Bearer ${apiKey}` } })).json()) as T;
}

/** A job with its result, made by hand. */
async function finishedJob(): Promise<LeasedJob> {
  const { id } = (await get<{ id: string }[]>("/v1/checks"))[0] ?? { id: "" };
  await fetch(`${base}/v1/check-sessions/trigger`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ target: { checkId: id } }),
  });
  const hand = await FakeAgent.open(base, locationKey);
  const [job] = await hand.lease(1, 5);
  if (job === undefined) throw new Error("no job");
  await hand.report(reportOf(job, { hasFailures: true, errorMessage: "no" }));
  return job;
}

/** Lines of a log with a secret in some of them, of exactly this size. */
function writeText(path: string, bytes: number): void {
  const lines = Array.from({ length: 4_000 }, (_, n) => {
    const secret = n % 40 === 0 ? ` token=${secrets[n % Math.max(1, secrets.length)] ?? ""}` : "";
    return `2026-11-22T10:00:00.${n} GET /api/v2/orders?page=${n * 7} 200 in ${n % 977} ms, trace ${n.toString(36)}${secret}\n`;
  });
  const block = Buffer.from(lines.join(""));
  const whole = Buffer.alloc(bytes, " ");
  for (let at = 0; at + block.length <= bytes; at += block.length) block.copy(whole, at);
  writeFileSync(path, whole);
}

/** Waits for a word of the agent that has not been waited for yet. */
async function told(word: string): Promise<void> {
  while (!words.delete(word)) await once(agent, "message", { signal: gone.signal });
}

/** @returns what ends the watch, with MB */
function watchGrowth(pid: number): () => number {
  const before = memoryMb(pid).now;
  let highest = before;
  const timer = setInterval(() => (highest = Math.max(highest, memoryMb(pid).now)), 10);
  return () => {
    clearInterval(timer);
    return highest - before;
  };
}

/** The longest delay since it was asked last, ms. */
async function delayOf(pid: number, file: string): Promise<number> {
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (let tries = 0; tries < 200; tries += 1) {
    await pause(10);
    const text = textOf(file);
    if (text.endsWith("\n")) return Number(text);
  }
  throw new Error("the event loop's delay was not told");
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
