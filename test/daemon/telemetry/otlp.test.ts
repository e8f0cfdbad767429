import { randomBytes } from "node:crypto";
import { Counter, Gauge, Histogram } from "prom-client";
import { describe, expect, it } from "vitest";
import { wayToCollector } from "../../../src/control-plane/outgoing/way-to-collector.ts";
import { createRegistry } from "../../../src/daemon/exposition.ts";
import { noProxies } from "../../../src/daemon/proxy.ts";
import { Secret } from "../../../src/daemon/secret.ts";
import { loadTelemetry } from "../../../src/daemon/telemetry/load-telemetry.ts";
import type { TelemetrySettings } from "../../../src/daemon/telemetry/settings.ts";
import type { Span } from "../../../src/daemon/telemetry/telemetry.ts";
import { freePort } from "../../support/free-ports.ts";
import { attributeOf, type OtlpReceiver, otlpReceiver } from "../../support/otlp-receiver.ts";

const settingsOf = (endpoint: string, more: Partial<TelemetrySettings> = {}): TelemetrySettings => ({
  endpoint,
  headers: new Secret("x-key=hunter2"),
  protocol: "http/json",
  timeoutMs: 2_000,
  tells: { traces: true, metrics: true, logs: true },
  metricIntervalMs: 60_000,
  sampler: { name: "parentbased_always_on", share: 1 },
  serviceName: "under-test",
  attributes: { "deployment.environment.name": "test" },
  ...more,
});

const spanOf = (more: Partial<Span> = {}): Span => ({
  name: "outpost.run",
  kind: "consumer",
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: randomBytes(8).toString("hex"),
  parentId: null,
  startMs: 1_700_000_000_000.25,
  endMs: 1_700_000_000_001.5,
  attributes: { "outpost.attempt": 1, "outpost.verdict": "failed", nothing: undefined },
  error: "it failed",
  ...more,
});

function logged() {
  const lines: { readonly msg: string; readonly about: object }[] = [];
  const add = (about: object, msg: string): void => void lines.push({ msg, about });
  return { lines, log: { warn: add, info: add } };
}

async function telemetryTo(endpoint: string, more: Partial<TelemetrySettings> = {}) {
  const { lines, log } = logged();
  const telemetry = await loadTelemetry(settingsOf(endpoint, more), () => ({ ...wayToCollector({ proxies: noProxies }, Date.now), log }));
  return { telemetry, lines };
}

function only<T>(found: readonly T[]): T {
  const [one, ...more] = found;
  if (one === undefined || more.length > 0) throw new Error(`${found.length} instead of 1`);
  return one;
}

