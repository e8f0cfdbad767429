import { z } from "zod";
import { type ExitCode, exitCode } from "./exit-code.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** The process cannot start as it was told to: a bad variable, a taken port, an unwritable folder, a database that is away. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly exitCode: ExitCode;

  constructor(message: string, options: { readonly cause?: unknown; readonly exitCode?: ExitCode } = {}) {
    super(message, { cause: options.cause });
    this.exitCode = options.exitCode ?? exitCode.cannotStart;
  }
}

/** A switch: on and off, true and false, 1 and 0, yes and no. */
export const Switch = z.stringbool({ truthy: ["on", "true", "1", "yes"], falsy: ["off", "false", "0", "no"] });

/** A whole number written in a variable. */
export const WholeNumber = (min: number, max: number): z.ZodPipe<z.ZodString, z.ZodTransform<number, string>> =>
  z.string().transform((text, context) => {
    const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    context.addIssue({ code: "custom", message: `must be a whole number from ${min} to ${max}` });
    return z.NEVER;
  });

/**
 * Reads a process's whole environment. An empty variable counts as absent, as Compose files and charts write them.
 *
 * @throws {ConfigError} naming every bad variable at once, and never a value
 */
export function readEnv<S extends z.ZodObject>(process: string, schema: S, env: Env): z.output<S> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${problemOf(issue)}`);
  throw new ConfigError(`The ${process} cannot start; correct these variables:\n${problems.join("\n")}`);
}

function problemOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type" && issue.input === undefined) return "is required";
  return issue.message;
}
