import { AppError } from "#domain/app-error.ts";

/** The same answer for what is missing and for what belongs to another account. */
export function notFound(what: string, id: string): AppError {
  return new AppError("not_found", `There is no ${what} ${id} in this account`);
}
