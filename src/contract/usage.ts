import { z } from "zod";
import type { Operation } from "./operation.ts";
import { absentWhereEmpty, CheckTypeName, queryList, Uuid } from "./primitives.ts";

/* How much was run, in the shapes that the public command line reads. Nothing is sold here: there are no budgets, credits or units. */

const Day = z.iso.date();
const nothingSold = "null: nothing is sold";

export const UsageTerms = z
  .object({
    id: Uuid.describe("of the account"),
    name: z.string(),
    accounts: z.array(z.object({ id: Uuid, name: z.string() })).describe("the account of the key"),
    contractStartDate: Day.describe("when the account was made"),
    contractEndDate: Day.describe("always 9999-12-31"),
    usageStartDate: Day,
    creditBudget: z.number().nullable().describe(nothingSold),
    standardCreditsPerUnit: z.number().nullable().describe(nothingSold),
    premiumCreditsPerUnit: z.number().nullable().describe(nothingSold),
  })
  .meta({ id: "UsageTerms" });
export type UsageTerms = z.infer<typeof UsageTerms>;

const count = z.int().min(0);
const never = count.describe("always 0: not counted apart");

const CheckRuns = z
  .object({
    totalRuns: count.describe("with those that were retried"),
    finalRuns: count,
    retryRuns: count.describe("attempts that failed and were made again"),
    cancelledRuns: never,
    multiStepRequests: never,
    playwrightBillableDurationMs: z.number().min(0).describe("milliseconds; always 0"),
    degradedRuns: count,
    failedRuns: count,
    errorRuns: never,
    abortedRuns: never,
    overMaxResponseTimeRuns: never,
    standardBillableUnits: never,
    premiumBillableUnits: never,
  })
  .meta({ id: "UsageCheckRuns" });

const metrics = {
  credits: z.object({ used: z.number().nullable().describe(nothingSold), percentOfBudget: z.number().nullable().describe(nothingSold) }),
  meters: z.array(z.object({ meterType: z.literal("CHECK_RUN"), measures: CheckRuns })),
};
export const UsageMetrics = z.object(metrics).meta({ id: "UsageMetrics" });
export type UsageMetrics = z.infer<typeof UsageMetrics>;

const Projection = z
  .object({
    usage: UsageMetrics,
    projectedAnnualPercentOfBudget: z.number().nullable().describe(nothingSold),
    projectedCreditsAtContractEnd: z.number().nullable().describe(nothingSold),
    projectedPercentAtContractEnd: z.number().nullable().describe(nothingSold),
    projectedWeeksUntilExhausted: z.number().nullable().describe("weeks; null: nothing is sold"),
  })
  .meta({ id: "UsageProjection" });
export type UsageProjection = z.infer<typeof Projection>;

const period = { from: Day, to: Day.describe("included") };

export const UsageSummary = z
  .object({
    usageTermsId: Uuid,
    period: z.object(period),
    totals: UsageMetrics,
    projections: z.object({
      weeksSinceStart: count,
      weeksRemaining: count,
      remainingCredits: z.number().nullable().describe(nothingSold),
      windows: z.object({ sinceStart: Projection, last30Days: Projection, last7Days: Projection, last1Day: Projection }),
    }),
  })
  .meta({ id: "UsageSummary" });

const intervals = ["total", "day", "week", "month"] as const;
const groupings = ["account", "checkType", "account,checkType"] as const;

const UsageRow = z
  .object({
    periodStart: Day,
    periodEnd: Day.describe("included"),
    accountId: Uuid.optional(),
    checkType: CheckTypeName.optional(),
    ...metrics,
  })
  .meta({ id: "UsageRow" });
export type UsageRow = z.infer<typeof UsageRow>;

export const UsageSeries = z
  .object({
    usageTermsId: Uuid,
    period: z.object({ ...period, interval: z.enum(intervals), groupBy: z.enum(groupings) }),
    data: z.array(UsageRow).describe("the earliest first; periods in which nothing ran are left out"),
    length: count,
    nextId: z.string().nullable(),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  })
  .meta({ id: "UsageSeries" });

const common = { tag: "Analytics", method: "GET", access: "read", rateLimit: "analytics", successStatus: 200, errors: [404] } as const;
const terms = {
  usageTermsId: z.string().max(100).optional().describe("of the account"),
  to: Day.optional().describe("day, included; today when omitted"),
};
const range = {
  ...terms,
  from: Day.optional().describe("day; that of the account's creation when omitted, and at most 800 days back"),
  accountIds: queryList(z.string().max(100)).optional().describe("the account of the key"),
  checkTypes: queryList(CheckTypeName).optional().describe("only checks of these types"),
};

export const getUsageTerms = {
  ...common,
  id: "getUsageTerms",
  path: "/v1/usage/terms",
  summary: "Tell what usage is counted of",
  query: z.object(terms),
  output: UsageTerms,
  example: {},
} as const satisfies Operation;

export const getUsageSummary = {
  ...common,
  id: "getUsageSummary",
  path: "/v1/usage/summary",
  summary: "Count the runs of a time",
  description: "Days are those of UTC. Runs of checks that were deleted count no more.",
  query: z.object(range),
  output: UsageSummary,
  example: { query: { checkTypes: ["API", "BROWSER"] } },
} as const satisfies Operation;

export const getUsageSeries = {
  ...common,
  id: "getUsageSeries",
  path: "/v1/usage/series",
  summary: "Count the runs of each day, week or month",
  description: "Weeks begin on Monday. The first and the last part are cut to the time that was asked for.",
  query: z.object({
    ...range,
    interval: z.enum(intervals).default("day"),
    groupBy: z.enum(groupings).default("account,checkType"),
    limit: z.coerce.number().int().min(1).max(500).default(100).describe("rows per answer"),
    nextId: absentWhereEmpty(z.string().max(50)).describe("`nextId` of the answer before"),
  }),
  output: UsageSeries,
  example: { query: { interval: "month", groupBy: "checkType" } },
} as const satisfies Operation;

export const usageOperations = [getUsageTerms, getUsageSummary, getUsageSeries] as const;
