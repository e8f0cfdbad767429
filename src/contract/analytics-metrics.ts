import type { CheckTypeName } from "./primitives.ts";

export const metricUnits = ["milliseconds", "score", "count", "percentage"] as const;
export type MetricUnit = (typeof metricUnits)[number];

/** What a suffix makes of the values of many results; `median` is `p50`. */
export const aggregations = ["avg", "max", "median", "min", "p50", "p90", "p95", "p99", "stddev", "sum"] as const;
export type Aggregation = (typeof aggregations)[number];

interface BaseMetric {
  readonly label: string;
  readonly unit: MetricUnit;
  readonly type: "Float" | "Integer" | "String";
  /**
   * The name under which results keep it: `responseTime`, or one of the check type's `metrics`. `null`: nothing is kept yet, so it is
   * null in every row.
   */
  readonly kept: string | null;
  /** It is 1 where this bit of what is kept is set, else 0. */
  readonly bit?: 1 | 2 | 4;
}

interface AnalyticsPath {
  readonly checkType: CheckTypeName;
  /** With its article, for sentences. */
  readonly title: string;
  readonly metrics: Readonly<Record<string, BaseMetric>>;
  readonly groupBy: readonly ("runLocation" | "statusCode" | "pageIndex")[];
}

const time = (label: string, kept: string | null): BaseMetric => ({ label, unit: "milliseconds", type: "Float", kept });
const count = (label: string, kept: string | null): BaseMetric => ({ label, unit: "count", type: "Integer", kept });
const score = (label: string, kept: string | null): BaseMetric => ({ label, unit: "score", type: "Float", kept });
const flag = (label: string, bit: 1 | 2 | 4): BaseMetric => ({ label, unit: "score", type: "Integer", kept: "trustBits", bit });
const responseTime = time("Response time", "responseTime");

/** `tls` is ours: without it the phases would not sum to the response time. */
const httpMetrics = {
  responseTime,
  wait: time("Wait", "wait"),
  dns: time("DNS", "dns"),
  tcp: time("TCP", "tcp"),
  firstByte: time("First byte", "firstByte"),
  download: time("Download", "download"),
  tls: time("TLS", "tls"),
};

/**
 * Every path of analytics, once: the check type it is for, its metrics (behaviour 3; each also with the ten suffixes) and what its
 * results can be grouped by. Schemas, handlers and `GET /v1/analytics/metrics` follow from it.
 */
