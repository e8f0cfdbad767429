import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../../test/support/free-ports.ts";
import { Child, untilOk } from "../processes.ts";
import { type Load, type Pipeline, pidOf } from "./measured-site.ts";

const prometheusPath = "/usr/bin/prometheus";
const exporterPath = "/usr/bin/prometheus-blackbox-exporter";

/** Why it cannot run here, or null. */
export const noPrometheus: string | null = [prometheusPath, exporterPath].every((path) => existsSync(path))
  ? null
  : "prometheus and prometheus-blackbox-exporter are not installed (Debian packages of these names)";

/** Prometheus that has blackbox_exporter look at each check's target, body matched, and keeps what comes of it. */
export async function prometheusSite({ checks, periodSeconds, url }: Load): Promise<Pipeline> {
  const folder = mkdtempSync(join(tmpdir(), "outpost-prometheus-"));
  const [port, exporterPort] = [await freePort(), await freePort()];
  const data = join(folder, "data");
  writeFileSync(join(folder, "blackbox.yml"), blackboxConfig);
  writeFileSync(join(folder, "targets.json"), JSON.stringify([{ targets: targetsOf(url, checks) }]));
  writeFileSync(join(folder, "prometheus.yml"), prometheusConfig(periodSeconds, exporterPort, join(folder, "targets.json")));
  const exporter = new Child(exporterPath, [
    `--config.file=${join(folder, "blackbox.yml")}`,
    `--web.listen-address=127.0.0.1:${exporterPort}`,
    "--log.level=error",
  ]);
  const prometheus = new Child(prometheusPath, [
    `--config.file=${join(folder, "prometheus.yml")}`,
    `--storage.tsdb.path=${data}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--log.level=error",
  ]);
  await untilOk(`http://127.0.0.1:${exporterPort}/-/healthy`);
  await untilOk(`http://127.0.0.1:${port}/-/ready`, 60_000);
  return {
    processes: { prober: pidOf(exporter), scheduler: pidOf(prometheus) },
    settled: () => pause(periodSeconds * 1_000),
    diskBytes: async () => folderBytes(data),
    async runs(fromMs, toMs) {
      const seconds = Math.round((toMs - fromMs) / 1_000);
      const query = `sum(count_over_time(probe_success[${seconds}s]))`;
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}&time=${toMs / 1_000}`);
      const { data: found } = (await answer.json()) as { data: { result: { value: [number, string] }[] } };
      return { count: Number(found.result[0]?.value[1] ?? Number.NaN) };
    },
    async [Symbol.asyncDispose]() {
      await prometheus[Symbol.asyncDispose]();
      await exporter[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Addresses of one target that differ, as Prometheus keeps one series for each. */
function targetsOf(url: string, checks: number): readonly string[] {
  return Array.from({ length: checks }, (_, number) => `${url}?check=${number}`);
}

const blackboxConfig = `modules:
  http_2xx:
    prober: http
    timeout: 5s
    http:
      preferred_ip_protocol: ip4
      fail_if_body_not_matches_regexp: [nginx]
`;

function prometheusConfig(periodSeconds: number, exporterPort: number, targets: string): string {
  return `global: { scrape_interval: ${periodSeconds}s, scrape_timeout: ${Math.min(periodSeconds, 10)}s }
scrape_configs:
  - job_name: blackbox
    metrics_path: /probe
    params: { module: [http_2xx] }
    file_sd_configs: [{ files: [${targets}] }]
    relabel_configs:
      - { source_labels: [__address__], target_label: __param_target }
      - { source_labels: [__param_target], target_label: instance }
      - { target_label: __address__, replacement: "127.0.0.1:${exporterPort}" }
`;
}

export function folderBytes(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
