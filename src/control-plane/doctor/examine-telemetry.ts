import { askCollector } from "#daemon/telemetry/ask-collector.ts";
import type { ControlPlaneConfig } from "../config.ts";
import { wayToCollector } from "../outgoing/way-to-collector.ts";
import type { Examined } from "./finding.ts";

const about = "telemetry";

/** Whether the OpenTelemetry collector takes what this control plane would tell it. */
export async function examineTelemetry(
  { collector: telemetry, proxies }: Pick<ControlPlaneConfig, "collector" | "proxies">,
  signal: AbortSignal,
): Promise<Examined> {
  if (telemetry === null)
    return { findings: [{ about, verdict: "ok", text: "no collector is told anything (OTEL_EXPORTER_OTLP_ENDPOINT)" }] };
  const answer = await askCollector(telemetry, wayToCollector({ proxies }, Date.now), signal);
  if ("taken" in answer)
    return { findings: [{ about, verdict: "ok", text: `the collector at ${telemetry.endpoint} takes ${answer.taken.join(", ")}` }] };
  const next = "check OTEL_EXPORTER_OTLP_ENDPOINT, its headers, the firewall, HTTPS_PROXY and NO_PROXY, and NODE_EXTRA_CA_CERTS";
  return {
    findings: [{ about, verdict: "warn", text: `the collector at ${telemetry.endpoint} does not take it: ${answer.trouble}`, next }],
  };
}
