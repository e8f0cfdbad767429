import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

interface Attribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: string | number;
    readonly doubleValue?: number;
    readonly boolValue?: boolean;
  };
}

/** A span as OTLP/JSON writes it. */
export interface ToldSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code?: number; readonly message?: string };
  readonly attributes?: readonly Attribute[];
  /** `service.name` of whoever told it. */
  readonly service: string;
}

export interface ToldMetric {
  readonly name: string;
  readonly unit?: string;
  readonly sum?: { readonly dataPoints: readonly ToldPoint[]; readonly isMonotonic?: boolean };
  readonly gauge?: { readonly dataPoints: readonly ToldPoint[] };
  readonly histogram?: { readonly dataPoints: readonly ToldPoint[] };
}

export interface ToldPoint {
  readonly attributes?: readonly Attribute[];
  readonly asDouble?: number;
  readonly asInt?: string | number;
  readonly count?: string | number;
  readonly sum?: number;
  readonly bucketCounts?: readonly (string | number)[];
  readonly explicitBounds?: readonly number[];
}

export interface ToldLine {
  readonly severityText?: string;
  readonly severityNumber?: number;
  readonly traceId?: string;
  readonly body?: { readonly stringValue?: string };
  readonly attributes?: readonly Attribute[];
}

/** One request, as it came. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A collector of OTLP over HTTP on loopback, which keeps what it is told. */
export interface OtlpReceiver extends AsyncDisposable {
  readonly endpoint: string;
  readonly received: readonly Received[];
  /** Of requests in JSON. */
  spans(): ToldSpan[];
  metrics(): ToldMetric[];
  lines(): ToldLine[];
}

/** @param answer what it answers to the n-th request; 200 when absent, null never answers */
export async function otlpReceiver(answer: (nth: number) => number | null = () => 200): Promise<OtlpReceiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const isPacked = request.headers["content-encoding"] === "gzip";
      received.push({ path: request.url ?? "", headers: request.headers, body: isPacked ? gunzipSync(body) : body });
      const status = answer(received.length);
      if (status !== null) response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    spans: () => spansIn(jsonOf(received, "/v1/traces")),
    metrics: () => metricsIn(jsonOf(received, "/v1/metrics")),
    lines: () => linesIn(jsonOf(received, "/v1/logs")),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** What collectors write in the same form. */
interface OtlpJson {
  readonly resourceSpans?: readonly {
    readonly resource: Resource;
    readonly scopeSpans: readonly { readonly spans: readonly ToldSpan[] }[];
  }[];
  readonly resourceMetrics?: readonly { readonly scopeMetrics: readonly { readonly metrics: readonly ToldMetric[] }[] }[];
  readonly resourceLogs?: readonly { readonly scopeLogs: readonly { readonly logRecords: readonly ToldLine[] }[] }[];
}

interface Resource {
  readonly attributes: readonly Attribute[];
}

function spansIn(told: readonly OtlpJson[]): ToldSpan[] {
  return told.flatMap(({ resourceSpans = [] }) =>
    resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const service = String(attributeOf(resource, "service.name"));
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })));
    }),
  );
}

function metricsIn(told: readonly OtlpJson[]): ToldMetric[] {
  return told.flatMap(({ resourceMetrics = [] }) =>
    resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics)),
  );
}

function linesIn(told: readonly OtlpJson[]): ToldLine[] {
  return told.flatMap(({ resourceLogs = [] }) =>
    resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)),
  );
}

export function attributeOf(
  { attributes = [] }: { readonly attributes?: readonly Attribute[] },
  key: string,
): string | number | boolean | undefined {
  const value = attributes.find((one) => one.key === key)?.value;
  return (
    value?.stringValue ?? value?.doubleValue ?? value?.boolValue ?? (value?.intValue === undefined ? undefined : Number(value.intValue))
  );
}

function jsonOf(received: readonly Received[], path: string): OtlpJson[] {
  return received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body.toString()) as OtlpJson);
}
