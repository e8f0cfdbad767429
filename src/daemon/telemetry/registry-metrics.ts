import { ValueType } from "@opentelemetry/api";
import { AggregationTemporality, DataPointType, type MetricData, type ScopeMetrics } from "@opentelemetry/sdk-metrics";
import type { Registry } from "prom-client";
import { instantOf, scope } from "./exporting.ts";

type Labels = Readonly<Record<string, string | number>>;

/** As prom-client tells a metric; samples of histograms have names of their own. */
interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly values: readonly { readonly labels: Labels; readonly value: number; readonly metricName?: string }[];
}

/**
 * What these registries hold, as OpenTelemetry tells it: the same names and labels, so that a dashboard works with either. Summaries stay behind, as the
 * SDK has no place for them.
 *
 * @param startMs since when counters count
 */
export async function metricsOf(registries: readonly Registry[], startMs: number, nowMs: number): Promise<ScopeMetrics> {
  const read = await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()));
  const time = { startTime: instantOf(startMs), endTime: instantOf(nowMs) };
  const metrics = read.flat().flatMap((metric) => metricOf(metric as Metric, time)); // its types leave out the names of samples
  return { scope: { ...scope, name: "outpost.prometheus" }, metrics };
}

type Time = Pick<MetricData["dataPoints"][number], "startTime" | "endTime">;

function metricOf({ name, help, type, values }: Metric, time: Time): MetricData[] {
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  const base = { descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE }, aggregationTemporality };
  const points = values.filter(({ value }) => Number.isFinite(value)).map(({ labels, value }) => ({ ...time, attributes: labels, value }));
  switch (String(type)) {
    case "counter": {
      // prom-client takes the ending off once it has written OpenMetrics.
      const descriptor = { ...base.descriptor, name: `${name.replace(/_total$/, "")}_total` };
      return points.length === 0 ? [] : [{ ...base, descriptor, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points }];
    }
    case "gauge":
      return points.length === 0 ? [] : [{ ...base, dataPointType: DataPointType.GAUGE, dataPoints: points }];
    case "histogram": {
      const dataPoints = histograms(name, values, time);
      return dataPoints.length === 0 ? [] : [{ ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints }];
    }
    default:
      return [];
  }
}

/** Prometheus' buckets each count all below them, OpenTelemetry's each what is in it alone. */
function histograms(name: string, values: Metric["values"], time: Time) {
  const series = Map.groupBy(values, ({ labels }) => JSON.stringify({ ...labels, le: undefined }));
  return [...series.values()].flatMap((ofSeries) => {
    const [first] = ofSeries;
    if (first === undefined) return [];
    const { le: _bound, ...attributes } = first.labels;
    const bounds: number[] = [];
    const counts: number[] = [];
    let below = 0;
    for (const { labels, value, metricName } of ofSeries) {
      if (metricName !== `${name}_bucket`) continue;
      const bound = Number(String(labels["le"]).replace("+Inf", "Infinity"));
      if (Number.isFinite(bound)) bounds.push(bound);
      counts.push(value - below);
      below = value;
    }
    const sum = ofSeries.find(({ metricName }) => metricName === `${name}_sum`)?.value ?? 0;
    return [{ ...time, attributes, value: { buckets: { boundaries: bounds, counts }, sum, count: below } }];
  });
}

/** In UCUM, where the name tells it. */
function unitOf(name: string): string {
  const plain = name.replace(/_total$/, "");
  if (plain.endsWith("_seconds")) return "s";
  return plain.endsWith("_bytes") ? "By" : "";
}
