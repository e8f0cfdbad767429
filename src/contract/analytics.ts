import { z } from "zod";
import { type AnalyticsPathName, aggregations, analyticsPaths, metricsOf, metricUnits } from "./analytics-metrics.ts";
import { QuickRange, windowQuery } from "./analytics-window.ts";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { CheckTypeName, Instant, Limit, Page, queryList, UuidPathId } from "./primitives.ts";

/** What a metric measures. */
export const MetricMetadata = z
  .object({ unit: z.enum(metricUnits), label: z.string(), aggregation: z.enum(aggregations).optional() })
  .meta({ id: "AnalyticsMetricMetadata" });

const Row = z
  .looseObject({ time: Instant.optional().describe("start of the bucket; only with aggregationInterval") })
  .describe("each metric that was asked for, a number or null")
  .meta({ id: "AnalyticsSeriesRow" });

const Series = z
  .looseObject({ data: z.union([z.array(Row), Row]).describe("rows, the earliest first; always an array") })
  .describe("with groupBy one entry for each value, which stands beside `data` under the name of the grouping")
  .meta({ id: "AnalyticsSeriesEntry" });

const Pagination = z
  .object({ page: z.number(), limit: z.number(), total: z.number().describe("buckets in the window") })
  .meta({ id: "AnalyticsPagination" });

/** Spec 2.19. */
const envelope = {
  checkId: z.uuid(),
  name: z.string(),
  checkType: CheckTypeName,
  activated: z.boolean(),
  muted: z.boolean(),
  frequency: z.number().describe("minutes"),
  from: Instant,
  to: Instant,
  tags: z.array(z.string()),
  series: z.array(Series),
  pagination: Pagination,
};
export type AnalyticsRow = z.infer<typeof Row>;
export type AnalyticsSeries = z.infer<typeof Series>;

/** One optional member for each metric: those that were asked for are there. */
function envelopeOf(path: AnalyticsPathName, id: string) {
  const metadata = z.object(Object.fromEntries(metricsOf(path).map(({ name }) => [name, MetricMetadata.optional()])));
  return z.object({ ...envelope, metadata: metadata.meta({ id: `${id}Metadata` }) }).meta({ id });
}

/** One or more names of the path's metrics. */
function metricList(path: AnalyticsPathName) {
  return queryList(z.enum(metricsOf(path).map(({ name }) => name)));
}

const common = { tag: "Analytics", method: "GET", access: "read", rateLimit: "analytics", successStatus: 200 } as const;
const page = { limit: Limit.describe("rows per answer"), page: Page };

const description = `Figures over the results of one check. Without \`aggregationInterval\` a series has one row over the whole window; with it
one row for each bucket, the earliest first, also for buckets without results: their metrics are null. \`limit\` and \`page\` choose buckets.
Buckets that are whole days begin at midnight of the account's time zone, those of whole weeks on Monday; all others are counted from the
epoch. A first or last bucket that reaches beyond the window tells only what lies inside. The window is at most 800 days long.

\`availability\` is the share of runs without failure, 0 to 100, of those that ran to their end; cancelled runs, and failures of the agent
itself, count nowhere. \`retries\` counts attempts that failed and were made again. A metric without suffix is its average; \`_median\` is
\`_p50\`; \`_stddev\` is that of all values (not of a sample). Windows under an hour are exact, percentiles of longer ones are at most 0.5 %
off, everything else is exact.`;

function analyticsOperation<Id extends string, Path extends AnalyticsPathName>(
  id: Id,
  path: Path,
  metrics: readonly string[],
  exampleId: string,
) {
  const { title, groupBy } = analyticsPaths[path];
  const list = metricList(path).refine((names) => names.length > 0, { message: "must name at least one metric" });
  const query = z.object({
    ...windowQuery,
    aggregationInterval: z.coerce.number().int().min(1).max(43_200).optional().describe("minutes per bucket"),
    filterByStatus: queryList(z.enum(["success", "failure"]))
      .optional()
      .describe("only runs of this outcome"),
    groupBy: z
      .enum(groupBy as readonly ("runLocation" | "statusCode" | "pageIndex")[])
      .optional()
      .describe("one series for each value that has results in the buckets of this page"),
    metrics: list.describe("comma separated; the suffixes are _avg _max _median _min _p50 _p90 _p95 _p99 _stddev _sum"),
    ...page,
  });
  return {
    ...common,
    id,
    path: `/v1/analytics/${path}/{id}`,
    summary: `Analyze the results of ${title}`,
    description: `${description} A check of another type is not found here.`,
    params: z.object({ id: UuidPathId }),
    query,
    output: envelopeOf(path, id.slice("get".length)),
    example: { params: { id: exampleId }, query: { quickRange: "last24Hours", aggregationInterval: 60, metrics } },
  } as const satisfies Operation;
}

const http = ["availability", "responseTime_p95"];

