import { ConfigError } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { hasCode } from "#domain/app-error.ts";

/** In a sentence, where it is for the operator: also that the database, which answered at first, went away before the start had ended. */
export function startProblem(error: unknown): unknown {
  const causes = [error, error instanceof Error ? error.cause : undefined];
  const told = causes.find((one) => one instanceof ConfigError);
  const away = causes.find((one) => hasCode(one, "unavailable"));
  if (told !== undefined || !(away instanceof Error)) return told ?? error;
  const reason = away.cause instanceof Error ? away.cause.message : away.message;
  return new ConfigError(`The database went away (${reason}). Start again when it answers.`, { cause: error, exitCode: exitCode.away });
}
