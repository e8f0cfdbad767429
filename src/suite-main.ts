import { once } from "node:events";
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Client } from "#contract/client.ts";
import { ApiError, ConnectionError } from "#contract/client-error.ts";
import type { RunProgress } from "#contract/run-progress.ts";
import { ConfigError, type Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { AppError } from "#domain/app-error.ts";
import type { Flags } from "./command-line.ts";
import { changeLines } from "./config-as-code/plan-text.ts";
import { clientOf } from "./rest-client.ts";
import { bundleText, secretsText, sizeText } from "./suites-cli/bundle-text.ts";
import { type Deployed, deploySuite } from "./suites-cli/deploy-suite.ts";
import { githubAnnotations } from "./suites-cli/github-annotations.ts";
import { outcomeText } from "./suites-cli/outcome-text.ts";
import { runCheck, runTrial, type SuiteRun } from "./suites-cli/run-suite.ts";
import { type SuiteBundle, suiteBundle } from "./suites-cli/suite-bundle.ts";
import { wantedFields, withVariables } from "./suites-cli/suite-check.ts";
import { longestId, type SuiteOptions, suiteOptions } from "./suites-cli/suite-options.ts";
import { overallStatus } from "./suites-cli/suite-outcome.ts";
import { isUploaded, uploadBundle } from "./suites-cli/upload-bundle.ts";

const usage = `usage: outpost suite deploy [folder] --location SLUG [--every 10m] [--name TEXT] [--id ID] [--no-run]
       outpost suite run [folder] --location SLUG
of both: [--project NAME]... [--grep TEXT] [--test-command TEXT] [--install-command TEXT] [--working-dir FOLDER] [--engine node|bun]
         [--env KEY=VALUE]... [--secret KEY]... [--include FILE]... [--dry-run] [--yes] [--url URL] [--api-key KEY]`;

/** `outpost suite`: a repository's Playwright project as a check. @returns 0 passed, 1 tests failed, 3 not run @throws {ConfigError} */
export async function main(env: Env, words: readonly string[], flags: Flags): Promise<number> {
  const [command, folder = ".", ...rest] = words;
  if ((command !== "deploy" && command !== "run") || rest.length > 0) throw new ConfigError(usage);
  const options = suiteOptions(flags, env);
  const [location, ...others] = options.locations;
  if (command === "run" && (location === undefined || others.length > 0))
    throw new ConfigError("suite run needs one location: --location SLUG");
  const client = await clientOf(env, flags);
  const bundle = await explained(() => suiteBundle(folder, options));
  process.stdout.write(bundleText(bundle, folder));
  process.stderr.write(secretsText(bundle));
  const work: Work = { client, options, bundle, env, flags };
  return explained(() => (command === "deploy" ? deploy(work) : runOnce(work, location ?? "")));
}

interface Work {
  readonly client: Client;
  readonly options: SuiteOptions;
  readonly bundle: SuiteBundle;
  readonly env: Env;
  readonly flags: Flags;
}

async function deploy({ client, options, bundle, env, flags: { dryRun, noRun, yes } }: Work): Promise<number> {
  await bring(client, bundle, { dryRun, yes });
  const id = options.id ?? bundle.suiteName.slice(0, longestId);
  const { suiteName } = bundle;
  const wanted = { id, suiteName, name: options.name, fields: wantedFields(options, bundle), variables: options.variables };
  const deployed = await deploySuite(client, wanted, dryRun);
  process.stdout.write(deployedText(deployed, id));
  if (dryRun || noRun || deployed.checkId === null) return exitCode.done;
  const run = await runCheck(client, deployed.checkId, tellStart, tellWait);
  if (run === null)
    throw new ConfigError("The suite was not run: its check is deactivated or has no location", { exitCode: exitCode.incompatible });
  return told(run, bundle, env);
}

async function runOnce({ client, options, bundle, env, flags: { dryRun, yes } }: Work, location: string): Promise<number> {
  await bring(client, bundle, { dryRun, yes });
  if (dryRun) return exitCode.done;
  const { locations: _ours, privateLocations: _theirs, ...fields } = wantedFields(options, bundle);
  const environmentVariables = withVariables([], options.variables);
  const body = { checkType: "PLAYWRIGHT" as const, name: bundle.suiteName, ...fields, environmentVariables };
  return told(await runTrial(client, body, location, tellStart, tellWait), bundle, env);
}

/** Uploads the bundle, unless the same bytes are there. */
async function bring(client: Client, bundle: SuiteBundle, { dryRun, yes }: Pick<Flags, "dryRun" | "yes">): Promise<void> {
  if (await isUploaded(client, bundle)) return print(`Already uploaded: ${bundle.key}`);
  if (dryRun) return print(`Would upload: ${bundle.key}`);
  if (bundle.secrets.length > 0 && !yes && process.stdin.isTTY && process.stdout.isTTY) await agreed();
  const showsProgress = process.stderr.isTTY;
  await uploadBundle(client, bundle, (sent) => {
    if (showsProgress) process.stderr.write(`\r${sizeText(sent)} of ${sizeText(bundle.size)} `);
  });
  if (showsProgress) process.stderr.write("\r\u001B[K");
  print(`Uploaded: ${bundle.key}`);
}

/** @throws {ConfigError} where somebody does not want it */
async function agreed(): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const ended = once(lines, "close").then(() => ""); // the end of the input is no answer
  const answer = await Promise.race([lines.question("Upload these files anyway? [y/N] "), ended]);
  lines.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new ConfigError("Nothing was uploaded");
}

