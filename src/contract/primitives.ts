import { z } from "zod";

/** Every instant on the wire: full ISO 8601 with milliseconds and `Z`, also where the spec says `date` (behaviour 1). */
export const Instant = z.iso.datetime({ precision: 3 }).describe("ISO 8601 instant in UTC, with milliseconds");

/** Above this, a unix timestamp cannot be meant in seconds: it would be the year 5138. */
const millisecondsFrom = 1e11;

const unixMs = (given: number | string): number => (Number(given) > millisecondsFrom ? Number(given) : Number(given) * 1000);

const timeError =
  "must be a unix timestamp (seconds or milliseconds), a day like 2026-05-01, or an ISO 8601 instant like 2026-05-01T12:00:00Z";

/** A time in a query: clients send unix timestamps (spec 4.3, 4.5), days and instants. Parsed: epoch milliseconds; a day begins at midnight UTC. */
export const QueryTime = z.union(
  [
    z.number().min(0).max(8.64e15).transform(unixMs).describe("unix timestamp; seconds, or milliseconds when above 10^11"),
    z
      .string()
      .regex(/^\d{1,20}(\.\d+)?(e\d{1,2})?$/i)
      .refine((given) => Number(given) <= 8.64e15)
      .transform(unixMs)
      .describe("the same, as it stands in a query"),
    z.iso.date().transform((given) => Date.parse(given)),
    z.iso.datetime({ offset: true }).transform((given) => Date.parse(given)),
  ],
  { error: ({ input }) => (input === undefined ? undefined : timeError) },
);

export const Uuid = z.uuid();

/** A text of one line. Written as what may stand in it: readers of the document know neither `\P{Cc}` nor `\u{…}`. */
export const plainText = new RegExp("^[ -~\u{a0}-\u{10ffff}]*$", "u");

/**
 * An id in a path. Its form is not checked here: what is no uuid names no resource, so the resource answers 404, as it does for
 * an unknown uuid.
 */
export const PathId = z.string().min(1).max(100);
/** A path id that is a uuid when it names something. */
export const UuidPathId = PathId.meta({ format: "uuid" });
/** A path id that is a number. */
export const NumberPathId = z.coerce.number().int().min(1).meta({ type: "integer" });

export const checkTypeNames = [
  "AGENTIC",
  "API",
  "BROWSER",
  "HEARTBEAT",
  "ICMP",
  "MULTI_STEP",
  "TCP",
  "PLAYWRIGHT",
  "TRACEROUTE",
  "URL",
  "DNS",
  "SSL",
  "GRPC",
] as const;

/** Every check type that the wire may name; the ones that run are the keys of `checkTypes`. */
export const CheckTypeName = z.enum(checkTypeNames);
export type CheckTypeName = z.infer<typeof CheckTypeName>;

/** A query flag: `true` and `false` as text. */
export const QueryBoolean = z.stringbool({ truthy: ["true", "1"], falsy: ["false", "0"] }).meta({ type: "boolean" });

/** A list in a query: the parameter repeated, given once, or comma separated. */
export function queryList<Item extends z.ZodType>(item: Item) {
  return z.preprocess(
    (given) => (typeof given === "string" || Array.isArray(given) ? [given].flat().flatMap(splitAtCommas) : given),
    z.array(item),
  );
}

function splitAtCommas(given: unknown): unknown[] {
  return typeof given === "string" ? given.split(",").filter((part) => part !== "") : [given];
}

/** A filter with nothing in it is none: clients send an empty list, or null, for what they leave out. */
export function notGivenWhereEmpty<Item>(given: readonly Item[] | null): readonly Item[] | undefined {
  return given === null || given.length === 0 ? undefined : given;
}

/** A filter that is null is none. */
export function absentWhereNull<Item extends z.ZodType>(list: z.ZodArray<Item>) {
  return list
    .nullable()
    .transform((given) => given ?? undefined)
    .optional();
}

/** A parameter that clients send empty where they have none: no cursor yet. */
export function absentWhereEmpty<S extends z.ZodType>(schema: S) {
  return z.preprocess((given) => (given === "" ? undefined : given), schema.optional()).optional();
}

/** Entries per answer (spec 8). */
export const Limit = z.coerce.number().int().min(1).max(100).default(10).describe("entries per answer");

/** Page number of a paged list, from 1. The reference states the bound twice, so we do too. */
export const Page = z.coerce.number().int().positive().default(1).meta({ minimum: 0, description: "page, from 1" });

/**
 * A mail address of people: what RFC 5321 lets stand before the @ without quotes (`bounce+ann=example.org@example.com`), at a host of two labels or
 * more. Neither spaces nor control characters, so it is safe in a header.
 */
export const MailAddress = z.email({
  pattern: /^(?!\.)(?!.*\.\.)[\w.!#$%&'*+/=?^`{|}~-]*[\w!#$%&'*+/=?^`{|}~-]@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/,
});
