import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { noBind, startBind } from "../test/support/bind.ts";
import { FakeControlPlane, fakeJob } from "../test/support/fake-control-plane.ts";
import { freePort } from "../test/support/free-ports.ts";
import { startNginx } from "../test/support/nginx.ts";
import { Child, cpuSeconds, percentile, readyAgent, table, untilOk } from "./support/processes.ts";

/**
 * What a check of each light type costs the agent with its whole pipeline on (leased, run, assertions, scrub, outbox, upload), beside the
 * bare probe of blackbox_exporter on the same target in the same run. CPU is each process's own; medians of the rounds.
 *
 *   npm run build && B bench/probes.ts [types, HTTP,HTTPS,TCP,DNS,ICMP] [checks a round, 4000] [rounds, 5] [concurrency, 100]
 */
const [wanted = "HTTP,HTTPS,TCP,DNS,ICMP", ...numbers] = process.argv.slice(2);
const [checks = 4_000, rounds = 5, concurrency = 100] = numbers.map(Number);
const run = promisify(execFile); // not the Sync kind: the fake control plane lives in this process and must go on answering
const blackboxPath = "/usr/bin/prometheus-blackbox-exporter";
for (const path of [blackboxPath, "/usr/bin/wrk"]) {
  if (!existsSync(path)) throw new Error(`${path} is not installed (Debian: prometheus-blackbox-exporter, wrk, bind9)`);
}
if (noBind !== null) throw new Error(`no name server: ${noBind}`);

const folder = mkdtempSync(join(tmpdir(), "outpost-probes-"));
await using nginx = await startNginx();
await using named = await startBind();
const limits = { degradedResponseTime: 5_000, maxResponseTime: 5_000 };
const caFile = join(folder, "ca.pem");
writeFileSync(caFile, nginx.certificates.ca);
const httpAssertions = [
  { source: "STATUS_CODE", comparison: "EQUALS", target: "200" },
  { source: "HEADERS", property: "content-type", comparison: "CONTAINS", target: "text" },
  { source: "TEXT_BODY", comparison: "CONTAINS", target: "nginx" },
];
const http = (url: string) => ({
  checkType: "API",
  target: url,
  settings: { request: { method: "GET", url, assertions: httpAssertions }, ...limits },
});
const probes: Record<string, { checkType: string; target: string; module: string; aim: number; settings: unknown }> = {
  HTTP: { ...http(`http://127.0.0.1:${nginx.httpPort}/`), module: "http", aim: 0.5 },
  HTTPS: { ...http(`https://localhost:${nginx.tlsPorts.good}/`), module: "https", aim: 0.9 },
  TCP: {
    checkType: "TCP",
    target: `127.0.0.1:${nginx.httpPort}`,
    module: "tcp",
    aim: 0.5,
    settings: {
      request: {
        hostname: "127.0.0.1",
        port: nginx.httpPort,
        assertions: [{ source: "RESPONSE_TIME", comparison: "LESS_THAN", target: "1000" }],
      },
      ...limits,
    },
  },
  DNS: {
    checkType: "DNS",
    target: `127.0.0.1:${named.port}`,
    module: "dns",
    aim: 0.3,
    settings: {
      request: {
        query: "www.example.test",
        recordType: "A",
        nameServer: "127.0.0.1",
        port: named.port,
        assertions: [{ source: "RESPONSE_CODE", comparison: "EQUALS", target: "NOERROR" }],
      },
      ...limits,
    },
  },
  ICMP: {
    checkType: "ICMP",
    target: "127.0.0.1",
    module: "icmp",
    aim: 0.3,
    settings: {
      request: {
        hostname: "127.0.0.1",
        pingCount: 1,
        assertions: [{ source: "LATENCY", property: "avg", comparison: "LESS_THAN", target: "1000" }],
      },
      degradedPacketLossThreshold: 10,
      maxPacketLossThreshold: 20,
    },
  },
};

