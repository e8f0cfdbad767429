import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  InstrumentType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import type { Registry } from "prom-client";
import { version } from "../version.ts";
import type { Exporter } from "./exporting.ts";
import { metricsOf } from "./registry-metrics.ts";
import type { CheckRun } from "./telemetry.ts";

/** Checks and verdicts that are told apart; what is beyond comes together as one series. */
const seriesLimit = 20_000;
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 300];

export interface MetricFeed {
  observe(registries: readonly Registry[]): void;
  readonly countRun: (run: CheckRun) => void;
  close(): Promise<void>;
}

/** Tells what Prometheus would read, and what each check came to. @param exporterFor takes how its points are counted */
export function createMetricFeed(
  resource: Resource,
  intervalMs: number,
  timeoutMs: number,
  exporterFor: (count: (metrics: ResourceMetrics) => number) => Exporter<ResourceMetrics>,
): MetricFeed {
  let observed: readonly Registry[] = [];
  const startMs = Date.now();
  const reader = new PeriodicExportingMetricReader({
    exporter: {
      ...exporterFor(pointsIn),
      // A gauge that was not set since the last delivery is not told again: another agent may have run the check meanwhile.
      selectAggregationTemporality: (type) =>
        type === InstrumentType.GAUGE ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE,
    },
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: Math.min(intervalMs, timeoutMs + 1_000),
    cardinalityLimits: { default: seriesLimit },
    metricProducers: [
      {
        collect: async () => ({
          resourceMetrics: { resource, scopeMetrics: [await metricsOf(observed, startMs, Date.now())] },
          errors: [],
        }),
      },
    ],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return {
    observe: (registries) => void (observed = registries),
    countRun: createRunMeter(provider),
    close: () => provider.shutdown(),
  };
}

function createRunMeter(provider: MeterProvider): (run: CheckRun) => void {
  const meter = provider.getMeter("outpost", version);
  const runs = meter.createCounter("outpost.check.runs", { unit: "{run}", description: "Runs of a check, by how they ended" });
  const up = meter.createGauge("outpost.check.up", {
    unit: "1",
    description: "1 where the last run passed or was degraded, 0 where it failed",
  });
  const duration = meter.createHistogram("outpost.check.duration", {
    unit: "s",
    description: "Response time of a check's last attempts",
    advice: { explicitBucketBoundaries: durationBuckets },
  });
  return ({ checkId, checkName, checkType, location, verdict, isUp, seconds }) => {
    const about = {
      "outpost.check.id": checkId,
      "outpost.check.name": checkName,
      "outpost.check.type": checkType,
      "outpost.location": location,
    };
    runs.add(1, { ...about, "outpost.verdict": verdict });
    up.record(isUp ? 1 : 0, about);
    duration.record(seconds, about);
  };
}

function pointsIn({ scopeMetrics }: ResourceMetrics): number {
  return scopeMetrics.reduce((sum, { metrics }) => sum + metrics.reduce((points, { dataPoints }) => points + dataPoints.length, 0), 0);
}
