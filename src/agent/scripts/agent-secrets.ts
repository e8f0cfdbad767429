import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, type Env } from "#daemon/env.ts";
import type { Logger } from "#daemon/logger.ts";
import { Secret } from "#daemon/secret.ts";
import { readSecretFile } from "#daemon/secret-file.ts";
import type { AgentClock } from "../host/clock.ts";
import { type BoundRun, bindingEnding, bindingVariables, isBoundTo, readBindingFile, type SecretBinding } from "./secret-bindings.ts";

/** Names of secrets that only the agent knows. A variable that a script names so is one too. */
export const secretPrefix = "SERVICE_SECRET_";

/** How long the folder is taken as unchanged without a look at it, ms. */
const trustedForMs = 5_000;
const maxFiles = 500;
const variable = "SECRETS_DIR";

/** Where secrets of the agent come from: variables of its environment, and a folder with one file for each. */
export interface SecretSources {
  readonly variables: ReadonlyMap<string, Secret>;
  /** What those of the environment are for, and those of the folder that have no file for it. */
  readonly bindings: ReadonlyMap<string, SecretBinding>;
  readonly folder: string | null;
}

/** What checks can use by name, and what the control plane never hears of. Asking costs a comparison of two times. */
export interface AgentSecrets {
  /** By name, `SERVICE_SECRET_…`; the same object until one of them changes. */
  readonly variables: () => Readonly<Record<string, string>>;
  /** The same array until one of them changes. */
  readonly values: () => readonly string[];
  /** Whether a run may have it: one that is bound to nothing is for every run at this agent. */
  readonly isFor: (name: string, run: BoundRun) => boolean;
}

interface Known {
  readonly variables: Readonly<Record<string, string>>;
  readonly values: readonly string[];
  readonly bindings: ReadonlyMap<string, SecretBinding>;
}

/**
 * The secrets of this agent. The folder is read again within 5 s after it changed, when somebody asks; one that cannot be used any more
 * keeps what was read last, and is warned of once.
 *
 * @throws {ConfigError} when the folder or a file in it cannot be used at the start
 */
export function createAgentSecrets(
  { variables, bindings, folder }: SecretSources,
  log: Pick<Logger, "info" | "warn">,
  clock: Pick<AgentClock, "monotonicMs">,
): AgentSecrets {
  const own = new Map([...variables].map(([name, secret]) => [name, secret.reveal()]));
  let current = known(own, bindings, folder);
  if (folder === null) return answering(() => current);
  let version = versionOf(folder);
  let trouble = "";
  let lookAgainAtMs = clock.monotonicMs() + trustedForMs;

  function readAgain(path: string): void {
    const found = versionOf(path);
    if (found === version) return;
    version = found;
    try {
      current = known(own, bindings, path);
      trouble = "";
      log.info({ secrets: current.values.length }, "reloaded the agent's secrets");
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (error.message !== trouble) log.warn({ reason: error.message }, "could not reload the agent's secrets; keeping the previous ones");
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
  return answering(() => latest(folder));
}

function answering(latest: () => Known): AgentSecrets {
  return {
    variables: () => latest().variables,
    values: () => latest().values,
    isFor: (name, run) => {
      const binding = latest().bindings.get(name);
      return binding === undefined || isBoundTo(binding, run);
    },
  };
}

/** What an environment says of secrets of checks. @throws {ConfigError} */
export function secretSources(env: Env, folder: string | null): SecretSources {
  return { variables: secretVariables(env), bindings: bindingVariables(env, secretPrefix), folder };
}

/** The variables of an environment that hold secrets of checks; empty ones count as absent. */
function secretVariables(env: Env): ReadonlyMap<string, Secret> {
  const named = Object.entries(env).filter(([name, value]) => name.startsWith(secretPrefix) && name !== secretPrefix && value);
  return new Map(named.map(([name, value = ""]) => [name, new Secret(value)]));
}

/** Files win: they are what can be changed without a restart. @throws {ConfigError} */
function known(own: ReadonlyMap<string, string>, ofEnv: ReadonlyMap<string, SecretBinding>, folder: string | null): Known {
  const files = folder === null ? null : secretFiles(folder);
  const all = new Map([...own, ...(files?.secrets ?? [])]);
  const bindings = new Map([...ofEnv, ...(files?.bindings ?? [])]);
  const lone = [...bindings.keys()].find((name) => !all.has(name));
  if (lone !== undefined)
    throw new ConfigError(`${lone} is bound to checks, groups or tags, but there is no such secret; give it or unbind it`);
  return { variables: Object.freeze(Object.fromEntries(all)), values: [...new Set(all.values())], bindings };
}

interface SecretFiles {
  readonly secrets: ReadonlyMap<string, string>;
  readonly bindings: ReadonlyMap<string, SecretBinding>;
}

/** @throws {ConfigError} naming the file, never what is in it */
function secretFiles(folder: string): SecretFiles {
  const secrets = new Map<string, string>();
  const bindings = new Map<string, SecretBinding>();
  const files = new Map<string, string>();
  for (const file of fileNames(folder)) {
    const path = join(folder, file);
    const isBinding = file.toLowerCase().endsWith(bindingEnding);
    const name = variableName(isBinding ? file.slice(0, -bindingEnding.length) : file);
    if (name === null)
      throw new ConfigError(`${variable}: the name of ${path} is none for a variable; use letters, digits, _, - and . only, 200 at most`);
    const place = isBinding ? `the binding of ${name}` : name;
    const other = files.get(place);
    if (other !== undefined) throw new ConfigError(`${variable}: ${other} and ${path} are both ${place}; rename one of them`);
    files.set(place, path);
    if (isBinding) bindings.set(name, readBindingFile(variable, path));
    else secrets.set(name, readSecretFile(variable, path).reveal());
  }
  return { secrets, bindings };
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
