import { ConfigError } from "#daemon/env.ts";

/** What to say of a project that cannot be bundled: one sentence that says what to put right. The command ends with 2. */
export function refusal(message: string, cause?: unknown): ConfigError {
  return new ConfigError(message, { cause });
}

/** The code of an error of the file system, for a sentence. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
