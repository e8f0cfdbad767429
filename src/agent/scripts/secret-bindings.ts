import { readFileSync, statSync } from "node:fs";
import { ConfigError, type Env } from "#daemon/env.ts";

/** What a secret of the agent may be bound to. */
export interface BoundRun {
  readonly checkId: string;
  /** Of the check's group. */
  readonly groupId?: number | null | undefined;
  /** Of the check and of its group. */
  readonly tags?: readonly string[] | undefined;
}

/** For which runs a secret is; there is none for one that is for all. */
export interface SecretBinding {
  readonly checks: ReadonlySet<string>;
  readonly groups: ReadonlySet<number>;
  readonly tags: ReadonlySet<string>;
}

/** Ends the name of a file that says what the secret beside it is for. */
export const bindingEnding = ".for";
/** `SECRET_FOR_DB` says it of SERVICE_SECRET_DB. */
const bindingPrefix = "SECRET_FOR_";
const fileLimitBytes = 64 * 1024;
const forms = "check:<id>, group:<number> or tag:<name>";

/** Whether a run may have a secret with this binding. */
export function isBoundTo({ checks, groups, tags }: SecretBinding, run: BoundRun): boolean {
  const inGroup = typeof run.groupId === "number" && groups.has(run.groupId);
  return checks.has(run.checkId.toLowerCase()) || inGroup || (run.tags ?? []).some((tag) => tags.has(tag));
}

/** The bindings that an environment has, by the name of the secret; a comma list each. @throws {ConfigError} */
export function bindingVariables(env: Env, secretPrefix: string): ReadonlyMap<string, SecretBinding> {
  const named = Object.entries(env).filter(([name, value]) => name.startsWith(bindingPrefix) && value);
  return new Map(
    named.map(([name, value = ""]) => [secretPrefix + name.slice(bindingPrefix.length), bindingOf(name, value.split(","))] as const),
  );
}

/** A line each; blank ones and those behind a # do not count. @throws {ConfigError} */
export function readBindingFile(variable: string, path: string): SecretBinding {
  try {
    if (statSync(path).size > fileLimitBytes) throw new ConfigError(`${variable}: ${path} is larger than ${fileLimitBytes} bytes`);
    return bindingOf(`${variable}: ${path}`, readFileSync(path, "utf8").split("\n"));
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "error";
    throw new ConfigError(`${variable}: ${path} cannot be read (${code}); let the user that runs Outpost read it`, { cause });
  }
}

/** @param where tells it to whoever wrote it */
function bindingOf(where: string, lines: readonly string[]): SecretBinding {
  const binding = { checks: new Set<string>(), groups: new Set<number>(), tags: new Set<string>() };
  const named = lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  for (const line of named) {
    const [, kind, value = ""] = /^(check|group|tag):\s*(\S.*)$/.exec(line) ?? [];
    if (kind === "check" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) binding.checks.add(value.toLowerCase());
    else if (kind === "group" && /^\d{1,15}$/.test(value)) binding.groups.add(Number(value));
    else if (kind === "tag") binding.tags.add(value);
    else throw new ConfigError(`${where} has ${JSON.stringify(line.slice(0, 80))}; write ${forms}`);
  }
  if (named.length === 0) throw new ConfigError(`${where} names no check, group or tag; write ${forms}, or remove it`);
  return binding;
}
