import type { Assertion, AssertionSource, EvaluatedAssertion } from "#contract/checks/assertion.ts";
import { grpcStatusNames, servingStatusNames } from "../grpc-names.ts";
import { compare, decimalOf, expectation, quoted } from "./comparison.ts";
import type { AssertionFacts } from "./facts.ts";
import { jsonPathOf, valuesAt } from "./json-path.ts";
import { type ParsedJson, parsedJson } from "./json-text.ts";
import { firstMatch, patternOf } from "./pattern.ts";
import { TooMuchWork, tooMuchWork, WorkBudget } from "./work-budget.ts";

/** What an assertion looks at: one value or, for a JSONPath, any number; none means `absence`. */
type Seen = { readonly subject: string; readonly values: readonly unknown[]; readonly absence: string } | { readonly problem: string };

/** What the assertions of one attempt share: the body is decoded and parsed at most once, and work is bounded together. */
interface Reading {
  readonly facts: AssertionFacts;
  readonly budget: WorkBudget;
  json: ParsedJson | undefined;
}

/** Sources whose property is a JSONPath. */
export const jsonSources: ReadonlySet<AssertionSource> = new Set(["JSON_BODY", "JSON_ANSWER", "JSON_RESPONSE", "GRPC_RESPONSE"]);
/** Sources whose property is a regular expression on the text. */
export const textSources: ReadonlySet<AssertionSource> = new Set(["TEXT_BODY", "TEXT_ANSWER", "TEXT_RESPONSE", "RESPONSE_DATA"]);

const actualLimitBytes = 10_240;

/**
 * Evaluates every assertion, in order (behaviour 2.1). Never throws for what a user or a target wrote: a bad
 * expression, a body that is no JSON, or one that is too large or too deep to query is a failed assertion.
 *
 * Bounds: JSON of five million values and any depth (parsing and comparing do not recurse), `..` to 512 levels, and
 * regular expressions and JSONPath as far as the budget goes: about two seconds per attempt, parsing apart.
 */
export function evaluateAssertions(
  assertions: readonly Assertion[],
  facts: AssertionFacts,
  budget: WorkBudget = new WorkBudget(),
): EvaluatedAssertion[] {
  const reading: Reading = { facts, budget, json: undefined };
  return assertions.map((assertion) => evaluate(assertion, reading));
}

/** What becomes of an assertion whose evaluation was given up. */
export function refusedAssertion(assertion: Assertion): EvaluatedAssertion {
  return { ...assertion, target: coercedTarget(assertion), error: tooMuchWork("the assertion"), actual: null };
}

/** Whether it parses the text or searches it, which takes long where the text is long; comparing all of it does not. */
export function searchesText({ source, property }: Assertion): boolean {
  return jsonSources.has(source) || (property !== "" && textSources.has(source));
}

/** The sources whose values and targets are whole numbers. */
const integerSources: ReadonlySet<AssertionSource> = new Set([
  "STATUS_CODE",
  "RESPONSE_TIME",
  "GRPC_STATUS_CODE",
  "GRPC_HEALTHCHECK_STATUS",
]);

/** Numbers that have names, by which a target may call them. */
const namesOfNumbers: { readonly [Source in AssertionSource]?: readonly string[] } = {
  GRPC_STATUS_CODE: grpcStatusNames,
  GRPC_HEALTHCHECK_STATUS: servingStatusNames,
};

function comparesIntegers(assertion: Assertion): boolean {
  return integerSources.has(assertion.source);
}

/** The target, as a number where it is the name of one. */
function plainTarget({ source, target }: Assertion): string {
  const at = namesOfNumbers[source]?.indexOf(target) ?? -1;
  return at === -1 ? target : String(at);
}

