import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { AttemptReport } from "#contract/agent-protocol.ts";
import { noBind, startBind } from "../test/support/bind.ts";
import { FakeControlPlane, fakeJob } from "../test/support/fake-control-plane.ts";
import { freePort } from "../test/support/free-ports.ts";
import { networkNamespace, noNamespaces } from "../test/support/namespace.ts";
import { startNginx } from "../test/support/nginx.ts";
import { percentile, readyAgent, script, table, untilOk } from "./support/processes.ts";

/**
 * How true the agent's times are: each beside the system's own tool on the same target in the same run, tool and agent taking turns.
 * `alone` runs one check at a time, `together` 100 at once. Differences are the agent's percentile less the tool's.
 *
 *   npm run build && B bench/truth.ts [runs, 200]
 */
const runs = Number(process.argv[2] ?? 200);
const atOnce = 100;
const run = promisify(execFile);
for (const path of ["/usr/bin/curl", "/usr/bin/dig", "/usr/bin/ping", "/usr/bin/fping"]) {
  if (!existsSync(path)) throw new Error(`${path} is not installed (Debian: curl, bind9-dnsutils, iputils-ping, fping, bind9)`);
}
if (noBind !== null) throw new Error(`no name server: ${noBind}`);
if (noNamespaces !== null) throw new Error(`no namespace for the pings: ${noNamespaces}`);

const folder = mkdtempSync(join(tmpdir(), "outpost-truth-"));
const delayedPort = await freePort();
await using _delayed = script("delayed-target.ts", [String(delayedPort), "50"]);
await using nginx = await startNginx();
await using host = await networkNamespace();
await using named = await startBind();
const caFile = join(folder, "ca.pem");
writeFileSync(caFile, nginx.certificates.ca);
await using controlPlane = await FakeControlPlane.start();
await using _agent = await readyAgent(controlPlane, {
  DATA_DIR: join(folder, "data"),
  JOB_CONCURRENCY: "100",
  NODE_EXTRA_CA_CERTS: caFile,
});
await untilOk(`http://127.0.0.1:${delayedPort}/`);

const limits = { degradedResponseTime: 5_000, maxResponseTime: 5_000 };
const get = (url: string) => ({ checkType: "API", settings: { request: { method: "GET", url }, ...limits } });
const slowUrl = `http://127.0.0.1:${delayedPort}/`;
const tlsUrl = `https://localhost:${nginx.tlsPorts.good}/`;
const question = { query: "www.example.test", recordType: "A", nameServer: "127.0.0.1", port: named.port };
const pings = { hostname: host.inside.ipv4, pingCount: 5 };

/** Milliseconds by the name of the phase. */
type Sample = Readonly<Record<string, number>>;
interface Instrument {
  readonly tool: string;
  readonly asked: () => Promise<Sample[]>;
  readonly check: { readonly checkType: string; readonly settings: unknown };
  readonly read: (report: AttemptReport) => Sample[];
  readonly runs: number;
}

const instruments: Instrument[] = [
  {
    tool: "curl, 50 ms target",
    asked: () => curl(slowUrl),
    check: get(slowUrl),
    read: httpPhases(["connect", "firstByte", "total"]),
    runs,
  },
  { tool: "curl, TLS", asked: () => curl(tlsUrl), check: get(tlsUrl), read: httpPhases(["connect", "tls", "firstByte", "total"]), runs },
  {
    tool: "dig",
    asked: dig,
    check: { checkType: "DNS", settings: { request: question, ...limits } },
    read: ({ metrics }) => [{ query: metrics["total"] ?? Number.NaN }],
    runs,
  },
  { tool: "ping", asked: ping, check: icmp(), read: roundTrips, runs: Math.ceil(runs / 10) },
  { tool: "fping", asked: fping, check: icmp(), read: roundTrips, runs: Math.ceil(runs / 10) },
];

const rows = [["", "phase", "tool p50 / p99 ms", "alone p50 / p99", "difference", `${atOnce} at once p50 / p99`, "difference"]];
for (const instrument of instruments) rows.push(...(await held(instrument)));
console.log(`\n${table(rows)}\n`);
rmSync(folder, { recursive: true, force: true });

