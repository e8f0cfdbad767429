import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Container, compressedBytes, type Image, noImages, runToEnd } from "../test/support/containers.ts";
import { freePort } from "../test/support/free-ports.ts";
import { startNginx } from "../test/support/nginx.ts";
import { expectNothingLost } from "../test/support/oracle.ts";
import { AgentContainer, replaceAgents } from "../test/support/rolling-replace.ts";
import { Site } from "../test/support/site.ts";
import { table, untilOk } from "./support/processes.ts";

/**
 * The images: size, start, memory, end, and a rolling update under 100 checks/s. As root, after `.ci/images`.
 *
 *   node --conditions=source bench/containers.ts
 */
if (noImages !== null) throw new Error(noImages);
const rows = [["", "figure", "limit"]];

for (const [image, limit] of [
  ["agent-uptime", 60],
  ["agent", 120],
  ["control-plane", 60],
  ["all", 60],
] as const) {
  rows.push([`${image}, layers packed by gzip`, `${(compressedBytes(image) / 1e6).toFixed(1)} MB`, `${limit} MB`]);
}

const engineMs = await times(async () => void (await runToEnd("agent-uptime", ["--version"])));
rows.push(["the engine itself: run --version to its end", `${median(engineMs)} ms`, ""]);

const env = await siteEnv();
rows.push(["agent, start to ready, engine included", `${median(await times(startAgent))} ms`, "1500 ms"]);
rows.push(["control plane, new folder, start to ready, engine included", `${median(await times(startControlPlane))} ms`, "1500 ms"]);

await using idle = await (await AgentContainer.start(env.variables)).ready();
await pause(30_000);
const memory = memoryOf(idle.pid());
rows.push(["idle agent 30 s after its start, RSS", `${memory.rss} MB`, "80 MB"]);
rows.push(["of it the agent's own (anonymous)", `${memory.anonymous} MB`, ""]);

rows.push(["SIGTERM to exit with 20 checks that hang", `${(await endWithHangingChecks()).toFixed(0)} ms`, "25000 ms"]);

await using nginx = await startNginx();
await using rolling = await Site.start();
const { finals, missed, exitMs, exitCodes } = await replaceAgents(rolling, `http://127.0.0.1:${nginx.httpPort}/`, 1_000);
rows.push(["three agents replaced under 100 checks/s: runs", String(finals + missed), ""]);
rows.push(["missed, run twice", `${missed}, 0`, "0, 0"]);
rows.push(["SIGTERM to exit of each", `${exitMs.join(", ")} ms (${exitCodes.join(", ")})`, "25000 ms"]);
await env.site[Symbol.asyncDispose]();
console.log(`\n${table(rows)}\n`);
process.exit(0);

async function siteEnv(): Promise<{ site: Site; variables: Record<string, string> }> {
  const site = await Site.start();
  return { site, variables: { API_KEY: await site.location("bench"), API_URL: site.base, LOG_LEVEL: "WARN" } };
}

async function startAgent(): Promise<void> {
  await using _agent = await (await AgentContainer.start(env.variables)).ready();
}

async function startControlPlane(): Promise<void> {
  const port = await freePort();
  await using _plane = new Container("control-plane" satisfies Image, [], { env: { PORT: String(port) } });
  await untilOk(`http://127.0.0.1:${port}/-/readiness`);
}

/** Jobs that are cut by the drain go to the next agent; each still ends once. */
async function endWithHangingChecks(): Promise<number> {
  const { site, variables } = env;
  const port = await freePort();
  const silent = createServer((socket) => void socket.on("error", () => undefined)).listen(port, "127.0.0.1");
  const url = `http://127.0.0.1:${port}/`;
  const key = await site.location("hanging");
  await using agent = await (await AgentContainer.start({ ...variables, API_KEY: key, JOB_CONCURRENCY: "20" })).ready();
  const ids: string[] = [];
  for (let n = 0; n < 20; n += 1) ids.push(await site.check(url, ["hanging"]));
  const sessions = await site.trigger(...ids);
  await pause(2_000);
  const sentMs = performance.now();
  agent.signal("SIGTERM");
  const code = await agent.exited();
  const tookMs = performance.now() - sentMs;
  if (code !== 0) throw new Error(`the agent ended with ${code}`);
  await using _next = await (await AgentContainer.start({ ...variables, API_KEY: key, JOB_CONCURRENCY: "20" })).ready();
  await expectNothingLost(site, { sessions }, 60_000);
  silent.close();
  return tookMs;
}

/** Of the program below the container's init, MB of 10^6 bytes. */
function memoryOf(init: number): { rss: string; anonymous: string } {
  const child = readFileSync(`/proc/${init}/task/${init}/children`, "utf8").trim();
  const status = readFileSync(`/proc/${child}/status`, "utf8");
  const read = (name: string): string => ((Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6).toFixed(1);
  return { rss: read("VmRSS"), anonymous: read("RssAnon") };
}

async function times(once: () => Promise<void>): Promise<number[]> {
  const taken: number[] = [];
  for (let n = 0; n < 7; n += 1) {
    const startMs = performance.now();
    await once();
    taken.push(performance.now() - startMs);
  }
  return taken;
}

function median(numbers: readonly number[]): string {
  return (numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN).toFixed(0);
}