/** A clause when the target of an integer source is none, where the comparison needs one. */
export function targetProblem(assertion: Assertion): string | undefined {
  if (!comparesIntegers(assertion) || !["EQUALS", "NOT_EQUALS", "GREATER_THAN", "LESS_THAN"].includes(assertion.comparison))
    return undefined;
  return Number.isSafeInteger(decimalOf(plainTarget(assertion)))
    ? undefined
    : `the target ${quoted(assertion.target)} is not a whole number`;
}

function evaluate(assertion: Assertion, reading: Reading): EvaluatedAssertion {
  const told: EvaluatedAssertion = { ...assertion, target: coercedTarget(assertion) };
  const seen = withinBudget(() => readers[assertion.source](assertion, reading));
  if ("problem" in seen) return { ...told, error: seen.problem, actual: null };
  const unfit = targetProblem(assertion);
  const values = seen.values.length === 0 ? [undefined] : seen.values;
  for (const [index, value] of values.entries()) {
    const outcome = unfit ?? compare(assertion.comparison, value, targetFor(assertion));
    if (outcome === true) continue;
    return { ...told, error: sentence(assertion, seen, value, index, outcome), actual: shown(value) };
  }
  return told;
}

function coercedTarget(assertion: Assertion): string | number {
  if (!comparesIntegers(assertion)) return assertion.target;
  return assertion.target === "" ? 0 : (decimalOf(plainTarget(assertion)) ?? assertion.target);
}

/** Header names are lower-case here, so a key asked for among all headers is too. */
function targetFor(assertion: Assertion): string {
  const { source, property, comparison } = assertion;
  const isOfHeaders = source === "HEADERS" || source === "GRPC_METADATA";
  const asksHeaderName = isOfHeaders && property === "" && (comparison === "HAS_KEY" || comparison === "NOT_HAS_KEY");
  const target = plainTarget(assertion);
  return asksHeaderName ? target.toLowerCase() : target;
}

function sentence(
  assertion: Assertion,
  seen: Extract<Seen, { subject: string }>,
  value: unknown,
  index: number,
  outcome: string | false,
): string {
  const { subject, values, absence } = seen;
  const expected = `expected ${subject} ${expectation(assertion.comparison, assertion.target)}`;
  const which = values.length > 1 ? ` in value ${index + 1} of ${values.length}` : "";
  const got = value === undefined ? absence : `got ${quoted(asText(value))}${which}`;
  return `${expected}, ${got}${outcome === false ? "" : `, ${outcome}`}`;
}

function withinBudget(read: () => Seen): Seen {
  try {
    return read();
  } catch (error) {
    if (error instanceof TooMuchWork) return { problem: error.message };
    throw error;
  }
}

type Reader = (assertion: Assertion, reading: Reading) => Seen;

const readText =
  (subject: string): Reader =>
  (assertion, reading) =>
    readMatch(subject, reading.facts.text(), assertion.property, reading);

const readers: Readonly<Record<AssertionSource, Reader>> = {
  STATUS_CODE: (_, { facts }) => oneValue("the status code", facts.statusCode, "no status code arrived"),
  RESPONSE_TIME: readTime,
  RESPONSE_CODE: (_, { facts }) => oneValue("the response code", facts.responseCode ?? null, "no answer came"),
  HEADERS: readHeader("the headers", "header"),
  TEXT_BODY: readText("the body"),
  RESPONSE_DATA: readText("the data"),
  TEXT_ANSWER: readText("the answer"),
  TEXT_RESPONSE: readText("the answer"),
  JSON_BODY: readJson,
  JSON_ANSWER: readJson,
  JSON_RESPONSE: readJson,
  LATENCY: readField,
  CERTIFICATE: readField,
  CONNECTION: readField,
  HOP_COUNT: (_, { facts }) => oneValue("the hop count", facts.hopCount ?? null, "the target was not reached"),
  PACKET_LOSS: (_, { facts }) => oneValue("the packet loss", facts.packetLoss ?? null, "nothing was sent"),
  GRPC_RESPONSE: readJson,
  GRPC_METADATA: readHeader("the metadata", "metadata"),
  GRPC_HEALTHCHECK_STATUS: (_, { facts }) => oneValue("the health status", facts.grpc?.healthStatus ?? null, "no health status came"),
  GRPC_STATUS_CODE: (_, { facts }) => oneValue("the gRPC status code", facts.grpc?.statusCode ?? null, "no status code arrived"),
};

