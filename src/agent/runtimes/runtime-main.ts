import { join, resolve } from "node:path";
import { z } from "zod";
import { type CatalogRuntime, runtimeCatalog, runtimeIds } from "#contract/runtime-catalog.ts";
import { ConfigError, type Env, readEnv, Switch } from "#daemon/env.ts";
import { AppError } from "#domain/app-error.ts";
import { isPastEndOfLife, lastDay } from "./end-of-life.ts";
import { findRuntimes } from "./find-runtimes.ts";
import { installRuntime } from "./install-runtime.ts";
import { lockRuntime } from "./lock-runtime.ts";
import { locks } from "./locks/index.ts";
import { removeRuntime } from "./remove-runtime.ts";
import { runtimeTable } from "./runtime-table.ts";

const usage = "Say what to do: outpost runtime install <id …>, outpost runtime list, or outpost runtime remove <id …>";

const RuntimeEnv = z.object({
  DATA_DIR: z.string().default("./data"),
  RUNTIMES_DIR: z.string().optional(),
  RUNTIME_LOCK: Switch.default(true).describe("off: packages behind the named ones are taken as the registry has them today"),
});

interface Command {
  readonly env: Env;
  readonly folder: string;
  readonly followsLock: boolean;
  readonly signal: AbortSignal;
}

/**
 * `outpost runtime install | list | remove | lock`. A list of ids may also be one word with commas, as build arguments are.
 *
 * @returns 0: done; 1: it could not be done @throws {ConfigError} for what the caller can put right
 */
export async function main(env: Env, words: readonly string[]): Promise<number> {
  const read = readEnv("command", RuntimeEnv, env);
  const [verb = "", ...rest] = words;
  const folder = resolve(read.RUNTIMES_DIR ?? join(read.DATA_DIR, "runtimes"));
  if (verb === "list" && rest.length === 0) return list(folder);
  const act = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (act === undefined) throw new ConfigError(usage);
  const chosen = runtimesNamed(rest);
  using stop = stopOnSignals();
  try {
    for (const runtime of chosen) await act(runtime, { env, folder, followsLock: read.RUNTIME_LOCK, signal: stop.signal });
    return 0;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

const verbs: Readonly<Record<string, (runtime: CatalogRuntime, command: Command) => Promise<void>>> = { install, remove, lock };

async function install(runtime: CatalogRuntime, { env, folder, followsLock, signal }: Command): Promise<void> {
  const tell = (line: string): void => void process.stderr.write(`${runtime.name}: ${line}\n`);
  if (isPastEndOfLife(runtime, Date.now())) {
    tell(`warning: past its end of life, Node.js ${runtime.nodeJsVersion} gets no security fixes since ${lastDay(runtime)}`);
  }
  const lockToFollow = followsLock ? locks[runtime.name] : null;
  const { manifest, wasThere } = await installRuntime({ runtime, lock: lockToFollow, folder, env, signal, tell });
  tell(`${wasThere ? "is installed already" : "installed"} in ${join(folder, runtime.name)}: ${Math.round(manifest.bytes / 1e6)} MB`);
}

async function remove(runtime: CatalogRuntime, { folder }: Command): Promise<void> {
  const was = await removeRuntime(folder, runtime.name);
  process.stderr.write(`${runtime.name}: ${was ? "removed" : `is not installed in ${folder}`}\n`);
}

async function lock(runtime: CatalogRuntime, { env, signal }: Command): Promise<void> {
  process.stdout.write(await lockRuntime(runtime, { env, signal }));
}

async function list(folder: string): Promise<number> {
  process.stdout.write(`${runtimeTable(runtimeCatalog, await findRuntimes(folder), Date.now())}\nInstalled in ${folder} (RUNTIMES_DIR)\n`);
  return 0;
}

function runtimesNamed(words: readonly string[]): readonly CatalogRuntime[] {
  const names = new Set(words.flatMap((word) => word.split(",")).filter((name) => name !== ""));
  if (names.size === 0) throw new ConfigError(`Name a runtime. There are ${runtimeIds.join(", ")}`);
  return [...names].map((name) => {
    const found = runtimeCatalog.find((runtime) => runtime.name === name);
    if (found === undefined) throw new ConfigError(`There is no runtime "${name}". There are ${runtimeIds.join(", ")}`);
    return found;
  });
}

/** A signal ends npm and takes away what was begun. */
function stopOnSignals(): Disposable & { readonly signal: AbortSignal } {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new AppError("cancelled", "Stopped; nothing half is left behind"));
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, stop);
  return {
    signal: stopping.signal,
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}
