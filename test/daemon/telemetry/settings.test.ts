import { describe, expect, it } from "vitest";
import { readAgentConfig } from "../../../src/agent/config.ts";
import { readControlPlaneConfig } from "../../../src/control-plane/config.ts";
import { ConfigError } from "../../../src/daemon/env.ts";
import { pairsOf } from "../../../src/daemon/telemetry/settings.ts";

const agentEnv = { API_KEY: "pl_key", API_URL: "http://127.0.0.1:3000" };
const endpoint = "http://collector:4318/base/";

function problemOf(env: Record<string, string>): string {
  try {
    readControlPlaneConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
}

describe("settings of telemetry", () => {
  it("are off without an endpoint, and where every signal is", () => {
    expect(readAgentConfig(agentEnv).collector).toBeNull();
    expect(readControlPlaneConfig({ OTEL_SERVICE_NAME: "x" }).collector).toBeNull();
    const none = { OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" };
    expect(readControlPlaneConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...none }).collector).toBeNull();
  });

  it("are the same for both processes, but for the name of the service", () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20hunter2, x-scope = a%2Cb",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=production,service.namespace=watch",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
      OTEL_LOGS_EXPORTER: "none",
    };
    const { collector: telemetry } = readAgentConfig({ ...agentEnv, ...env });
    expect(telemetry).toMatchObject({
      endpoint: "http://collector:4318/base",
      protocol: "http/protobuf",
      timeoutMs: 10_000,
      tells: { traces: true, metrics: true, logs: false },
      metricIntervalMs: 60_000,
      sampler: { name: "parentbased_traceidratio", share: 0.25 },
      serviceName: "outpost-agent",
      attributes: { "deployment.environment.name": "production", "service.namespace": "watch" },
    });
    expect(pairsOf(telemetry?.headers?.reveal() ?? "")).toEqual({ authorization: "Bearer hunter2", "x-scope": "a,b" });
    expect(JSON.stringify(telemetry)).not.toContain("hunter2");
    expect(readControlPlaneConfig(env).collector?.serviceName).toBe("outpost-control-plane");
    expect(readControlPlaneConfig({ ...env, OTEL_SERVICE_NAME: "watch" }).collector?.serviceName).toBe("watch");
  });

  it("name every bad variable at once and show no value", () => {
    const message = problemOf({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://hunter2@collector:4318",
      OTEL_EXPORTER_OTLP_HEADERS: "hunter2",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_TIMEOUT: "10s",
      OTEL_TRACES_EXPORTER: "zipkin",
      OTEL_TRACES_SAMPLER: "sometimes",
      OTEL_TRACES_SAMPLER_ARG: "2",
      OTEL_RESOURCE_ATTRIBUTES: "no pair",
      TRACE_URL_TEMPLATE: "javascript:alert({traceId})",
    });
    for (const name of [
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "OTEL_EXPORTER_OTLP_HEADERS",
      "OTEL_EXPORTER_OTLP_PROTOCOL",
      "OTEL_EXPORTER_OTLP_TIMEOUT",
      "OTEL_TRACES_EXPORTER",
      "OTEL_TRACES_SAMPLER",
      "OTEL_TRACES_SAMPLER_ARG",
      "OTEL_RESOURCE_ATTRIBUTES",
      "TRACE_URL_TEMPLATE",
    ]) {
      expect(message).toContain(`  ${name}: `);
    }
    expect(message).not.toContain("hunter2");
  });

  it.each(["a=b%0d%0ax: y", "a=b%00", "a b=c", "=b", "a=%zz"])("refuse headers that no request may carry: %s", (text) => {
    expect(pairsOf(text)).toBeNull();
  });

  it.each(["https://grafana.example.com/x", "{traceId}", "https://ok.example.com/{traceid}"])(
    "refuse %s as the address of traces",
    (template) => {
      expect(problemOf({ TRACE_URL_TEMPLATE: template })).toContain(
        "TRACE_URL_TEMPLATE: must be an http or https URL with {traceId} in it",
      );
    },
  );

  it("take hosts, domains, addresses and all as targets of traces", () => {
    const env = { ...agentEnv, OUTPOST_TRACE_TARGETS: "Shop.example.com, .internal,10.0.0.7,[::1],*" };
    expect(readAgentConfig(env).tracedHosts).toEqual(["shop.example.com", ".internal", "10.0.0.7", "[::1]", "*"]);
    expect(() => readAgentConfig({ ...agentEnv, OUTPOST_TRACE_TARGETS: "https://shop.example.com" })).toThrow(
      /OUTPOST_TRACE_TARGETS: must be/,
    );
  });
});
