import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { text as textFrom } from "node:stream/consumers";
import type { Client } from "#contract/client.ts";
import { ApiError, ConnectionError } from "#contract/client-error.ts";
import { DataCenterLocation } from "#contract/locations.ts";
import { ConfigError, type Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { AppError } from "#domain/app-error.ts";
import type { Body } from "#domain/json-paths.ts";
import type { Flags } from "./command-line.ts";
import { readAccount } from "./config-as-code/account-state.ts";
import { applySteps } from "./config-as-code/apply.ts";
import { danglingReferences, fileOf, fileOfChecks, readConfigFile, told } from "./config-as-code/file.ts";
import { ownershipOf } from "./config-as-code/ownership.ts";
import { missingSecrets, planOf, type Step } from "./config-as-code/plan.ts";
import { ownershipText, planText } from "./config-as-code/plan-text.ts";
import { importCheckly } from "./import-checkly.ts";
import { importers } from "./importers/importers.ts";
import { clientOf } from "./rest-client.ts";
import { bundleText, secretsText } from "./suites-cli/bundle-text.ts";
import { type FileWithSuites, withSuites } from "./suites-cli/suites-of-file.ts";
import { isUploaded, uploadBundle } from "./suites-cli/upload-bundle.ts";

/* `outpost export`, `outpost apply`, `outpost import`: configuration as a file. They talk to the control plane over REST. */

/** Prints the account's configuration as YAML. @returns the exit code @throws {ConfigError} */
export async function exportMain(env: Env, words: readonly string[], flags: Flags): Promise<number> {
  if (words.length > 0) throw new ConfigError("usage: outpost export [--url URL] > all.yaml");
  const client = await clientOf(env, flags);
  process.stdout.write(fileOf(await explained(() => readAccount(client))));
  return exitCode.done;
}

/** Makes the account what a file says, and prints first what that changes. @returns the exit code @throws {ConfigError} */
export async function applyMain(env: Env, words: readonly string[], flags: Flags): Promise<number> {
  const [file, ...rest] = words;
  if (file === undefined || rest.length > 0) throw new ConfigError("usage: outpost apply <file, or -> [--dry-run] [--prune] [--url URL]");
  const read = await explained(async () => readConfigFile(await contentOf(file), env));
  const { wanted, bundles } = await explained(() => withSuites(read, file === "-" ? "." : dirname(file)));
  const client = await clientOf(env, flags);
  const state = await explained(() => readAccount(client));
  const dangling = danglingReferences(wanted, state);
  if (dangling.length > 0) throw new ConfigError(`The file cannot be applied:\n${told(dangling)}`);
  const steps = planOf(wanted, state, flags.prune);
  const owner = ownershipOf(wanted, steps, state);
  for (const { bundle, folder } of bundles) {
    process.stdout.write(bundleText(bundle, folder));
    process.stderr.write(secretsText(bundle));
  }
  process.stdout.write(planText(steps, process.stdout.isTTY) + ownershipText(owner));
  const missing = missingSecrets(steps);
  if (missing.length > 0) {
    const message = `The environment lacks secrets: set ${missing.join(", ")}`;
    if (!flags.dryRun) throw new ConfigError(message);
    process.stderr.write(`${message}\n`);
  }
  const isOwnedAnew = owner !== null && owner.taken + owner.left > 0;
  if (!flags.dryRun && (isOwnedAnew || steps.some(({ action }) => action !== "keep"))) {
    await explained(() => uploadNamed(client, steps, bundles));
    const onPart = (made: number, all: number): void => void process.stdout.write(`Made ${made} of ${all} changes\n`);
    await explained(() => applySteps(client, steps, state, { owner, onPart }));
    process.stdout.write("Applied.\n");
  }
  return exitCode.done;
}

/** Uploads the bundles that checks which are new or changed name, unless the same bytes are there. */
async function uploadNamed(client: Client, steps: readonly Step[], bundles: FileWithSuites["bundles"]): Promise<void> {
  const named = new Set(
    steps.flatMap(({ action, entry }) => (action === "keep" || action === "remove" ? [] : [entry.body["codeBundlePath"]])),
  );
  for (const { bundle } of bundles) {
    if (named.has(bundle.key) && !(await isUploaded(client, bundle))) await uploadBundle(client, bundle, () => undefined);
  }
}

/** Prints the checks that a file of another tool stands for, as YAML for `outpost apply`. @returns the exit code @throws {ConfigError} */
export async function importMain(env: Env, words: readonly string[], flags: Flags): Promise<number> {
  if (words[0] === "checkly") return importCheckly(env, words, flags);
  const { location } = flags;
  const [tool, file, ...rest] = words;
  const tools = [...Object.keys(importers), "checkly"].join("|");
  if (tool === undefined || file === undefined || rest.length > 0 || !isImporter(tool))
    throw new ConfigError(`usage: outpost import ${tools} <file, or -; checkly: none> [--location SLUG] > checks.yaml`);
  const text = await contentOf(file);
  const { checks, warnings } = await explained(async () => importers[tool].read(text));
  for (const { where, message } of warnings) process.stderr.write(`${where}: ${message}\n`);
  process.stdout.write(fileOfChecks(checks.map((check) => ({ ...check, ...placeOf(location) }))));
  const next = location === null ? "They are not activated, for they have no location: --location SLUG gives them one. " : "";
  process.stderr.write(
    `${counted(checks.length, "check")}, ${counted(warnings.length, "warning")}. ${next}Next: outpost apply <the file>\n`,
  );
  return exitCode.done;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A check without a location cannot be activated. */
function placeOf(location: string | null): Body {
  if (location === null) return { activated: false };
  return DataCenterLocation.safeParse(location).success ? { locations: [location] } : { privateLocations: [location] };
}

function isImporter(tool: string): tool is keyof typeof importers {
  return Object.hasOwn(importers, tool);
}

async function contentOf(file: string): Promise<string> {
  if (file === "-") return textFrom(process.stdin);
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new ConfigError(`${file} cannot be read (${code})`, { cause });
  }
}

/** What the caller can put right, in one sentence. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ApiError && (cause.statusCode === 401 || cause.statusCode === 403))
      throw new ConfigError(`OUTPOST_API_KEY: the control plane refused it: ${cause.message}`, { cause });
    if (cause instanceof ApiError) throw new ConfigError(`The control plane said: ${cause.message} (${cause.statusCode})`, { cause });
    if (cause instanceof ConnectionError)
      throw new ConfigError(`OUTPOST_URL (--url): ${cause.message}`, { cause, exitCode: exitCode.away });
    if (cause instanceof AppError) throw new ConfigError(cause.message, { cause });
    throw cause;
  }
}
