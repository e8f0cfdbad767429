import { z } from "zod";
import { listOf } from "../list-of.ts";

export const comparisons = [
  "EQUALS",
  "NOT_EQUALS",
  "HAS_KEY",
  "NOT_HAS_KEY",
  "HAS_VALUE",
  "NOT_HAS_VALUE",
  "IS_EMPTY",
  "NOT_EMPTY",
  "GREATER_THAN",
  "LESS_THAN",
  "CONTAINS",
  "NOT_CONTAINS",
  "IS_NULL",
  "NOT_NULL",
] as const;
export type Comparison = (typeof comparisons)[number];

/** Every source that an assertion of some check type can name (behaviour 2.1). */
export const assertionSources = [
  "STATUS_CODE",
  "RESPONSE_TIME",
  "HEADERS",
  "TEXT_BODY",
  "JSON_BODY",
  "RESPONSE_DATA",
  "RESPONSE_CODE",
  "TEXT_ANSWER",
  "JSON_ANSWER",
  "LATENCY",
  "CERTIFICATE",
  "CONNECTION",
  "TEXT_RESPONSE",
  "JSON_RESPONSE",
  "HOP_COUNT",
  "PACKET_LOSS",
  "GRPC_RESPONSE",
  "GRPC_METADATA",
  "GRPC_HEALTHCHECK_STATUS",
  "GRPC_STATUS_CODE",
] as const;
export type AssertionSource = (typeof assertionSources)[number];

/** An assertion of any check type. */
export interface Assertion {
  readonly source: AssertionSource;
  readonly comparison: Comparison;
  readonly property: string;
  readonly target: string;
  readonly regex: string | null;
}

/** Assertions of one check: each is evaluated in every run. */
export const maxAssertions = 200;
const maxTextLength = 10_000;

/** The assertion schema of a check type: the sources it has and the comparisons they take. */
export function assertionSchema<const S extends readonly string[], const C extends readonly Comparison[]>(
  id: string,
  sources: S,
  allowed: C,
) {
  return z
    .object({
      source: z.enum(sources),
      comparison: z.enum(allowed),
      property: z.string().max(maxTextLength).default("").describe(propertyMeaning(sources)),
      target: z.string().max(maxTextLength).default(""),
      regex: z
        .string()
        .max(maxTextLength)
        .nullable()
        .default("")
        .describe(sources.includes("HEADERS") ? "HEADERS: a regular expression on the value" : "not used"),
    })
    .meta({ id });
}

/** An assertion as evaluated: `target` coerced (a number for STATUS_CODE), `error` and `actual` only where it failed. */
export const EvaluatedAssertion = z.looseObject({
  source: z.string(),
  comparison: z.string(),
  property: z.string(),
  target: z.union([z.string(), z.number()]),
  regex: z.string().nullable().optional(),
  error: z.string().optional(),
  actual: z.unknown().optional(),
});
export type EvaluatedAssertion = z.infer<typeof EvaluatedAssertion>;
/** A check's own and its group's; null where none were evaluated. */
export const EvaluatedAssertions = listOf(EvaluatedAssertion, 2 * maxAssertions).nullable();

const meanings: Readonly<Record<string, string | undefined>> = {
  JSON_BODY: "a JSONPath (RFC 9535)",
  JSON_ANSWER: "a JSONPath (RFC 9535)",
  JSON_RESPONSE: "a JSONPath (RFC 9535)",
  HEADERS: "the header's name",
  TEXT_BODY: "a regular expression",
  TEXT_ANSWER: "a regular expression",
  TEXT_RESPONSE: "a regular expression",
  RESPONSE_DATA: "a regular expression",
  LATENCY: "avg, min, max or stdDev",
  CERTIFICATE: "the field's name, such as daysUntilExpiry",
  CONNECTION: "the field's name, such as tlsVersion",
  GRPC_RESPONSE: "a JSONPath (RFC 9535)",
  GRPC_METADATA: "the key, in headers or trailers; grpc-message is the status message",
};

function propertyMeaning(sources: readonly string[]): string {
  const told = sources.flatMap((source) => (meanings[source] === undefined ? [] : `${source}: ${meanings[source]}`));
  return told.length === 0 ? "not used" : told.join("; ");
}
