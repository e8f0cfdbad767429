import { setTimeout as pause } from "node:timers/promises";
import { Pool } from "undici";
import type { CheckStatus } from "../src/contract/check-statuses.ts";
import { uuidFrom } from "../src/domain/ids.ts";
import { inTens } from "./support/control-plane.ts";
import { cpuSeconds, memoryMb, percentile, table } from "./support/processes.ts";
import { type Rest, restOf } from "./support/rest.ts";
import { type EngineName, Site } from "./support/site.ts";

/**
 * Heartbeats that are pinged at a steady rate over HTTP, each in its turn, on connections that stay open. One in a hundred is pinged once and
 * stays away then, so that its miss is due while the others go on: these are told of, and no other. A ping's time counts from when it
 * was to be sent, so that a control plane that stops for a moment is not measured by fewer pings.
 *
 *   npm run build && B bench/heartbeats.ts [engines, sqlite,postgres] [heartbeats, 10000] [pings/s, 500] [seconds, 60]
 *
 * A round of all must be shorter than their period of 30 seconds; seconds are at least a round, the period and the grace together, and less
 * than twice these two.
 */
const engines = (process.argv[2] ?? "sqlite,postgres").split(",") as EngineName[];
const heartbeats = Number(process.argv[3] ?? 10_000);
const perSecond = Number(process.argv[4] ?? 500);
const seconds = Number(process.argv[5] ?? 60);
const [periodSeconds, graceSeconds] = [30, 5];
const turnMs = 10;

const figures: (readonly string[])[] = [];
for (const engine of engines) figures.push(await measured(engine));
const pings = ["ping p50 ms", "p99 ms", "max ms", "answered 200", "stored", "CPU of one core", "memory MB"];
const misses = ["stayed away", "told of", "wrongly", "due → told p50 ms", "max ms"];
console.log(`\n${table([["", ...pings, ...misses], ...figures])}\n`);

async function measured(engine: EngineName): Promise<readonly string[]> {
  await using site = await Site.make(engine, 0);
  const { process: controlPlane, url } = await site.start();
  await using _controlPlane = controlPlane;
  await createHeartbeats(restOf(url, site.apiKey));
  const pool = new Pool(url, { connections: 50 });
  const times: number[] = [];
  let answered = 0;
  const ping = async (number: number, plannedMs: number): Promise<void> => {
    const { statusCode, body } = await pool.request({ method: "GET", path: `/ping/${tokenOf(number)}` });
    await body.dump();
    times.push(performance.now() - plannedMs);
    if (statusCode === 200) answered += 1;
  };
  const cpu = cpuSeconds(controlPlane.pid);
  const started = performance.now();
  const sent: Promise<void>[] = [];
  const size = Math.round((perSecond * turnMs) / 1_000);
  for (let turn = 0; turn * turnMs < seconds * 1_000; turn += 1) {
    const plannedMs = started + turn * turnMs;
    await pause(Math.max(0, plannedMs - performance.now()));
    for (let n = turn * size; n < (turn + 1) * size; n += 1)
      if (n < heartbeats || !staysAway(n % heartbeats)) sent.push(ping(n % heartbeats, plannedMs));
  }
  await Promise.all(sent);
  const used = (cpuSeconds(controlPlane.pid) - cpu) / ((performance.now() - started) / 1_000);
  await pool.close();
  const failing = (await restOf(url, site.apiKey)("GET", "/v1/check-statuses")) as readonly CheckStatus[];
  const told = new Set(failing.filter(({ hasFailures }) => hasFailures).map(({ name }) => Number(name.split(" ")[1])));
  const expected = Array.from({ length: heartbeats }, (_, number) => number).filter(staysAway);
  const { stored, delaysMs } = await storedEvents(site);
  return [
    engine,
    ...[percentile(times, 50), percentile(times, 99), Math.max(...times)].map((ms) => ms.toFixed(1)),
    `${answered} of ${sent.length}`,
    String(stored),
    `${(100 * used).toFixed(0)} %`,
    memoryMb(controlPlane.pid).peak.toFixed(0),
    String(expected.length),
    String(expected.filter((number) => told.has(number)).length),
    String([...told].filter((number) => !staysAway(number)).length),
    percentile(delaysMs, 50).toFixed(0),
    Math.max(...delaysMs).toFixed(0),
  ];
}

function staysAway(number: number): boolean {
  return number % 100 === 37;
}

function tokenOf(number: number): string {
  return uuidFrom(7, 0, number);
}

async function createHeartbeats(rest: Rest): Promise<void> {
  const timing = { period: periodSeconds, periodUnit: "seconds", grace: graceSeconds, graceUnit: "seconds" };
  const create = (number: number): Promise<unknown> =>
    rest("POST", "/v1/checks/heartbeat", { name: `heartbeat ${number}`, heartbeat: { ...timing, pingToken: tokenOf(number) } });
  for (const numbers of inTens(heartbeats)) await Promise.all(numbers.map(create));
}

/** Pings, and how long after a miss was due its alert was written. */
async function storedEvents(site: Site): Promise<{ readonly stored: number; readonly delaysMs: readonly number[] }> {
  const [pinged] = await site.ask("select count(*) as pings from heartbeat_events where state <> 0");
  const delays = await site.ask(
    "select created_at - at_ms as delay from heartbeat_events join check_alerts on check_alerts.check_id = heartbeat_events.check_id where state = 0",
  );
  return { stored: Number(pinged?.["pings"]), delaysMs: delays.map((row) => Number(row["delay"])) };
}
