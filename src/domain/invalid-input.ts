import { AppError } from "./app-error.ts";

/** What is wrong with one field of a request. */
export interface InputProblem {
  /** `request.headers[0].key` */
  readonly path: string;
  /** A clause that goes on after the field's name: what was received and what is allowed; never a secret. */
  readonly message: string;
}

const maxTold = 5;
const maxListed = 50;

/** An AppError invalid_input that names each field; the message the first few, the attributes more. */
export function invalidInput(problems: readonly InputProblem[]): AppError {
  const issues = problems.slice(0, maxListed).map(({ path, message }) => ({ path, message }));
  const told = issues.slice(0, maxTold).map(({ path, message }) => `"${path}" ${message}`);
  const more = problems.length - told.length;
  const message = more > 0 ? `${told.join("; ")}; and ${more} more` : told.join("; ");
  return new AppError("invalid_input", message, { attributes: { issues } });
}
