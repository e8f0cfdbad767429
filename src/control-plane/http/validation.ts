import type { z } from "zod";
import { AppError } from "#domain/app-error.ts";

/** Values under these names may be secrets or long; a message never repeats them. */
const unspoken =
  /^(value|key|.*password|.*secret|.*token|.*script|authorization|cookie|body|data|url|proxyUrl|username|target|detail|errorMessage)$/i;
const maxToldIssues = 5;
const maxListedIssues = 50;

/**
 * Parses one part of a request.
 *
 * @throws {AppError} invalid_input naming each field, what was received and what is allowed
 */
export function parsePart<S extends z.ZodType>(schema: S | undefined, input: unknown): z.output<S> | undefined {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw validationError(parsed.error.issues);
}

function validationError(issues: readonly z.core.$ZodIssue[]): AppError {
  const told = issues.slice(0, maxListedIssues).map((issue) => ({ path: pathOf(issue), message: messageOf(issue) }));
  const sentences = told.slice(0, maxToldIssues).map(({ path, message }) => (path === "" ? `The body ${message}` : `"${path}" ${message}`));
  const more = issues.length - sentences.length;
  const message = more > 0 ? `${sentences.join("; ")}; and ${more} more` : sentences.join("; ");
  return new AppError("invalid_input", message, { attributes: { issues: told } });
}

/** `request.headers[0].key` */
function pathOf(issue: z.core.$ZodIssue): string {
  return issue.path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : `${text}${text === "" ? "" : "."}${String(part)}`),
    "",
  );
}

type Issue = z.core.$ZodIssue;
type IssueOf<Code extends Issue["code"]> = Extract<Issue, { readonly code: Code }>;
const given = (issue: Issue): string => issue.message;

const messages: { readonly [Code in Issue["code"]]: (issue: IssueOf<Code>, received: string) => string } = {
  invalid_type: ({ input, expected }, received) =>
    input === undefined ? `is required: ${article(expected)}` : `must be ${article(expected)}, received ${received}`,
  invalid_value: ({ values }, received) =>
    `must be ${values.length === 1 ? "" : "one of "}${values.map(String).join(", ")}; received ${received}`,
  too_small: (issue, received) => `must ${bound(issue.origin, "at least", Number(issue.minimum), issue.inclusive)}, received ${received}`,
  too_big: (issue, received) => `must ${bound(issue.origin, "at most", Number(issue.maximum), issue.inclusive)}, received ${received}`,
  // A pattern of ours brings its own words.
  invalid_format: (issue, received) =>
    `${issue.format === "regex" ? issue.message : `must be a valid ${issue.format}`}, received ${received}`,
  not_multiple_of: ({ divisor }, received) => `must be a multiple of ${divisor}, received ${received}`,
  invalid_union: unionMessage,
  unrecognized_keys: given,
  invalid_key: given,
  invalid_element: given,
  custom: given,
};

function messageOf(issue: Issue): string {
  // The table is keyed by the very code that types its entries.
  return (messages[issue.code] as (issue: Issue, received: string) => string)(issue, receivedOf(issue));
}

/** The branch that came closest says most: the one whose problem lies deepest. */
function unionMessage(issue: z.core.$ZodIssueInvalidUnion, received: string): string {
  const depth = (issues: readonly z.core.$ZodIssue[]): number => Math.max(0, ...issues.map(({ path }) => path.length));
  const closest = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0]?.[0];
  if (closest === undefined || closest.path.length > 0) {
    return closest === undefined
      ? `is not of an allowed form, received ${received}`
      : `is not of an allowed form: "${pathOf(closest)}" ${messageOf(closest)}`;
  }
  return `must match one of: ${issue.errors.flatMap((branch) => branch.slice(0, 1).map(messageOf)).join(" | ")}`;
}

function bound(origin: string, side: "at least" | "at most", limit: number, inclusive: boolean | undefined): string {
  const unit = { string: " characters", array: " entries", file: " bytes" }[origin];
  const exactly = inclusive === false ? (side === "at least" ? "more than" : "less than") : side;
  return unit === undefined ? `be ${exactly} ${limit}` : `have ${exactly} ${limit}${unit}`;
}

function receivedOf({ input, path, code }: z.core.$ZodIssue): string {
  const countsOnly = code === "too_small" || code === "too_big";
  if (input === undefined) return "nothing";
  if (input === null) return "null";
  if (Array.isArray(input)) return countsOnly ? `${input.length}` : "an array";
  if (typeof input === "string" && countsOnly) return `${input.length} characters`;
  if (typeof input === "object") return "an object";
  if (path.some((part) => unspoken.test(String(part)))) return `${article(typeof input)} that is not shown`;
  return typeof input === "string" ? JSON.stringify(cut(input)) : String(input as number | boolean);
}

function cut(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}

function article(type: string): string {
  const names: Readonly<Record<string, string>> = { record: "object", int: "whole number", nan: "number" };
  const name = names[type] ?? type;
  return `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}
