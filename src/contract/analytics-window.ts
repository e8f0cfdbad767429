import { z } from "zod";
import { UnixTimestamp } from "./primitives.ts";

/** Windows by name (spec 4.3). */
export const QuickRange = z.enum(["last24Hours", "last7Days", "last30Days", "thisWeek", "thisMonth", "lastWeek", "lastMonth"]);
export type QuickRange = z.infer<typeof QuickRange>;

/** An edge of a window: a unix timestamp (spec 4.3), or a day or an instant in ISO 8601. Parsed: epoch milliseconds. */
export const WindowTime = z.union([
  UnixTimestamp,
  z.iso.date().transform((given) => Date.parse(given)),
  z.iso.datetime({ offset: true }).transform((given) => Date.parse(given)),
]);

/** The window of a query; the time zone that weeks and months follow is the account's. */
export const windowQuery = {
  from: WindowTime.optional().describe("start; unix timestamp (seconds or milliseconds), ISO day (UTC) or instant; wins over quickRange"),
  to: WindowTime.optional().describe("end, not included; as `from`"),
  quickRange: QuickRange.default("last24Hours").describe("weeks begin on Monday, in the account's time zone"),
};
