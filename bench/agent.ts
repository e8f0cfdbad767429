import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { FakeControlPlane, fakeJob } from "../test/support/fake-control-plane.ts";
import { startNginx } from "../test/support/nginx.ts";
import { Child, cpuSeconds, freePort, memoryMb, nodeFlags, outpost, table, untilOk } from "./support/processes.ts";

/**
 * What a check costs the agent: leased, run on a fresh connection with all phases, judged by 3 assertions, scrubbed,
 * written to the outbox, uploaded. Beside it, in the same run and against the same nginx, the bare probe of
 * blackbox_exporter and the plainest undici loop. CPU is each process's own, user and system.
 *
 *   node --conditions=source bench/agent.ts [checks, 30000] [concurrency, 100]
 */
const checks = Number(process.argv[2] ?? 30_000);
const concurrency = Number(process.argv[3] ?? 100);
const warmUp = Math.ceil(checks / 5);

await using nginx = await startNginx();
const target = `http://127.0.0.1:${nginx.httpPort}/`;
const agent = await measureAgent();
const undici = bareUndici();
const blackbox = await measureBlackbox();

const rows = [
  ["", "CPU us per check", "checks/s per core", "ratio to the agent"],
  row("Outpost agent, whole check", agent.cpuUs),
  row("bare undici loop, fresh connections", undici),
  ...(blackbox === null ? [] : [row("blackbox_exporter, bare HTTP probe", blackbox)]),
];
console.log(`\n${table(rows)}\n`);
console.log(`agent: ${checks} checks at concurrency ${concurrency}, ${agent.perSecond.toFixed(0)}/s on this machine's cores; memory idle ${agent.idleMb.toFixed(0)} MB, loaded ${agent.loadedMb.toFixed(0)} MB (peak)`);
if (blackbox === null) console.log("blackbox_exporter is not installed here (Debian: prometheus-blackbox-exporter): left out");

function row(name: string, cpuUs: number): string[] {
  return [name, cpuUs.toFixed(0), (1e6 / cpuUs).toFixed(0), (cpuUs / agent.cpuUs).toFixed(2)];
}

async function measureAgent(): Promise<{ cpuUs: number; perSecond: number; idleMb: number; loadedMb: number }> {
  await using controlPlane = await FakeControlPlane.start();
  const folder = mkdtempSync(join(tmpdir(), "outpost-bench-"));
  const health = await freePort();
  {
    await using process = outpost("agent", {
      API_KEY: controlPlane.key,
      API_URL: controlPlane.url.href,
      AGENT_HEALTH_PORT: String(health),
      DATA_DIR: folder,
      JOB_CONCURRENCY: String(concurrency),
      LOG_LEVEL: "WARN",
    });
    await untilOk(`http://127.0.0.1:${health}/-/readiness`);
    await pause(5_000);
    const idleMb = memoryMb(process.pid).now;
    const assertions = [
      { source: "STATUS_CODE", comparison: "EQUALS", target: "200" },
      { source: "HEADERS", property: "content-type", comparison: "CONTAINS", target: "text" },
      { source: "TEXT_BODY", comparison: "CONTAINS", target: "nginx" },
    ];
    const headers = [{ key: "authorization", value: "Bearer 3f1c9a7be0d24e5c", locked: true }];
    const settings = { request: { method: "GET", url: target, assertions, headers }, degradedResponseTime: 5_000, maxResponseTime: 20_000 };
    const run = async (count: number): Promise<void> => {
      const goal = controlPlane.reports.length + count;
      controlPlane.enqueue(...Array.from({ length: count }, () => fakeJob(target, { settings })));
      await controlPlane.until(() => controlPlane.reports.length >= goal, 120_000);
    };
    await run(warmUp);
    const before = { cpu: cpuSeconds(process.pid), at: performance.now() };
    await run(checks);
    const used = cpuSeconds(process.pid) - before.cpu;
    const failed = controlPlane.reports.filter((report) => report.hasFailures);
    if (failed.length > 0) throw new Error(`${failed.length} checks failed, the first with: ${failed[0]?.errorMessage}`);
    const perSecond = checks / ((performance.now() - before.at) / 1000);
    return { cpuUs: cpuUsOf(used, checks), perSecond, idleMb, loadedMb: memoryMb(process.pid).peak };
  }
}

function cpuUsOf(seconds: number, count: number): number {
  return (seconds / count) * 1e6;
}

function bareUndici(): number {
  const args = [...nodeFlags, new URL("support/bare-undici.ts", import.meta.url).pathname, target, String(checks), String(concurrency)];
  return cpuUsOf(Number(execFileSync(process.execPath, args, { encoding: "utf8" })), checks);
}

async function measureBlackbox(): Promise<number | null> {
  const program = "/usr/bin/prometheus-blackbox-exporter";
  if (!existsSync(program) || !existsSync("/usr/bin/wrk")) return null;
  const port = await freePort();
  await using exporter = new Child(program, ["--config.file=/etc/prometheus/blackbox.yml", `--web.listen-address=127.0.0.1:${port}`, "--log.level=error"]);
  await untilOk(`http://127.0.0.1:${port}/-/healthy`);
  const probe = `http://127.0.0.1:${port}/probe?module=http_2xx&target=${encodeURIComponent(target)}`;
  const load = (seconds: number): number => {
    const output = execFileSync("/usr/bin/wrk", ["-t1", `-c${concurrency}`, `-d${seconds}s`, probe], { encoding: "utf8" });
    return Number(/(\d+) requests in/.exec(output)?.[1] ?? Number.NaN);
  };
  load(2);
  const before = cpuSeconds(exporter.pid);
  const probes = load(10);
  return cpuUsOf(cpuSeconds(exporter.pid) - before, probes);
}