export const analyticsPaths = {
  "api-checks": { checkType: "API", title: "an API check", metrics: httpMetrics, groupBy: ["runLocation", "statusCode"] },
  "url-monitors": { checkType: "URL", title: "a URL monitor", metrics: httpMetrics, groupBy: ["runLocation", "statusCode"] },
  "tcp-checks": {
    checkType: "TCP",
    title: "a TCP check",
    metrics: {
      total: time("Total", "total"),
      dns: time("DNS", "dns"),
      connection: time("Connection", "connection"),
      data: time("Data", "data"),
    },
    groupBy: ["runLocation"],
  },
  dns: { checkType: "DNS", title: "a DNS monitor", metrics: { total: time("Total", "total") }, groupBy: ["runLocation"] },
  icmp: {
    checkType: "ICMP",
    title: "an ICMP monitor",
    metrics: {
      packetLoss: { label: "Packet loss", unit: "percentage", type: "Float", kept: "packetLoss" },
      latencyMin: time("Minimum latency", "latencyMin"),
      latencyMax: time("Maximum latency", "latencyMax"),
      latencyAvg: time("Average latency", "latencyAvg"),
      latencyStdDev: time("Standard deviation of the latency", "latencyStdDev"),
    },
    groupBy: ["runLocation"],
  },
  ssl: {
    checkType: "SSL",
    title: "an SSL monitor",
    metrics: {
      handshakeTimeMs: time("Handshake", "handshakeTimeMs"),
      daysUntilExpiry: count("Days until expiry", "daysUntilExpiry"),
      tlsVersion: score("TLS version", "tlsVersion"),
      cipherSuite: { label: "Cipher suite", unit: "score", type: "String", kept: null },
      hostnameVerified: flag("Host name verified (1 or 0)", 1),
      chainTrusted: flag("Chain trusted (1 or 0)", 2),
      ocspStapled: flag("OCSP response stapled (1 or 0)", 4),
      keySizeBits: count("Key size in bits", "keySizeBits"),
      baselineVerdict: { label: "Baseline verdict", unit: "score", type: "String", kept: null },
      baselineGrade: score("Baseline grade (its score of 100)", "baselineScore"),
    },
    groupBy: ["runLocation"],
  },
  "grpc-checks": {
    checkType: "GRPC",
    title: "a gRPC monitor",
    metrics: {
      responseTime,
      total: time("Total", "responseTime"), // by this name the public command line asks for it
      dns: time("DNS", "dns"),
      tcp: time("TCP", "tcp"),
      tls: time("TLS", "tls"),
      reflection: time("Reflection", "reflection"),
      firstByte: time("First byte", "firstByte"),
      download: time("Download", "download"),
    },
    groupBy: ["runLocation"],
  },
  traceroute: {
    checkType: "TRACEROUTE",
    title: "a traceroute monitor",
    metrics: {
      responseTime,
      hopCount: count("Hops", "hopCount"),
      totalHops: count("Hops", "hopCount"), // the names by which the public command line asks for them
      finalHopLatencyAvg: time("Average latency of the target", "latencyAvg"),
      packetLoss: { label: "Packet loss at the target", unit: "percentage", type: "Float", kept: "packetLoss" },
      latencyMin: time("Minimum latency", "latencyMin"),
      latencyMax: time("Maximum latency", "latencyMax"),
      latencyAvg: time("Average latency", "latencyAvg"),
      latencyStdDev: time("Standard deviation of the latency", "latencyStdDev"),
    },
    groupBy: ["runLocation"],
  },
  "multistep-checks": { checkType: "MULTI_STEP", title: "a multi-step check", metrics: { responseTime }, groupBy: ["runLocation"] },
  "agentic-checks": { checkType: "AGENTIC", title: "an agentic check", metrics: { responseTime }, groupBy: ["runLocation"] },
  "playwright-checks": {
    checkType: "PLAYWRIGHT",
    title: "a Playwright check",
    // The public command line asks for vitals, which nobody measures in a suite.
    metrics: {
      responseTime,
      LCP: time("Largest contentful paint", null),
      CLS: score("Cumulative layout shift", null),
      TBT: time("Total blocking time", null),
    },
    groupBy: ["runLocation"],
  },
  "browser-checks": {
    checkType: "BROWSER",
    title: "a browser check",
    metrics: {
      responseTime,
      TTFB: time("Time to first byte", "TTFB"),
      FCP: time("First contentful paint", "FCP"),
      LCP: time("Largest contentful paint", "LCP"),
      CLS: score("Cumulative layout shift", "CLS"),
      TBT: time("Total blocking time", "TBT"),
      consoleErrors: count("Console errors", "consoleErrors"),
      networkErrors: count("Network errors", "networkErrors"),
      userScriptErrors: count("Script errors", "userScriptErrors"),
      documentErrors: count("Document errors", "documentErrors"),
    },
    groupBy: ["runLocation", "pageIndex"],
  },
  "heartbeat-checks": { checkType: "HEARTBEAT", title: "a heartbeat", metrics: {}, groupBy: [] },
} as const satisfies Readonly<Record<string, AnalyticsPath>>;

export type AnalyticsPathName = keyof typeof analyticsPaths;

/** A metric as a request names it. */
export interface AnalyticsMetric {
  readonly name: string;
  /** Absent for `availability` and `retries`. */
  readonly base?: BaseMetric;
  /** A base name without suffix is the average, and says so. */
  readonly aggregation?: Aggregation;
  readonly label: string;
  readonly unit: MetricUnit;
  readonly type: BaseMetric["type"];
}

/** Every metric of a path, in the order of the reference: base names, the plain two, then the base names with each suffix. */
export function metricsOf(path: AnalyticsPathName): readonly AnalyticsMetric[] {
  const { metrics }: AnalyticsPath = analyticsPaths[path];
  const bases = Object.entries(metrics);
  return [
    ...bases.map(([name, base]) => ({ name, base, aggregation: "avg" as const, label: base.label, unit: base.unit, type: base.type })),
    { name: "availability", label: "Availability", unit: "percentage", type: "Float" },
    { name: "retries", label: "Retries", unit: "count", type: "Integer" },
    ...bases.flatMap(([name, base]) =>
      aggregations.map((aggregation) => ({
        name: `${name}_${aggregation}`,
        base,
        aggregation,
        label: `${base.label} (${aggregation})`,
        unit: base.unit,
        type: "Float" as const,
      })),
    ),
  ];
}

/** The path that tells of checks of this type, if any does. */
export function analyticsPathOf(checkType: CheckTypeName): AnalyticsPathName | undefined {
  // Keys of a literal table are exactly its names.
  return (Object.keys(analyticsPaths) as AnalyticsPathName[]).find((path) => analyticsPaths[path].checkType === checkType);
}