/** Analytics of checks that run, by path. */
export const checkAnalytics = {
  "api-checks": analyticsOperation("getApiCheckAnalytics", "api-checks", http, exampleIds.check),
  "url-monitors": analyticsOperation("getUrlMonitorAnalytics", "url-monitors", http, exampleIds.urlMonitor),
  "tcp-checks": analyticsOperation("getTcpCheckAnalytics", "tcp-checks", ["availability", "total_p95"], exampleIds.tcpCheck),
  dns: analyticsOperation("getDnsMonitorAnalytics", "dns", ["availability", "total_p95"], exampleIds.dnsMonitor),
  icmp: analyticsOperation("getIcmpMonitorAnalytics", "icmp", ["packetLoss_avg", "latencyAvg_p95"], exampleIds.icmpMonitor),
  ssl: analyticsOperation("getSslMonitorAnalytics", "ssl", ["availability", "daysUntilExpiry_min"], exampleIds.sslMonitor),
  "grpc-checks": analyticsOperation("getGrpcMonitorAnalytics", "grpc-checks", http, exampleIds.grpcMonitor),
  traceroute: analyticsOperation(
    "getTracerouteMonitorAnalytics",
    "traceroute",
    ["availability", "hopCount_max"],
    exampleIds.tracerouteMonitor,
  ),
  "multistep-checks": analyticsOperation("getMultistepCheckAnalytics", "multistep-checks", http, exampleIds.multiStepCheck),
  "agentic-checks": analyticsOperation("getAgenticCheckAnalytics", "agentic-checks", http, exampleIds.agenticCheck),
  "playwright-checks": analyticsOperation("getPlaywrightCheckAnalytics", "playwright-checks", http, exampleIds.playwrightCheck),
  "browser-checks": analyticsOperation("getBrowserCheckAnalytics", "browser-checks", http, exampleIds.browserCheck),
} as const;
export type CheckAnalyticsPath = keyof typeof checkAnalytics;

export const getHeartbeatAnalytics = {
  ...common,
  id: "getHeartbeatAnalytics",
  path: "/v1/analytics/heartbeat-checks/{id}",
  summary: "Analyze the events of a heartbeat",
  description: `One row over the whole window. \`availability\` is the share, 0 to 100, of events that are no alarm: a ping that came in time,
early or within the grace; null without events. \`retries\` is null: a heartbeat has none.`,
  params: z.object({ id: UuidPathId }),
  query: z.object({
    ...windowQuery,
    filterByStatus: queryList(z.enum(["FAILING", "EARLY", "RECEIVED", "GRACE", "LATE"]))
      .optional()
      .describe("only events of these states"),
    metrics: metricList("heartbeat-checks").default(["availability"]),
    ...page,
  }),
  output: envelopeOf("heartbeat-checks", "HeartbeatAnalytics"),
  example: { params: { id: exampleIds.heartbeat }, query: { quickRange: "last7Days" } },
} as const satisfies Operation;

const MetricDescriptor = z
  .object({
    name: z.string(),
    unit: z.enum(metricUnits),
    label: z.string(),
    type: z.enum(["Array", "Int", "Integer", "Float", "String"]).optional().describe("String: not a number, so null in every row"),
    aggregated: z.boolean().describe("whether its name says how values are brought together; without that they are averaged"),
  })
  .meta({ id: "AnalyticsMetricDescriptor" });

export const listAnalyticsMetrics = {
  ...common,
  id: "listAnalyticsMetrics",
  path: "/v1/analytics/metrics",
  summary: "List the metrics of a check type",
  description: "In the order in which the type's own path names them. Types without analytics have none.",
  query: z.object({ checkType: CheckTypeName }),
  output: z.array(MetricDescriptor),
  example: { query: { checkType: "API" } },
} as const satisfies Operation;

const figure = z.number().nullable();

/** A check of the summary; what its type does not measure is null (spec 4.4). */
export const AnalyticsSummary = z
  .object({
    checkId: z.uuid(),
    checkType: CheckTypeName,
    availability: figure.describe("0 to 100"),
    responseTime_avg: figure.describe("milliseconds"),
    responseTime_p50: figure,
    responseTime_p95: figure,
    responseTime_p99: figure,
    latency_avg: figure.describe("milliseconds; ICMP monitors"),
    latency_p50: figure,
    latency_p95: figure,
    latency_p99: figure,
    packetLoss_avg: figure.describe("percent; ICMP monitors"),
    packetLoss_p95: figure,
    packetLoss_p99: figure,
    hopCount_avg: figure,
  })
  .meta({ id: "AnalyticsSummary" });
export type AnalyticsSummary = z.infer<typeof AnalyticsSummary>;

export const summarizeChecks = {
  ...common,
  id: "summarizeChecks",
  method: "POST",
  rateLimit: "standard",
  path: "/v1/analytics/checks",
  summary: "Summarize up to 100 checks over one window",
  description: `One entry for each check, in the order asked for, a check that is named twice once. Ids that name no check of this account are
left out. A check without results in the window has null everywhere.`,
  query: z.object({
    quickRange: QuickRange.extract(["last24Hours", "last7Days", "thisWeek", "lastWeek", "lastMonth"]).default("last24Hours"),
  }),
  body: z.object({ checkIds: z.array(z.uuid().min(1)).min(1).max(100) }).meta({ id: "AnalyticsSummaryRequest" }),
  output: z.array(AnalyticsSummary),
  example: { query: { quickRange: "last7Days" }, body: { checkIds: [exampleIds.check] } },
} as const satisfies Operation;

export const analyticsOperations = [
  ...Object.values(checkAnalytics),
  getHeartbeatAnalytics,
  listAnalyticsMetrics,
  summarizeChecks,
] as const;
