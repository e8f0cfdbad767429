import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { ConfigError, type Env } from "#daemon/env.ts";

/** What a run of npm came to. `code` is npm's own or the system's: E404, ETARGET, ECONNREFUSED … */
export type NpmOutcome = { readonly ok: true } | { readonly ok: false; readonly code: string; readonly message: string };

export interface NpmRun {
  readonly env: Env;
  readonly signal: AbortSignal;
  /** Called for each answer of the registry: the only sign of progress that npm gives. */
  readonly onAnswer: () => void;
}

/**
 * How every install is done, whatever the user's own settings are: nothing of a package is executed, versions are taken as they are
 * named, and the lock file says nothing of where the packages were fetched. Registry, proxies, CAs and the cache are the user's.
 */
const always = [
  "--ignore-scripts",
  "--omit=dev",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  "--package-lock=true",
  "--lockfile-version=3",
  "--omit-lockfile-registry-resolved",
  "--legacy-peer-deps=false",
  "--strict-peer-deps=false",
  "--engine-strict=false",
  "--install-strategy=hoisted",
  "--global=false",
  "--loglevel=http",
  "--json",
];

const Failure = z.object({ error: z.object({ code: z.string().nullish(), summary: z.string().nullish(), detail: z.string().nullish() }) });

/**
 * Runs npm in `folder`.
 *
 * @throws {ConfigError} where there is no npm
 * @throws the signal's reason when it aborts; npm has ended then
 */
export async function runNpm(words: readonly string[], folder: string, run: NpmRun): Promise<NpmOutcome> {
  const child = spawn("npm", [...words, ...always, `--prefix=${folder}`], {
    cwd: folder,
    env: { ...run.env, API_KEY: undefined },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = (): boolean => child.kill("SIGKILL"); // at SIGTERM it first waits for the answers that it asked for
  run.signal.addEventListener("abort", stop, { once: true });
  try {
    const [output, errors] = [text(child.stdout), errorLines(child.stderr, run.onAnswer)];
    const [status] = await once(child, "close"); // rejects with the error of a program that does not start
    run.signal.throwIfAborted();
    const { kept, hidden } = await errors;
    if (hidden !== null) return { ok: false, code: hidden, message: "metadata of locked packages could not be had" };
    return status === 0 ? { ok: true } : failureOf(await output, kept);
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new ConfigError(
      "There is no npm here, and runtimes are installed with it. Outpost's images have none: use the migration image, build an image " +
        'with the build argument RUNTIMES, or run "outpost runtime install" where Node.js came with npm and mount the folder',
      { cause },
    );
  } finally {
    run.signal.removeEventListener("abort", stop);
  }
}

/**
 * What npm writes beside its answer. `hidden` is the code of a failure that it takes for none: of locked packages whose metadata it
 * could not get, for another reason than that the registry does not have them.
 */
async function errorLines(
  stream: AsyncIterable<Buffer>,
  onAnswer: () => void,
): Promise<{ readonly kept: string; readonly hidden: string | null }> {
  let kept = "";
  let hidden: string | null = null;
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("npm http ")) onAnswer();
      else if (line.startsWith("npm error ")) kept += `${line.slice("npm error ".length)}\n`;
      const [, code] = /^npm warn old lockfile +code: '(\w+)'/.exec(line) ?? [];
      if (code !== undefined && !isMissingFromRegistry(code)) hidden ??= code;
    }
  }
  return { kept, hidden };
}

/** Whether npm says by this code that its registry does not have a package, or not in that version. */
export function isMissingFromRegistry(code: string): boolean {
  return code === "E404" || code === "ETARGET";
}

function failureOf(output: string, errors: string): NpmOutcome {
  const told = failureIn(output);
  const message = told === null ? errors : `${told.summary ?? ""}\n${told.detail ?? ""}`;
  return {
    ok: false,
    code: told?.code ?? /^code (\w+)/m.exec(errors)?.[1] ?? "npm",
    message: message.replaceAll(/\/\/[^/@\s]+@/g, "//***@"),
  };
}

function failureIn(output: string): z.output<typeof Failure>["error"] | null {
  try {
    return Failure.parse(JSON.parse(output)).error;
  } catch {
    return null; // an npm that died before it could say why
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