await using controlPlane = await FakeControlPlane.start();
await using agent = await readyAgent(controlPlane, {
  DATA_DIR: join(folder, "data"),
  JOB_CONCURRENCY: String(concurrency),
  NODE_EXTRA_CA_CERTS: caFile,
});
const exporterPort = await freePort();
const exporterConfig = join(folder, "blackbox.yml");
writeFileSync(
  exporterConfig,
  JSON.stringify({
    modules: {
      http: { prober: "http", http: { preferred_ip_protocol: "ip4" } },
      https: { prober: "http", http: { preferred_ip_protocol: "ip4", tls_config: { ca_file: caFile } } },
      tcp: { prober: "tcp", tcp: { preferred_ip_protocol: "ip4" } },
      dns: { prober: "dns", dns: { query_name: "www.example.test", query_type: "A", preferred_ip_protocol: "ip4" } },
      icmp: { prober: "icmp", icmp: { preferred_ip_protocol: "ip4" } },
    },
  }),
);
await using exporter = new Child(blackboxPath, [
  `--config.file=${exporterConfig}`,
  `--web.listen-address=127.0.0.1:${exporterPort}`,
  "--log.level=error",
]);
await untilOk(`http://127.0.0.1:${exporterPort}/-/healthy`);

const rows: string[][] = [["", "agent: CPU us a check", "checks/s", "blackbox_exporter: CPU us", "probes/s", "ratio", "aim"]];
for (const name of wanted.split(",")) {
  const probe = probes[name];
  if (probe === undefined) throw new Error(`no such probe: ${name}`);
  await agentRound(probe);
  await blackboxRound(probe, 1);
  const seen: { agent: Cost; blackbox: Cost }[] = [];
  for (let round = 0; round < rounds; round += 1) seen.push({ agent: await agentRound(probe), blackbox: await blackboxRound(probe, 2) });
  const middle = (of: (round: (typeof seen)[number]) => number): number => percentile(seen.map(of), 50);
  rows.push([
    name,
    middle(({ agent: cost }) => cost.cpuUs).toFixed(0),
    middle(({ agent: cost }) => cost.perSecond).toFixed(0),
    middle(({ blackbox }) => blackbox.cpuUs).toFixed(0),
    middle(({ blackbox }) => blackbox.perSecond).toFixed(0),
    middle((round) => round.agent.cpuUs / round.blackbox.cpuUs).toFixed(2),
    `≤ ${probe.aim}`,
  ]);
}
console.log(`\n${table(rows)}\n\n${rounds} rounds of ${checks} checks, concurrency ${concurrency}`);
rmSync(folder, { recursive: true, force: true });

interface Cost {
  readonly cpuUs: number;
  readonly perSecond: number;
}

async function agentRound(probe: { checkType: string; settings: unknown }): Promise<Cost> {
  const goal = controlPlane.reports.length + checks;
  const before = { cpu: cpuSeconds(agent.pid), at: performance.now() };
  const { checkType, settings } = probe;
  controlPlane.enqueue(...Array.from({ length: checks }, () => fakeJob("", { checkType, settings })));
  await controlPlane.until(() => controlPlane.reports.length >= goal, 120_000);
  const failed = controlPlane.reports.find((report) => report.hasFailures);
  if (failed !== undefined) throw new Error(`a check failed: ${failed.errorMessage}`);
  return { cpuUs: ((cpuSeconds(agent.pid) - before.cpu) / checks) * 1e6, perSecond: checks / ((performance.now() - before.at) / 1000) };
}

async function blackboxRound({ module, target }: { module: string; target: string }, seconds: number): Promise<Cost> {
  const url = `http://127.0.0.1:${exporterPort}/probe?module=${module}&target=${encodeURIComponent(target)}`;
  const answer = await (await fetch(url)).text();
  if (!answer.includes("probe_success 1")) throw new Error(`blackbox_exporter's probe ${module} of ${target} fails`);
  const before = cpuSeconds(exporter.pid);
  const { stdout } = await run("/usr/bin/wrk", ["-t1", `-c${concurrency}`, `-d${seconds}s`, url]);
  const made = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? Number.NaN);
  return { cpuUs: ((cpuSeconds(exporter.pid) - before) / made) * 1e6, perSecond: made / seconds };
}
