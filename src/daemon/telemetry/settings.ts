import { z } from "zod";
import { WholeNumber } from "../env.ts";
import { Secret } from "../secret.ts";
import { SecretFile } from "../secret-file.ts";

const pair = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x21-\x2b\x2d-\x3a\x3c-\x7e]*)\s*$/;

/** `name=value`, separated by commas; values are percent-encoded (OTLP exporter specification). */
const PairText = z
  .string()
  .refine((text) => pairsOf(text) !== null, "must be name=value, several separated by commas, with values percent-encoded");
const SecretPairs = PairText.transform((text) => new Secret(text));
const Pairs = PairText.transform((text) => pairsOf(text) ?? {});

const Exporter = z.enum(["otlp", "none"], "must be otlp or none").default("otlp");
const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
const Share = z
  .string()
  .trim()
  .regex(/^(0(\.\d+)?|1(\.0+)?)$/, "must be a number from 0 to 1, such as 0.1")
  .transform(Number);

/** The part of a process's environment that is about OpenTelemetry, by the names that its specification gives. */
export const telemetryEnv = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .refine(
      (text) => !/[?#]/.test(text) && URL.parse(text)?.username === "",
      "must have neither a query nor credentials; keys go into OTEL_EXPORTER_OTLP_HEADERS",
    )
    .optional()
    .describe(
      "base URL of an OpenTelemetry collector that accepts OTLP over HTTP, such as http://collector:4318. Traces go to /v1/traces below it; metrics and logs go to /v1/metrics and /v1/logs. If it is not set, Outpost sends no telemetry and does not load the code",
    ),
  OTEL_EXPORTER_OTLP_HEADERS: SecretPairs.optional().describe(
    "headers for the collector, for example with a key: comma-separated name=value, values percent-encoded; never logged",
  ),
  OTEL_EXPORTER_OTLP_HEADERS_FILE: SecretFile.pipe(SecretPairs)
    .optional()
    .describe("file with these headers, instead of OTEL_EXPORTER_OTLP_HEADERS"),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(["http/protobuf", "http/json"], "must be http/protobuf or http/json")
    .default("http/protobuf")
    .describe("encoding: http/protobuf or http/json"),
  OTEL_EXPORTER_OTLP_TIMEOUT: WholeNumber(100, 60_000)
    .default(10_000)
    .describe("maximum time of one export with its retries, milliseconds"),
  OTEL_TRACES_EXPORTER: Exporter.describe("none: send no traces"),
  OTEL_METRICS_EXPORTER: Exporter.describe("none: send no metrics"),
  OTEL_LOGS_EXPORTER: Exporter.describe("none: send no logs"),
  OTEL_METRIC_EXPORT_INTERVAL: WholeNumber(1_000, 3_600_000).default(60_000).describe("time between two exports of metrics, milliseconds"),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, `must be one of ${samplers.join(", ")}`)
    .default("parentbased_always_on")
    .describe(`which traces are recorded: ${samplers.join(", ")}`),
  OTEL_TRACES_SAMPLER_ARG: Share.optional().describe("share of traces that the traceidratio samplers record, 0 to 1; 1 if not set"),
  OTEL_SERVICE_NAME: z
    .string()
    .trim()
    .max(200)
    .optional()
    .describe("name of this service in traces, metrics and logs; by default outpost-agent or outpost-control-plane"),
  OTEL_RESOURCE_ATTRIBUTES: Pairs.default({}).describe(
    "additional attributes of this process: comma-separated name=value, such as deployment.environment.name=production",
  ),
} as const;

type TelemetryEnv = z.output<z.ZodObject<typeof telemetryEnv>>;
export type SamplerName = TelemetryEnv["OTEL_TRACES_SAMPLER"];

/** Where telemetry goes, and what of it. */
export interface TelemetrySettings {
  /** Without a slash at its end. */
  readonly endpoint: string;
  /** As `pairsOf` reads them. */
  readonly headers: Secret | null;
  readonly protocol: TelemetryEnv["OTEL_EXPORTER_OTLP_PROTOCOL"];
  readonly timeoutMs: number;
  readonly tells: { readonly traces: boolean; readonly metrics: boolean; readonly logs: boolean };
  readonly metricIntervalMs: number;
  readonly sampler: { readonly name: SamplerName; readonly share: number };
  readonly serviceName: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Null: nothing is told. @param serviceName where the environment names none */
export function telemetrySettings(e: TelemetryEnv, serviceName: string): TelemetrySettings | null {
  const tells = {
    traces: e.OTEL_TRACES_EXPORTER === "otlp",
    metrics: e.OTEL_METRICS_EXPORTER === "otlp",
    logs: e.OTEL_LOGS_EXPORTER === "otlp",
  };
  if (e.OTEL_EXPORTER_OTLP_ENDPOINT === undefined || !Object.values(tells).includes(true)) return null;
  const attributes = e.OTEL_RESOURCE_ATTRIBUTES;
  return {
    endpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, ""),
    headers: e.OTEL_EXPORTER_OTLP_HEADERS ?? e.OTEL_EXPORTER_OTLP_HEADERS_FILE ?? null,
    protocol: e.OTEL_EXPORTER_OTLP_PROTOCOL,
    timeoutMs: e.OTEL_EXPORTER_OTLP_TIMEOUT,
    tells,
    metricIntervalMs: e.OTEL_METRIC_EXPORT_INTERVAL,
    sampler: { name: e.OTEL_TRACES_SAMPLER, share: e.OTEL_TRACES_SAMPLER_ARG ?? 1 },
    serviceName: e.OTEL_SERVICE_NAME ?? attributes["service.name"] ?? serviceName,
    attributes,
  };
}

/** What only shows in several variables together. */
export function telemetryProblems(e: TelemetryEnv): readonly { readonly name: string; readonly message: string }[] {
  if (e.OTEL_EXPORTER_OTLP_HEADERS === undefined || e.OTEL_EXPORTER_OTLP_HEADERS_FILE === undefined) return [];
  return [{ name: "OTEL_EXPORTER_OTLP_HEADERS_FILE", message: "and OTEL_EXPORTER_OTLP_HEADERS are both set; keep one of the two" }];
}

/** Null where the text is none of the kind. */
export function pairsOf(text: string): Readonly<Record<string, string>> | null {
  const pairs: Record<string, string> = {};
  for (const part of text.split(",").filter((one) => one.trim() !== "")) {
    const [, name, value] = pair.exec(part) ?? [];
    const decoded = value === undefined ? null : decodedOf(value);
    if (name === undefined || decoded === null) return null;
    pairs[name] = decoded;
  }
  return pairs;
}

/** Null for what is no percent-encoding, or holds what a header may not. */
function decodedOf(value: string): string | null {
  try {
    const decoded = decodeURIComponent(value);
    return /[^\t\x20-\x7e\x80-\uffff]/.test(decoded) ? null : decoded;
  } catch {
    return null;
  }
}
