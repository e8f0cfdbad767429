import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { browser } from "../test/control-plane/console/browser.ts";
import { freePort } from "../test/support/free-ports.ts";
import { startNginx } from "../test/support/nginx.ts";
import { cpuSeconds, memoryMb, outpost, percentile, table, untilOk } from "./support/processes.ts";
import { type EngineName, Site } from "./support/site.ts";

/**
 * Pages that are open: what viewers of the list cost the control plane, each with a socket of its own and a page of 50 checks before it, while
 * every check runs each minute and figures of the last hours are there; and how long a stored result takes until they have it. With `check`
 * each viewer looks at the page of a check, with the charts of its last day: how often they come anew.
 *
 *   npm run build && B bench/live.ts [engine, sqlite] [viewers, 500] [checks, 5000] [seconds, 60] [hours of results, 24] [list or check, list]
 */
const engine = (process.argv[2] ?? "sqlite") as EngineName;
const [viewers = 500, checks = 5_000, seconds = 60, hours = 24] = process.argv.slice(3, 7).map(Number);
const looksAtChecks = process.argv[7] === "check";

await using nginx = await startNginx();
await using site = await Site.make(engine, checks, {
  url: `http://127.0.0.1:${nginx.httpPort}/`,
  activated: true,
  change: () => ({ frequency: 1 }),
});
const toMs = Math.floor(Date.now() / 3_600_000) * 3_600_000;
const filled = await site.fill(toMs - hours * 3_600_000, toMs);
await site.withStorage(async ({ analytics }) => {
  while (await analytics.compact(toMs, 250));
});
const { process: controlPlane, url } = await site.start();
const agentDir = mkdtempSync(join(tmpdir(), "outpost-bench-"));
const health = await freePort();
const agent = outpost("agent", {
  API_KEY: site.locationKey,
  API_URL: url,
  AGENT_HEALTH_PORT: String(health),
  DATA_DIR: agentDir,
  JOB_CONCURRENCY: "50",
  LOG_LEVEL: "WARN",
});
await untilOk(`http://127.0.0.1:${health}/-/readiness`);
await pause(75_000); // every check has run, and the backlog of the start is gone
const without = await share();

/** One key may have as many pages open. */
const pagesOfKey = 50;
const cookies = await Promise.all(Array.from({ length: Math.ceil(viewers / pagesOfKey) }, signedIn));
interface Seen {
  readonly uuid: string;
  readonly startedAtMs: number;
  readonly seenAtMs: number;
}
const seen: Seen[] = [];
const sockets = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
const pages = Math.ceil(checks / 50);
const addressOf = (number: number): string =>
  looksAtChecks
    ? `/live/checks/${site.checkIds[number % checks] ?? ""}?range=24h&at=${Date.now()}`
    : `/live/checks?page=${1 + (number % pages)}`;
let chartsSeen = 0;
await Promise.all(Array.from({ length: viewers }, (_, number) => open(addressOf(number), cookies[Math.floor(number / pagesOfKey)] ?? "")));
await pause(30_000); // each has its page
const fromMs = Date.now();
chartsSeen = 0;
const withViewers = await share();
const toSeenMs = Date.now();
const chartsOfTime = chartsSeen;
const memory = memoryMb(controlPlane.pid);
sockets.destroy();
await agent[Symbol.asyncDispose]();
await controlPlane[Symbol.asyncDispose]();
rmSync(agentDir, { recursive: true });

const stored = new Map(
  (
    await site.ask(
      `select c.uuid as uuid, r.started_at_us as started, r.created_at as created from results r join checks c on c.id = r.check_id where r.created_at >= ${fromMs}`,
    )
  ).map((row) => [`${String(row["uuid"])} ${Math.floor(Number(row["started"]) / 1_000)}`, Number(row["created"])]),
);
const latency = seen
  .filter(({ seenAtMs }) => seenAtMs < toSeenMs)
  .flatMap(({ uuid, startedAtMs, seenAtMs }) => {
    const createdAtMs = stored.get(`${uuid} ${startedAtMs}`);
    return createdAtMs === undefined ? [] : [seenAtMs - createdAtMs];
  });
const percent = (cores: number): string => `${(100 * cores).toFixed(0)} %`;
process.stdout.write(
  `\n${engine}, ${checks} checks each minute, ${viewers} viewers, ${filled} results of ${hours} hours before; memory at most ${memory.peak.toFixed(0)} MB\n`,
);
const cost = [percent(without), percent(withViewers)];
const told = looksAtChecks
  ? [(chartsOfTime / seconds).toFixed(1)]
  : [(latency.length / seconds).toFixed(0), ...[50, 99, 100].map((quantile) => percentile(latency, quantile).toFixed(0))];
const names = looksAtChecks ? ["charts a second"] : ["rows a second", "stored → seen p50 ms", "p99 ms", "worst ms"];
process.stdout.write(
  `${table([
    ["CPU of one core without viewers", "with", ...names],
    [...cost, ...told],
  ])}\n`,
);

/** Of a core that the control plane takes. */
async function share(): Promise<number> {
  const before = cpuSeconds(controlPlane.pid);
  await pause(seconds * 1_000);
  return (cpuSeconds(controlPlane.pid) - before) / seconds;
}

/** @returns the cookies of a browser that signed in with a key of its own */
async function signedIn(): Promise<string> {
  const headers = { authorization: `Bearer ${site.apiKey}`, "content-type": "application/json" };
  const made = await fetch(`${url}/v1/api-keys`, { method: "POST", headers, body: JSON.stringify({ name: "Viewer", role: "READ_ONLY" }) });
  const { rawKey } = (await made.json()) as { readonly rawKey: string };
  const here = browser(url);
  await here.get("/sign-in");
  await here.post("/sign-in", { key: rawKey });
  return [...here.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

/** Resolves when it is open; what it hears from then on is noted. */
function open(path: string, cookie: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = get(url + path, { agent: sockets, headers: { cookie } }, (answer) => {
    if (answer.statusCode !== 200) reject(new Error(`${path}: ${answer.statusCode}`));
    let text = "";
    answer.setEncoding("utf8").on("data", (piece: string) => {
      const events = (text + piece).split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) note(event);
    });
    answer.on("error", () => undefined);
    resolve();
  });
  request.on("error", reject);
  return promise;
}

function note(event: string): void {
  if (event.startsWith("event: measured")) chartsSeen += 1;
  if (!event.startsWith("event: row\n")) return;
  const [, uuid = ""] = /"id":"([^"]+)"/.exec(event) ?? [];
  const [, at = ""] = /datetime=\\"([^"\\]+)\\" data-shows=\\"ago/.exec(event) ?? [];
  seen.push({ uuid, startedAtMs: Date.parse(at), seenAtMs: Date.now() });
}