async function held({ tool, asked, check, read, runs: count }: Instrument): Promise<string[][]> {
  await checks(check, atOnce); // warms up
  const fromTool: Sample[] = [];
  const alone: Sample[] = [];
  const together: Sample[] = [];
  for (let n = 0; n < count; n += 1) {
    fromTool.push(...(await asked()));
    await pause(30); // the upload of the one before is over then
    alone.push(...(await checks(check, 1)).flatMap(read));
  }
  for (let n = 0; n < Math.max(2, count / 50); n += 1) together.push(...(await checks(check, atOnce)).flatMap(read));
  return Object.keys(fromTool[0] ?? {}).map((phase) => {
    const of = (samples: readonly Sample[], rank: number): number =>
      percentile(
        samples.map((sample) => sample[phase] ?? Number.NaN),
        rank,
      );
    const pair = (samples: readonly Sample[]): string => `${of(samples, 50).toFixed(2)} / ${of(samples, 99).toFixed(2)}`;
    const less = (samples: readonly Sample[]): string =>
      [50, 99].map((rank) => (of(samples, rank) - of(fromTool, rank)).toFixed(2)).join(" / ");
    return [tool, phase, pair(fromTool), pair(alone), less(alone), pair(together), less(together)];
  });
}

async function checks({ checkType, settings }: Instrument["check"], count: number): Promise<AttemptReport[]> {
  const before = controlPlane.reports.length;
  controlPlane.enqueue(...Array.from({ length: count }, () => fakeJob("", { checkType, settings })));
  await controlPlane.until(() => controlPlane.reports.length >= before + count, 60_000);
  const made = controlPlane.reports.slice(before);
  const failed = made.find(({ hasFailures }) => hasFailures);
  if (failed !== undefined) throw new Error(`a check failed: ${failed.errorMessage}`);
  return made;
}

async function curl(url: string): Promise<Sample[]> {
  const format = "%{time_namelookup} %{time_connect} %{time_appconnect} %{time_starttransfer} %{time_total}";
  const { stdout } = await run("/usr/bin/curl", ["-4", "-s", "-o", "/dev/null", "--cacert", caFile, "-w", format, url]);
  const [lookup = 0, connect = 0, secure = 0, first = 0, total = 0] = stdout.split(" ").map((seconds) => Number(seconds) * 1000);
  const secured = Math.max(connect, secure);
  const tls = secure > 0 ? { tls: secure - connect } : {};
  return [{ connect: connect - lookup, ...tls, firstByte: first - secured, total }];
}

function httpPhases(phases: readonly string[]): Instrument["read"] {
  return ({ metrics, responseTimeMs }) => {
    const all: Sample = {
      connect: metrics["tcp"] ?? 0,
      tls: metrics["tls"] ?? 0,
      firstByte: metrics["firstByte"] ?? 0,
      total: responseTimeMs,
    };
    return [Object.fromEntries(phases.map((phase) => [phase, all[phase] ?? Number.NaN]))];
  };
}

async function dig(): Promise<Sample[]> {
  const { stdout } = await run("/usr/bin/dig", ["-u", "@127.0.0.1", "-p", String(named.port), "www.example.test", "A"]);
  return [{ query: Number(/Query time: (\d+) usec/.exec(stdout)?.[1]) / 1000 }];
}

function icmp(): Instrument["check"] {
  return {
    checkType: "ICMP",
    settings: { request: pings, degradedPacketLossThreshold: 50, maxPacketLossThreshold: 50 },
  };
}

function roundTrips({ detail }: AttemptReport): Sample[] {
  const { response } = detail as { response: { pingResults: { rtt: number | null }[] } };
  return response.pingResults.flatMap(({ rtt }) => (rtt === null ? [] : [{ roundTrip: rtt }]));
}

async function ping(): Promise<Sample[]> {
  const { stdout } = await run("/usr/bin/ping", ["-n", "-c", "5", "-i", "0.5", host.inside.ipv4]);
  return [...stdout.matchAll(/time=([\d.]+) ms/g)].map(([, ms]) => ({ roundTrip: Number(ms) }));
}

async function fping(): Promise<Sample[]> {
  const { stderr } = await run("/usr/bin/fping", ["-q", "-C", "5", "-p", "500", host.inside.ipv4]);
  return (stderr.split(":")[1] ?? "")
    .trim()
    .split(/\s+/)
    .map((ms) => ({ roundTrip: Number(ms) }));
}
