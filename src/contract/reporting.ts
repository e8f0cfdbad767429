import { z } from "zod";
import type { Operation } from "./operation.ts";
import { Instant, QueryBoolean, QueryTime, queryList } from "./primitives.ts";

/** The same windows as those of analytics; the first goes by another name here (reference). */
export const ReportRange = z.enum(["last24Hrs", "last7Days", "last30Days", "thisWeek", "thisMonth", "lastWeek", "lastMonth"]);
export type ReportRange = z.infer<typeof ReportRange>;

const figures = {
  successRatio: z.number().min(0).describe("0 to 100"),
  avg: z.number().min(0).describe("response time, milliseconds"),
  p95: z.number().min(0),
  p99: z.number().min(0),
};

/** Figures of one check over the window. */
export const Report = z
  .object({
    name: z.string(),
    checkId: z.string(),
    checkType: z.string(),
    deactivated: z.boolean().default(false),
    tags: z.array(z.string()),
    aggregate: z.object(figures).meta({ id: "ReportAggregate" }).optional().describe("absent without results in the window"),
    aggregates: z
      .array(z.object({ ...figures, from: Instant, to: Instant }).meta({ id: "ReportBucket" }))
      .optional()
      .describe("with granularity: one for each day, week or month that has results, the earliest first"),
  })
  .meta({ id: "Report" });
export type Report = z.infer<typeof Report>;
export type ReportFigures = z.infer<z.ZodObject<typeof figures>>;

export const getReport = {
  tag: "Reporting",
  method: "GET",
  access: "read",
  rateLimit: "standard",
  successStatus: 200,
  id: "getReport",
  path: "/v1/reporting",
  summary: "Report on every check over one window",
  description: `Checks in the order of their creation. \`successRatio\` is the share of runs without failure of those that ran to their end, in
percent; \`avg\`, \`p95\` and \`p99\` are response times in milliseconds (of ICMP monitors the average latency), 0 where none was measured. With \`granularity\` there are
also figures for each day, week (from Monday) or month between midnights of the time zone; the first and the last are cut to the window, and
at most 100 are told.`,
  query: z.object({
    from: QueryTime.optional().describe("start; unix timestamp (seconds or milliseconds), ISO day (UTC) or instant; wins over quickRange"),
    to: QueryTime.optional().describe("end, not included; as `from`"),
    quickRange: ReportRange.default("last24Hrs"),
    filterByTags: queryList(z.string().max(255)).optional().describe("checks that carry all of these tags"),
    deactivated: QueryBoolean.nullable().default(null).describe("true: only deactivated checks; false: only activated ones; omitted: all"),
    granularity: z.enum(["day", "week", "month"]).optional(),
    timezone: z.string().max(64).optional().describe("IANA name; the account's when omitted"),
  }),
  output: z.array(Report),
  example: { query: { quickRange: "last7Days", granularity: "day" } },
} as const satisfies Operation;

export const reportingOperations = [getReport] as const;
