import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, type Env } from "#daemon/env.ts";
import type { Logger } from "#daemon/logger.ts";
import { Secret } from "#daemon/secret.ts";
import { readSecretFile } from "#daemon/secret-file.ts";
import type { AgentClock } from "../clock.ts";

/** Names of secrets that only the agent knows. A variable that a script names so is one too. */
export const secretPrefix = "SERVICE_SECRET_";

/** How long the folder is taken as unchanged without a look at it, ms. */
const trustedForMs = 5_000;
const maxFiles = 500;
const variable = "SECRETS_DIR";

/** Where secrets of the agent come from: variables of its environment, and a folder with one file for each. */
export interface SecretSources {
  readonly variables: ReadonlyMap<string, Secret>;
  readonly folder: string | null;
}

/** What checks can use by name, and what the control plane never hears of. Asking costs a comparison of two times. */
export interface AgentSecrets {
  /** By name, `SERVICE_SECRET_…`; the same object until one of them changes. */
  readonly variables: () => Readonly<Record<string, string>>;
  /** The same array until one of them changes. */
  readonly values: () => readonly string[];
}

interface Known {
  readonly variables: Readonly<Record<string, string>>;
  readonly values: readonly string[];
}

/**
 * The secrets of this agent. The folder is read again within 5 s after it changed, when somebody asks; one that cannot be used any more
 * keeps what was read last, and is warned of once.
 *
 * @throws {ConfigError} when the folder or a file in it cannot be used at the start
 */
export function createAgentSecrets(
  { variables, folder }: SecretSources,
  log: Pick<Logger, "info" | "warn">,
  clock: Pick<AgentClock, "monotonicMs">,
): AgentSecrets {
  const own = new Map([...variables].map(([name, secret]) => [name, secret.reveal()]));
  let current = known(own, folder);
  if (folder === null) return { variables: () => current.variables, values: () => current.values };
  let version = versionOf(folder);
  let trouble = "";
  let lookAgainAtMs = clock.monotonicMs() + trustedForMs;

  function readAgain(path: string): void {
    const found = versionOf(path);
    if (found === version) return;
    version = found;
    try {
      current = known(own, path);
      trouble = "";
      log.info({ secrets: current.values.length }, "secrets of the agent read again");
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (error.message !== trouble) log.warn({ reason: error.message }, "secrets of the agent not read again, the last ones stay");
      trouble = error.message;
    }
  }

  function latest(path: string): Known {
    const nowMs = clock.monotonicMs();
    if (nowMs >= lookAgainAtMs) {
      lookAgainAtMs = nowMs + trustedForMs;
      readAgain(path);
    }
    return current;
  }
  return { variables: () => latest(folder).variables, values: () => latest(folder).values };
}

/** The variables of an environment that hold secrets of checks; empty ones count as absent. */
export function secretVariables(env: Env): ReadonlyMap<string, Secret> {
  const named = Object.entries(env).filter(([name, value]) => name.startsWith(secretPrefix) && name !== secretPrefix && value);
  return new Map(named.map(([name, value = ""]) => [name, new Secret(value)]));
}

/** Files win: they are what can be changed without a restart. @throws {ConfigError} */
function known(own: ReadonlyMap<string, string>, folder: string | null): Known {
  const all = new Map([...own, ...(folder === null ? [] : secretFiles(folder))]);
  return { variables: Object.freeze(Object.fromEntries(all)), values: [...new Set(all.values())] };
}

/** @throws {ConfigError} naming the file, never what is in it */
function secretFiles(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  const files = new Map<string, string>();
  for (const file of fileNames(folder)) {
    const path = join(folder, file);
    const name = variableName(file);
    if (name === null)
      throw new ConfigError(`${variable}: the name of ${path} is none for a variable; use letters, digits, _, - and . only, 200 at most`);
    const other = files.get(name);
    if (other !== undefined) throw new ConfigError(`${variable}: ${other} and ${path} are both ${name}; rename one of them`);
    files.set(name, path);
    found.set(name, readSecretFile(variable, path).reveal());
  }
  return found;
}

/** `db-password` is SERVICE_SECRET_DB_PASSWORD; a file may also have the whole name. */
function variableName(file: string): string | null {
  if (!/^[A-Za-z0-9_.-]{1,200}$/.test(file)) return null;
  const name = file.toUpperCase().replaceAll(/[.-]/g, "_");
  return name.startsWith(secretPrefix) ? name : secretPrefix + name;
}

/** Hidden ones are not meant: Kubernetes keeps the versions of a mounted secret in them. Folders are none either. @throws {ConfigError} */
function fileNames(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => !name.startsWith("."));
    if (names.length > maxFiles) throw new ConfigError(`${variable}: ${folder} holds ${names.length} files, more than ${maxFiles}`);
    return names.filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() !== true).toSorted();
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "error";
    throw new ConfigError(`${variable}: ${folder} cannot be read (${code}); name a folder that the user of the agent may list`, { cause });
  }
}

/** Changes with every file's content, place and rights; empty when the folder cannot be read. */
function versionOf(folder: string): string {
  try {
    const names = readdirSync(folder).filter((name) => !name.startsWith("."));
    const stats = names.toSorted().map((name) => {
      const { ino, size, ctimeNs } = statSync(join(folder, name), { bigint: true });
      return `${name}:${ino}:${size}:${ctimeNs}`;
    });
    return [realpathSync(folder), ...stats].join(" ");
  } catch {
    return ""; // reading it tells why
  }
}
