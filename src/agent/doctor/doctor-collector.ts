import { ConfigError } from "#daemon/env.ts";
import { askCollector } from "#daemon/telemetry/ask-collector.ts";
import type { AgentConfig } from "../config.ts";
import { wayToCollector } from "../contact/way-to-collector.ts";
import { readExtraCas } from "../host/extra-ca.ts";
import type { Finding } from "./finding.ts";

const about = "telemetry";

/** Whether the OpenTelemetry collector takes what this agent would tell it. */
export async function diagnoseCollector(config: AgentConfig, signal: AbortSignal): Promise<Finding> {
  const { collector: telemetry } = config;
  if (telemetry === null) return { about, verdict: "ok", text: "no collector is told anything (OTEL_EXPORTER_OTLP_ENDPOINT)" };
  const extraCas = readableCas(config.extraCaPath);
  const answer = await askCollector(telemetry, wayToCollector(config, { extraCas: () => extraCas }), signal);
  if ("taken" in answer) return { about, verdict: "ok", text: `the collector at ${telemetry.endpoint} takes ${answer.taken.join(", ")}` };
  const next = "check OTEL_EXPORTER_OTLP_ENDPOINT, its headers, the firewall, HTTPS_PROXY and NO_PROXY, and NODE_EXTRA_CA_CERTS";
  return { about, verdict: "warn", text: `the collector at ${telemetry.endpoint} does not take it: ${answer.trouble}`, next };
}

/** None where they cannot be read, as the finding about them says. */
function readableCas(path: string | null): readonly string[] {
  try {
    return readExtraCas(path);
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
}
