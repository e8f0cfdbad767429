import type { z } from "zod";
import { tellIssue } from "#contract/issue-sentences.ts";
import type { Operation } from "#contract/operation.ts";
import { AppError } from "#domain/app-error.ts";

/** Values under these names may be secrets or long; a message never repeats them. */
const unspoken =
  /^(value|.*key|passphrase|.*password|.*secret|.*token|.*script|authorization|cookie|body|data|url|proxyUrl|username|target|detail|errorMessage)$/i;
const isUnspoken = (path: readonly PropertyKey[]): boolean => path.some((part) => unspoken.test(String(part)));
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

function validationError(issues: readonly z.core.$ZodIssue[]): AppError {
  const told = issues.slice(0, maxListedIssues).map((issue) => tellIssue(issue, isUnspoken));
  const sentences = told.slice(0, maxToldIssues).map(({ path, message }) => (path === "" ? `The body ${message}` : `"${path}" ${message}`));
  const more = issues.length - sentences.length;
  const message = more > 0 ? `${sentences.join("; ")}; and ${more} more` : sentences.join("; ");
  return new AppError("invalid_input", message, { attributes: { issues: told } });
}