describe("telemetry by OTLP", () => {
  it("tells spans with their ids, instants to the microsecond, attributes and status, under the resource's name and headers", async () => {
    await using receiver = await otlpReceiver();
    const { telemetry } = await telemetryTo(receiver.endpoint);
    telemetry.traces?.record(spanOf({ parentId: "00f067aa0ba902b7" }));
    await telemetry.stop(5_000);
    const span = only(receiver.spans());
    expect(span).toMatchObject({
      name: "outpost.run",
      kind: 5,
      service: "under-test",
      traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
      parentSpanId: "00f067aa0ba902b7",
      startTimeUnixNano: "1700000000000250000",
      endTimeUnixNano: "1700000000001500000",
      status: { code: 2, message: "it failed" },
    });
    expect(attributeOf(span, "outpost.attempt")).toBe(1);
    expect(attributeOf(span, "nothing")).toBeUndefined();
    expect(receiver.received.map(({ path, headers }) => [path, headers["x-key"], headers["content-type"]])).toContainEqual([
      "/v1/traces",
      "hunter2",
      "application/json",
    ]);
  });

  it("tells what Prometheus reads, by the same names, also after Prometheus asked for OpenMetrics", async () => {
    await using receiver = await otlpReceiver();
    const { telemetry } = await telemetryTo(receiver.endpoint);
    const registry = createRegistry();
    const registers = [registry];
    new Counter({ name: "jobs_total", help: "Jobs", labelNames: ["outcome"], registers }).inc({ outcome: "done" }, 3);
    new Gauge({ name: "depth_bytes", help: "Depth", registers }).set(7);
    new Gauge({ name: "unknown_seconds", help: "Not known yet", registers }).set(Number.NaN);
    const seconds = new Histogram({ name: "run_seconds", help: "Runs", labelNames: ["type"], buckets: [1, 2], registers });
    for (const value of [0.5, 1.5, 1.7, 9]) seconds.observe({ type: "API" }, value);
    telemetry.observe([registry]);
    await registry.metrics();
    await telemetry.stop(5_000);
    const named = (name: string) => only(receiver.metrics().filter((one) => one.name === name));
    expect(named("jobs_total").sum).toMatchObject({ isMonotonic: true, dataPoints: [{ asDouble: 3 }] });
    expect(named("depth_bytes")).toMatchObject({ unit: "By", gauge: { dataPoints: [{ asDouble: 7 }] } });
    expect(receiver.metrics().map(({ name }) => name)).not.toContain("unknown_seconds");
    expect(named("run_seconds").histogram).toMatchObject({
      dataPoints: [{ count: 4, sum: 12.7, explicitBounds: [1, 2], bucketCounts: [1, 2, 1] }],
    });
  });

  it("tells runs of checks: counted by verdict, whether the last one was up, and how long they took", async () => {
    await using receiver = await otlpReceiver();
    const { telemetry } = await telemetryTo(receiver.endpoint);
    const run = { checkId: "c", checkName: "Shop", checkType: "API", location: "berlin" };
    telemetry.countRun?.({ ...run, verdict: "passed", isUp: true, seconds: 0.2 });
    telemetry.countRun?.({ ...run, verdict: "failed", isUp: false, seconds: 1.2 });
    await telemetry.stop(5_000);
    const pointsOf = (name: string) => {
      const { sum, gauge, histogram } = only(receiver.metrics().filter((one) => one.name === name));
      return (sum ?? gauge ?? histogram)?.dataPoints ?? [];
    };
    expect(
      pointsOf("outpost.check.runs").map((point) => [attributeOf(point, "outpost.verdict"), point.asDouble ?? Number(point.asInt)]),
    ).toEqual([
      ["passed", 1],
      ["failed", 1],
    ]);
    const up = only(pointsOf("outpost.check.up"));
    expect(up.asDouble ?? Number(up.asInt)).toBe(0);
    expect(attributeOf(up, "outpost.check.name")).toBe("Shop");
    expect(only(pointsOf("outpost.check.duration"))).toMatchObject({ count: 2, sum: 1.4 });
  });

  it("tells lines of the log with their severity, attributes and trace", async () => {
    await using receiver = await otlpReceiver();
    const { telemetry } = await telemetryTo(receiver.endpoint);
    const ids = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
    telemetry.takeLine?.(
      `${JSON.stringify({ level: "warn", time: 1_700_000_000_000, name: "agent", jobId: "j", n: 2, at: ["a"], ...ids, msg: "lease lost" })}\n`,
    );
    telemetry.takeLine?.("no JSON\n");
    await telemetry.stop(5_000);
    const line = only(receiver.lines());
    expect(line).toMatchObject({ severityText: "warn", severityNumber: 13, body: { stringValue: "lease lost" }, traceId: ids.traceId });
    expect([attributeOf(line, "jobId"), attributeOf(line, "n"), attributeOf(line, "at")]).toEqual(["j", 2, '["a"]']);
  });

  it.each([
    { name: "always_off", share: 1, sampled: [false, false] },
    { name: "always_on", share: 1, sampled: [true, true] },
    { name: "parentbased_always_on", share: 1, sampled: [true, false] },
    { name: "parentbased_always_off", share: 1, sampled: [false, false] },
    { name: "traceidratio", share: 0, sampled: [false, false] },
    { name: "parentbased_traceidratio", share: 1, sampled: [true, false] },
  ] as const)("samples as $name says: a run of its own, and one that was not recorded before", async ({ name, share, sampled }) => {
    const { telemetry } = await telemetryTo("http://127.0.0.1:9", { sampler: { name, share } });
    const traceId = randomBytes(16).toString("hex");
    expect([telemetry.traces?.isSampled(traceId, null), telemetry.traces?.isSampled(traceId, false)]).toEqual(sampled);
    await telemetry.stop(100);
  });

  it("records about the share that the sampler says, and the same traces in each process", async () => {
    const [one, other] = await Promise.all(
      [1, 2].map(() => telemetryTo("http://127.0.0.1:9", { sampler: { name: "parentbased_traceidratio", share: 0.25 } })),
    );
    const ids = Array.from({ length: 2_000 }, () => randomBytes(16).toString("hex"));
    const of = (telemetry: typeof one) => ids.map((id) => telemetry?.telemetry.traces?.isSampled(id, null));
    expect(of(one)).toEqual(of(other));
    expect(of(one).filter((is) => is).length / ids.length).toBeCloseTo(0.25, 1);
    await Promise.all([one?.telemetry.stop(100), other?.telemetry.stop(100)]);
  });
});

