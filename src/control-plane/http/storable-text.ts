import { AppError } from "#domain/app-error.ts";

/**
 * What a store cannot keep as it is does not get in, under either engine. PostgreSQL keeps no NUL character in a text, and SQLite
 * compares only what stands before it; half a surrogate pair has no UTF-8, so both would keep another text. What agents report is not
 * looked at: bodies of targets may hold anything, and details are stored as bytes.
 *
 * @param part of a request; nested at most as deep as `parseJsonBody` allows
 * @throws {AppError} invalid_input
 */
export function refuseUnstorableText(part: unknown): void {
  const problem = problemOf(part);
  if (problem !== undefined) throw new AppError("invalid_input", problem);
}

function problemOf(value: unknown): string | undefined {
  if (typeof value === "string") return problemOfText(value);
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, entry] of Object.entries(value)) {
    const problem = problemOfText(key) ?? problemOf(entry);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOfText(text: string): string | undefined {
  if (text.includes("\0")) return "A text must not contain the character U+0000";
  return text.isWellFormed() ? undefined : "A text must not contain half of a surrogate pair (U+D800 to U+DFFF)";
}
