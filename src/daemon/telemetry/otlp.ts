import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import {
  type ISerializer,
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from "@opentelemetry/otlp-transformer";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";
import { AppError } from "#domain/app-error.ts";
import { sleep } from "../sleep.ts";
import { version } from "../version.ts";
import { createDelivery, type Delivery, type DeliveryLog, type OtlpWay } from "./delivery.ts";
import { batchOptions, boundedExport, exporterOf, instantOf, scope } from "./exporting.ts";
import { createLogFeed } from "./log-feed.ts";
import { createMetricFeed } from "./metric-feed.ts";
import { pairsOf, type TelemetrySettings } from "./settings.ts";
import type { Span, Telemetry, Traces } from "./telemetry.ts";

export interface OtlpDeps extends OtlpWay {
  readonly log: DeliveryLog;
}

/** One for a process. Only `load-telemetry.ts` imports this file: with it comes the SDK. */
export function createOtlp(settings: TelemetrySettings, deps: OtlpDeps): Telemetry {
  const ending = new AbortController();
  const isJson = settings.protocol === "http/json";
  const delivery = createDelivery({
    ...deps,
    endpoint: settings.endpoint,
    headers: () => (settings.headers === null ? {} : (pairsOf(settings.headers.reveal()) ?? {})),
    contentType: isJson ? "application/json" : "application/x-protobuf",
    timeoutMs: settings.timeoutMs,
    signal: ending.signal,
  });
  const resource = resourceOf(settings);
  const { tells, timeoutMs, metricIntervalMs: intervalMs } = settings;
  const traces = tells.traces
    ? createTraces(resource, settings.sampler, delivery, isJson ? JsonTraceSerializer : ProtobufTraceSerializer, timeoutMs)
    : null;
  const lines = tells.logs
    ? createLogFeed(resource, {
        ...boundedExport("logs", delivery, isJson ? JsonLogsSerializer : ProtobufLogsSerializer, (items) => items.length),
        batch: batchOptions(timeoutMs),
      })
    : null;
  const points = tells.metrics
    ? createMetricFeed(resource, intervalMs, timeoutMs, (count) =>
        exporterOf("metrics", delivery, isJson ? JsonMetricsSerializer : ProtobufMetricsSerializer, count),
      )
    : null;
  const parts = [traces, lines, points].filter((part) => part !== null);
  return {
    traces,
    countRun: points?.countRun ?? null,
    takeLine: lines?.take ?? null,
    observe: (registries) => points?.observe(registries),
    counts: () => delivery.counts(),
    async stop(limitMs) {
      const sent = Promise.allSettled(parts.map((part) => part.close())).then(() => delivery.settled());
      const waited = new AbortController();
      await Promise.race([sent, sleep(limitMs, waited.signal)]);
      waited.abort();
      ending.abort(new AppError("cancelled", "the process ends"));
      await sent;
      await deps.close();
    },
  };
}

function createTraces(
  resource: Resource,
  wanted: TelemetrySettings["sampler"],
  delivery: Delivery,
  serializer: ISerializer<ReadableSpan[], unknown>,
  timeoutMs: number,
): Traces & { readonly close: () => Promise<void> } {
  const sampler = samplerOf(wanted);
  const { exporter, queue } = boundedExport("traces", delivery, serializer, (spans) => spans.length);
  const processor = new BatchSpanProcessor({ exporter, ...batchOptions(timeoutMs) });
  return {
    isSampled(traceId, parent) {
      const traceFlags = parent === true ? TraceFlags.SAMPLED : TraceFlags.NONE;
      // The sampler asks only whether there is a parent and what its flags are.
      const context =
        parent === null
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: "00f067aa0ba902b7", traceFlags, isRemote: true });
      return sampler.shouldSample(context, traceId, "", SpanKind.INTERNAL, {}, []).decision === SamplingDecision.RECORD_AND_SAMPLED;
    },
    record(span) {
      if (queue.enter()) processor.onEnd(readable(span, resource));
    },
    close: () => processor.shutdown(),
  };
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** Ids of runs are known to both processes, and a span is told at its end: so it is made whole, and not begun and ended. */
function readable({ kind, traceId, spanId, parentId, startMs, endMs, attributes, error, name }: Span, resource: Resource): ReadableSpan {
  const traceFlags = TraceFlags.SAMPLED;
  return {
    name,
    kind: kinds[kind],
    spanContext: () => ({ traceId, spanId, traceFlags }),
    ...(parentId !== null && { parentSpanContext: { traceId, spanId: parentId, traceFlags } }),
    startTime: instantOf(startMs),
    endTime: instantOf(Math.max(startMs, endMs)),
    duration: instantOf(Math.max(0, endMs - startMs)),
    status: error === null ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
    attributes: Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)),
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function samplerOf({ name, share }: TelemetrySettings["sampler"]): Sampler {
  switch (name) {
    case "always_on":
      return new AlwaysOnSampler();
    case "always_off":
      return new AlwaysOffSampler();
    case "traceidratio":
      return new TraceIdRatioBasedSampler(share);
    case "parentbased_always_on":
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case "parentbased_always_off":
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case "parentbased_traceidratio":
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) });
  }
}

function resourceOf({ serviceName, attributes }: TelemetrySettings): Resource {
  return resourceFromAttributes({
    "service.version": version,
    "service.instance.id": randomBytes(8).toString("hex"),
    "host.name": hostname(),
    "process.runtime.name": "nodejs",
    "process.runtime.version": process.versions.node,
    ...attributes,
    "service.name": serviceName,
  });
}
