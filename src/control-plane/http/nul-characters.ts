import { AppError } from "#domain/app-error.ts";

/**
 * PostgreSQL keeps no NUL character in a text, and SQLite compares only what stands before it. So none gets in, under either engine.
 * What agents report is not looked at: bodies of targets may hold anything, and details are stored as bytes.
 *
 * @param part of a request; nested at most as deep as `parseJsonBody` allows
 * @throws {AppError} invalid_input
 */
export function refuseNulCharacters(part: unknown): void {
  if (hasNul(part)) throw new AppError("invalid_input", "A text must not contain the character U+0000");
}

function hasNul(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0");
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, entry]) => key.includes("\0") || hasNul(entry));
}