function deployedText({ action, name, changes, changedVariables }: Deployed, id: string): string {
  const sign = { create: "+", update: "~", keep: "=" }[action];
  const lines = [`${sign} check ${JSON.stringify(name)} (id ${id})${action === "keep" ? ": unchanged" : ""}`];
  if (action === "update") lines.push(...changeLines(changes));
  lines.push(...changedVariables.map((line) => `    ${line}`));
  return lines.map((line) => `${line}\n`).join("");
}

/** Whoever stops the command does not want the run: an agent would be busy with it for nothing. A second signal ends the command as usual. */
function tellStart(link: string, cancel: () => Promise<unknown>): void {
  print(`Running: ${link}`);
  const signals = ["SIGINT", "SIGTERM"] as const;
  const stop = (): void => {
    for (const signal of signals) process.off(signal, stop);
    process.stderr.write("\nCancelling the run. To leave without waiting for its end, press Ctrl-C again.\n");
    cancel().catch((error: unknown) =>
      process.stderr.write(`The run could not be cancelled: ${error instanceof Error ? error.message : String(error)}\n`),
    );
  };
  for (const signal of signals) process.on(signal, stop);
}

/** When a run that no agent took is worth a word. An agent asks for work all the time. */
const longWaitSeconds = 30;
const noAgentText =
  "No agent has taken the run: those that run suites are busy, or there is none at the location, and after some minutes the run is given up. " +
  "outpost doctor at an agent says what it lacks.";

function tellWait(waitedSeconds: number, progress: RunProgress | "waiting" | null): void {
  if (progress === "waiting" && waitedSeconds === longWaitSeconds)
    process.stderr.write(`${process.stderr.isTTY ? "\r\u001B[K" : ""}${noAgentText}\n`);
  const what =
    progress === "waiting"
      ? "waiting for an agent"
      : progress === null
        ? "waiting for the result"
        : `${progress.phase}, ${progress.testsDone} tests done`;
  const line = `${waitedSeconds} s: ${what}`;
  process.stderr.write(process.stderr.isTTY ? `\r\u001B[K${line}` : `${line}\n`);
}

function told({ outcomes, link }: SuiteRun, bundle: SuiteBundle, env: Env): number {
  if (process.stderr.isTTY) process.stderr.write("\r\u001B[K");
  process.stdout.write(outcomeText(outcomes, link));
  if (env["GITHUB_ACTIONS"] === "true") {
    const repository = env["GITHUB_WORKSPACE"] ?? process.cwd();
    for (const line of githubAnnotations(outcomes, (file) => pathIn(repository, bundle, file))) print(line);
  }
  return { passed: exitCode.done, failed: exitCode.failed, notRun: exitCode.incompatible }[overallStatus(outcomes)];
}

/** A file of a run as seen from the repository. An agent's folders may stand before it. */
function pathIn(repository: string, { root, workingDir }: SuiteBundle, file: string): string {
  const segments = file.split("/");
  const tails = segments.map((_, index) => segments.slice(index).join("/"));
  const places = tails.flatMap((tail) => [`${root}/${tail}`, `${root}/${workingDir}/${tail}`]);
  return relative(repository, places.find((place) => existsSync(place)) ?? `${root}/${workingDir}/${file}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What the caller can put right ends with 2; where the control plane cannot do it, the command ends with 3. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ApiError) throw apiProblem(cause);
    if (cause instanceof ConnectionError)
      throw new ConfigError(`OUTPOST_URL (--url): ${cause.message}`, { cause, exitCode: exitCode.incompatible });
    if (cause instanceof DOMException && cause.name === "TimeoutError")
      throw new ConfigError("The control plane did not answer in time; try again", { cause, exitCode: exitCode.incompatible });
    if (cause instanceof AppError) throw new ConfigError(cause.message, { cause });
    throw cause;
  }
}

function apiProblem(cause: ApiError): ConfigError {
  const { statusCode, message } = cause;
  if (statusCode === 401 || statusCode === 403)
    return new ConfigError(`OUTPOST_API_KEY (--api-key): the control plane refused it: ${message}`, { cause });
  const isOurs = statusCode === 400 || statusCode === 413 || statusCode === 422;
  return new ConfigError(`The control plane said: ${message} (${statusCode})`, {
    cause,
    ...(!isOurs && { exitCode: exitCode.incompatible }),
  });
}
