import { AppError } from "#domain/app-error.ts";

/** What is wrong with a field of a body, in words that follow its name. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** One error of all problems. */
export function invalidInput(issues: readonly Problem[]): AppError {
  const message = issues
    .map((issue) => (issue.message.startsWith(issue.path) ? issue.message : `"${issue.path}" ${issue.message}`))
    .join("; ");
  return new AppError("invalid_input", message, { attributes: { issues } });
}
