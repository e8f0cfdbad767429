import type { z } from "zod";
import { mayHoldSecret, tellIssue } from "#contract/issue-sentences.ts";
import type { Operation } from "#contract/operation.ts";
import { AppError } from "#domain/app-error.ts";

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
  throw validationError(parsed.error.issues, input);
}

/**
 * Parses what an operation takes. @param body undefined where there is none
 *
 * @throws {AppError} as `parsePart`
 */
export function parseInput(
  { params, query, body }: Operation,
  given: { readonly params: unknown; readonly query: unknown; readonly body: unknown },
) {
  return { params: parsePart(params, given.params), query: parsePart(query, given.query), body: parsePart(body, given.body) };
}

/** Of a number that was made of a text, as in a query, the text: `abc` and not NaN. */
function asReceived(issue: z.core.$ZodIssue, given: unknown): z.core.$ZodIssue {
  if (typeof issue.input !== "number") return issue;
  const received = issue.path.reduce<unknown>(
    (value, part) => (typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined),
    given,
  );
  // Only what is told of it is another one.
  return typeof received === "string" || Array.isArray(received) ? ({ ...issue, input: received } as z.core.$ZodIssue) : issue;
}

function validationError(issues: readonly z.core.$ZodIssue[], input: unknown): AppError {
  const told = issues.slice(0, maxListedIssues).map((issue) => tellIssue(asReceived(issue, input), mayHoldSecret));
  const sentences = told.slice(0, maxToldIssues).map(({ path, message }) => (path === "" ? `The body ${message}` : `"${path}" ${message}`));
  const more = issues.length - sentences.length;
  const message = more > 0 ? `${sentences.join("; ")}; and ${more} more` : sentences.join("; ");
  return new AppError("invalid_input", message, { attributes: { issues: told } });
}