/** Where there are several times the property says which, `avg` without one; for the others it says nothing. */
function readTime(assertion: Assertion, reading: Reading): Seen {
  const { responseTimeMs, fields } = reading.facts;
  if (fields?.RESPONSE_TIME === undefined || assertion.property === "")
    return oneValue("the response time", Math.round(responseTimeMs), "");
  const seen = readField(assertion, reading);
  return "problem" in seen
    ? seen
    : { ...seen, values: seen.values.map((value) => (typeof value === "number" ? Math.round(value) : value)) };
}

function oneValue(subject: string, value: unknown, absence: string): Seen {
  return { subject, values: value === null ? [] : [value], absence };
}

/** One of several values by its name; without a name, all of them as one object. */
function readField({ source, property }: Assertion, { facts }: Reading): Seen {
  const fields = facts.fields?.[source] ?? {};
  const what = `the ${source.toLowerCase().replace("_", " ")}`;
  if (property === "") return { subject: what, values: [fields], absence: "" };
  const value = Object.hasOwn(fields, property) ? fields[property] : undefined;
  const absence = `there is no such field (there are ${Object.keys(fields).join(", ")})`;
  return { subject: `${quoted(property)} of ${what}`, values: value === undefined ? [] : [value], absence };
}

/** Without a name, all headers as one object: `HAS_KEY` then asks whether a header came. */
function readHeader(all: string, one: string): Reader {
  return (assertion, reading) => {
    const { headers } = reading.facts;
    if (assertion.property === "") return { subject: all, values: [headers], absence: "" };
    const subject = `the ${one} ${quoted(assertion.property)}`;
    const name = assertion.property.toLowerCase();
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (value === undefined) return { subject, values: [], absence: `there is no such ${one}` };
    return readMatch(subject, value, assertion.regex ?? "", reading);
  };
}

function readMatch(subject: string, text: string, source: string, reading: Reading): Seen {
  if (source === "") return { subject, values: [text], absence: "" };
  const pattern = patternOf(source);
  if ("problem" in pattern) return pattern;
  const match = firstMatch(pattern, text, reading.budget);
  return {
    subject: `the match of ${quoted(source)} in ${subject}`,
    values: match === undefined ? [] : [match],
    absence: "nothing matches",
  };
}

function readJson(assertion: Assertion, reading: Reading): Seen {
  const path = jsonPathOf(assertion.property);
  if ("problem" in path) return path;
  const { json: structured, text } = reading.facts;
  const json = (reading.json ??= structured === undefined ? parsedJson(text()) : { value: structured() });
  if ("problem" in json) return json;
  const where = assertion.property || "$";
  return {
    subject: `the value at ${quoted(where)}`,
    values: valuesAt(path, json.value, reading.budget),
    absence: `there is no value at path ${quoted(where)}`,
  };
}

/** Numbers, booleans and null as they are; text, also of objects and arrays, cut at 10 KB. */
function shown(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value !== "string" && typeof value !== "object") return value;
  return value === null ? null : cut(asText(value));
}

function asText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value);
  } catch {
    return "(nested too deeply to show)"; // older engines overflow here
  }
}

/** Cuts at 10 KB of UTF-8 without leaving half a character. */
function cut(text: string): string {
  if (text.length * 3 <= actualLimitBytes) return text;
  const bytes = Buffer.from(text.slice(0, actualLimitBytes));
  if (bytes.length <= actualLimitBytes && text.length <= actualLimitBytes) return text;
  return bytes
    .subarray(0, actualLimitBytes)
    .toString()
    .replace(/\uFFFD$/, "");
}
