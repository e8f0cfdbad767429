import { execFile } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { FakeControlPlane, fakeJob } from "../test/support/fake-control-plane.ts";
import { freePort } from "../test/support/free-ports.ts";
import { startNginx } from "../test/support/nginx.ts";
import { Child, cpuSeconds, memoryMb, nodeFlags, percentile, readyAgent, table, untilOk } from "./support/processes.ts";

/**
 * What a check costs the agent: leased, run on a fresh connection with all phases, judged by 3 assertions, scrubbed,
 * written to the outbox, uploaded. Beside it, round by round and against the same nginx, the bare probe of
 * blackbox_exporter and the plainest undici loop. CPU is each process's own, user and system; medians of the rounds.
 *
 *   npm run build && node --conditions=source bench/agent.ts [checks a round, 6000] [rounds, 7] [concurrency, 100]
 */
const [checks = 6_000, rounds = 7, concurrency = 100] = process.argv.slice(2).map(Number);
const run = promisify(execFile); // not the Sync kind: the fake control plane lives in this process and must go on answering
const blackboxPath = "/usr/bin/prometheus-blackbox-exporter";

await using nginx = await startNginx();
const target = `http://127.0.0.1:${nginx.httpPort}/`;
const settings = {
  request: {
    method: "GET",
    url: target,
    headers: [{ key: "authorization", value: "Bearer 3f1c9a7be0d24e5c", locked: true }],
    assertions: [
      { source: "STATUS_CODE", comparison: "EQUALS", target: "200" },
      { source: "HEADERS", property: "content-type", comparison: "CONTAINS", target: "text" },
      { source: "TEXT_BODY", comparison: "CONTAINS", target: "nginx" },
    ],
  },
  degradedResponseTime: 5_000,
  maxResponseTime: 20_000,
};
await using controlPlane = await FakeControlPlane.start();
await using agent = await readyAgent(controlPlane, {
  DATA_DIR: mkdtempSync(join(tmpdir(), "outpost-bench-")),
  JOB_CONCURRENCY: String(concurrency),
});
await pause(5_000);
const idleMb = memoryMb(agent.pid).now;
const exporterPort = await freePort();
await using exporter = hasBlackbox()
  ? new Child(blackboxPath, [
      "--config.file=/etc/prometheus/blackbox.yml",
      `--web.listen-address=127.0.0.1:${exporterPort}`,
      "--log.level=error",
    ])
  : null;
if (exporter !== null) await untilOk(`http://127.0.0.1:${exporterPort}/-/healthy`);

await agentRound(); // warms up
if (exporter !== null) await blackboxRound(exporter, 1);
const seen: { agent: number; undici: number; blackbox: number; perSecond: number }[] = [];
for (let round = 0; round < rounds; round += 1) {
  const { cpuUs, perSecond } = await agentRound();
  seen.push({
    agent: cpuUs,
    perSecond,
    undici: await bareUndici(),
    blackbox: exporter === null ? Number.NaN : await blackboxRound(exporter, 2),
  });
}

const middle = (of: (round: (typeof seen)[number]) => number): number => percentile(seen.map(of), 50);
const row = (name: string, cpuUs: number, ratio: number): string[] => [name, cpuUs.toFixed(0), (1e6 / cpuUs).toFixed(0), ratio.toFixed(2)];
console.log(
  `\n${table([
    ["", "CPU us per check", "checks/s per core", "agent / this"],
    row(
      "Outpost agent, whole check",
      middle((round) => round.agent),
      1,
    ),
    row(
      "bare undici loop, fresh connections",
      middle((round) => round.undici),
      middle((round) => round.agent / round.undici),
    ),
    ...(exporter === null
      ? []
      : [
          row(
            "blackbox_exporter, bare HTTP probe",
            middle((round) => round.blackbox),
            middle((round) => round.agent / round.blackbox),
          ),
        ]),
  ])}\n`,
);
console.log(`agent: ${rounds} rounds of ${checks} checks, concurrency ${concurrency}, ${middle((round) => round.perSecond).toFixed(0)}/s`);
console.log(
  `memory: idle ${idleMb.toFixed(0)} MB, loaded ${memoryMb(agent.pid).now.toFixed(0)} MB, peak ${memoryMb(agent.pid).peak.toFixed(0)} MB`,
);
if (exporter === null) console.log("blackbox_exporter or wrk is not installed here (Debian: prometheus-blackbox-exporter, wrk): left out");

async function agentRound(): Promise<{ cpuUs: number; perSecond: number }> {
  const goal = controlPlane.reports.length + checks;
  const before = { cpu: cpuSeconds(agent.pid), at: performance.now() };
  controlPlane.enqueue(...Array.from({ length: checks }, () => fakeJob(target, { settings })));
  await controlPlane.until(() => controlPlane.reports.length >= goal, 120_000);
  const failed = controlPlane.reports.find((report) => report.hasFailures);
  if (failed !== undefined) throw new Error(`a check failed: ${failed.errorMessage}`);
  const seconds = (performance.now() - before.at) / 1000;
  return { cpuUs: ((cpuSeconds(agent.pid) - before.cpu) / checks) * 1e6, perSecond: checks / seconds };
}

async function bareUndici(): Promise<number> {
  const args = [...nodeFlags, new URL("support/bare-undici.ts", import.meta.url).pathname, target, String(checks), String(concurrency)];
  const { stdout } = await run(process.execPath, args);
  return (Number(stdout) / checks) * 1e6;
}

function hasBlackbox(): boolean {
  return existsSync(blackboxPath) && existsSync("/usr/bin/wrk");
}

async function blackboxRound(child: Child, seconds: number): Promise<number> {
  const probe = `http://127.0.0.1:${exporterPort}/probe?module=http_2xx&target=${encodeURIComponent(target)}`;
  const before = cpuSeconds(child.pid);
  const { stdout } = await run("/usr/bin/wrk", ["-t1", `-c${concurrency}`, `-d${seconds}s`, probe]);
  const probes = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? Number.NaN);
  return ((cpuSeconds(child.pid) - before) / probes) * 1e6;
}
