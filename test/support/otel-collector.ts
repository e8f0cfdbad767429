import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toolsFolder } from "./chart-tools.ts";
import { freePort } from "./free-ports.ts";
import { untilListening } from "./listening.ts";
import { type OtlpReceiver, otlpReceiver } from "./otlp-receiver.ts";

/** A real OpenTelemetry collector on loopback. What it took and understood it tells on, as OTLP/JSON of its own writing. */
export interface OtelCollector extends AsyncDisposable, Pick<OtlpReceiver, "endpoint" | "spans" | "metrics" | "lines"> {}

/** The version that `.ci/otel-collector` builds. */
function program(): string {
  const versions = readFileSync(join(import.meta.dirname, "../../.ci/otel-collector.versions"), "utf8");
  const version = /^OTEL_COLLECTOR=(\S+)$/m.exec(versions)?.[1];
  if (version === undefined) throw new Error(".ci/otel-collector.versions does not name a version of the collector");
  return join(toolsFolder(), `otel-collector-${version}`, "otelcol");
}

/** Whether tests with a collector can run; why not is printed once. */
export function hasOtelCollector(): boolean {
  const path = program();
  if (existsSync(path)) return true;
  process.stdout.write(
    `Tests with an OpenTelemetry collector are skipped: ${path} is not there. Run .ci/otel-collector (needs Go) to build it.\n`,
  );
  return false;
}

export async function startOtelCollector(): Promise<OtelCollector> {
  const told = await otlpReceiver();
  const folder = mkdtempSync(join(tmpdir(), "outpost-collector-"));
  const port = await freePort();
  const exporter = { endpoint: told.endpoint, encoding: "json", compression: "none", sending_queue: { enabled: false } };
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { otlp_http: exporter },
    service: {
      telemetry: { metrics: { level: "none" } },
      pipelines: Object.fromEntries(
        ["traces", "metrics", "logs"].map((signal) => [signal, { receivers: ["otlp"], exporters: ["otlp_http"] }]),
      ),
    },
  };
  const file = join(folder, "config.yaml");
  writeFileSync(file, JSON.stringify(config)); // which is YAML, too
  const child = spawn(program(), ["--config", `file:${file}`], { stdio: ["ignore", "ignore", "pipe"], env: { PATH: "/usr/bin:/bin" } });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await Promise.race([
    untilListening(port),
    once(child, "exit").then(() => {
      throw new Error(`the collector ended:\n${said}`);
    }),
  ]);
  return {
    ...told,
    endpoint: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
      await told[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
