import { z } from "zod";
import { withDefaults } from "../with-defaults.ts";

const OnlyOn = z.enum(["NETWORK_ERROR"]);

const fields = {
  type: z.enum(["FIXED", "LINEAR", "EXPONENTIAL", "SINGLE_RETRY"]),
  baseBackoffSeconds: z.number().min(0).max(86_400).describe("seconds that the delays are built from"),
  sameRegion: z.boolean().describe("false retries at another of the check's locations"),
  maxRetries: z.number().int().min(1).max(10),
  maxDurationSeconds: z.number().min(0).max(600).describe("bounds the whole run, attempts included"),
  onlyOn: z
    .union([z.array(OnlyOn).max(10), OnlyOn])
    .transform((given) => [given].flat())
    .pipe(z.array(OnlyOn))
    .optional()
    .describe("NETWORK_ERROR: retry only when no status code arrived; one bare value is accepted"),
};

/** What follows a failed attempt (spec 2.5, behaviour 2.5). */
export const RetryStrategy = z
  .object(withDefaults(fields, { baseBackoffSeconds: 60, sameRegion: true, maxRetries: 2, maxDurationSeconds: 600 }))
  .meta({ id: "RetryStrategy" });
export type RetryStrategy = z.output<typeof RetryStrategy>;

/** A strategy in a partial update: what is omitted keeps its value. */
export const RetryStrategyUpdate = z.object(fields).partial().required({ type: true }).meta({ id: "RetryStrategyUpdate" });
export type RetryStrategyUpdate = z.output<typeof RetryStrategyUpdate>;