describe("a collector that is away", () => {
  const kinds: readonly {
    readonly name: string;
    readonly endpoint: (receiver: OtlpReceiver) => Promise<string> | string;
    readonly answer: number | null;
  }[] = [
    { name: "refuses connections", endpoint: async () => `http://127.0.0.1:${await freePort()}`, answer: 200 },
    { name: "never answers", endpoint: ({ endpoint }) => endpoint, answer: null },
    { name: "answers 503", endpoint: ({ endpoint }) => endpoint, answer: 503 },
    { name: "answers 401", endpoint: ({ endpoint }) => endpoint, answer: 401 },
  ];
  it.each(kinds)("that $name holds up nobody: what is told is bounded, counted and said once", async ({ endpoint, answer }) => {
    await using receiver = await otlpReceiver(() => answer);
    const { telemetry, lines } = await telemetryTo(await endpoint(receiver), { timeoutMs: 300 });
    const beganMs = performance.now();
    for (let n = 0; n < 20_000; n += 1) telemetry.traces?.record(spanOf());
    expect(performance.now() - beganMs).toBeLessThan(1_000);
    await telemetry.stop(1_500);
    expect(performance.now() - beganMs).toBeLessThan(8_000);
    const counts = telemetry.counts();
    const [dropped, failed] = [counts.get("traces dropped") ?? 0, counts.get("traces failed") ?? 0];
    expect(counts.get("traces sent")).toBeUndefined();
    expect(dropped).toBeGreaterThan(10_000);
    expect(dropped + failed).toBe(20_000);
    expect(lines.filter(({ msg }) => msg.includes("cannot be delivered"))).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain("hunter2");
  });

  it("and comes back is told what is new, and the log says so once", async () => {
    await using receiver = await otlpReceiver((nth) => (nth <= 1 ? 400 : 200));
    const { telemetry, lines } = await telemetryTo(receiver.endpoint, { tells: { traces: true, metrics: false, logs: false } });
    telemetry.traces?.record(spanOf({ name: "lost" }));
    await expect.poll(() => telemetry.counts().get("traces failed"), { timeout: 10_000 }).toBe(1);
    telemetry.traces?.record(spanOf({ name: "kept" }));
    await telemetry.stop(5_000);
    expect(receiver.spans().map(({ name }) => name)).toEqual(["lost", "kept"]);
    expect(telemetry.counts()).toEqual(
      new Map([
        ["traces failed", 1],
        ["traces sent", 1],
      ]),
    );
    expect(lines.map(({ msg }) => msg)).toEqual([
      "telemetry cannot be delivered: what cannot wait any longer is dropped and counted",
      "telemetry is delivered again",
    ]);
  });

  it("for a moment, with a status that asks for patience, loses nothing", async () => {
    await using receiver = await otlpReceiver((nth) => (nth === 1 ? 429 : 200));
    const { telemetry } = await telemetryTo(receiver.endpoint, { tells: { traces: true, metrics: false, logs: false } });
    telemetry.traces?.record(spanOf());
    await telemetry.stop(5_000);
    expect(telemetry.counts()).toEqual(new Map([["traces sent", 1]]));
  });
});
