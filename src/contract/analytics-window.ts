import { z } from "zod";
import { QueryTime } from "./primitives.ts";

/** Windows by name (spec 4.3). */
export const QuickRange = z.enum(["last24Hours", "last7Days", "last30Days", "thisWeek", "thisMonth", "lastWeek", "lastMonth"]);
export type QuickRange = z.infer<typeof QuickRange>;

/** The window of a query; the time zone that weeks and months follow is the account's. */
export const windowQuery = {
  from: QueryTime.optional().describe("start; unix timestamp (seconds or milliseconds), ISO day (UTC) or instant; wins over quickRange"),
  to: QueryTime.optional().describe("end, not included; as `from`"),
  quickRange: QuickRange.default("last24Hours").describe("weeks begin on Monday, in the account's time zone"),
};
