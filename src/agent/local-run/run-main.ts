import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { parseEnv } from "node:util";
import type { z } from "zod";
import { type CheckType, isPromptType, isScriptType, type ProbeType, type ScriptType } from "#contract/checks/index.ts";
import { ConfigError, type Env, readEnv } from "#daemon/env.ts";
import { proxySettings, withLowerCaseProxies } from "#daemon/proxy.ts";
import { version } from "#daemon/version.ts";
import { type AgentModel, createAgentModel } from "../agentic/agent-model.ts";
import { AgentEnv, playwrightConfig } from "../config.ts";
import { EgressProxy } from "../egress/egress-proxy.ts";
import { systemClock } from "../host/clock.ts";
import { readExtraCas } from "../host/extra-ca.ts";
import { agenticConfig } from "../host/model-settings.ts";
import { createPrepareCheck, type PrepareCheck } from "../judgement/check-settings.ts";
import { judgedRun } from "../judgement/judged-run.ts";
import { createEgressPolicy } from "../net/egress-policy.ts";
import { createOsResolver } from "../net/os-resolver.ts";
import { createStubResolver } from "../net/stub-resolver.ts";
import { createTrust, type Trust } from "../net/tls.ts";
import type { PlaywrightEngine } from "../playwright/playwright-engine.ts";
import type { CheckRunner, RunContext } from "../runners/check-runner.ts";
import { createRunners, type Runners, type ScriptRunners } from "../runners/index.ts";
import { loadEngine } from "../script-checks/load-engine.ts";
import { createScriptRunners } from "../script-checks/script-runners.ts";
import { type AgentSecrets, createAgentSecrets, secretSources } from "../scripts/agent-secrets.ts";
import { materialRun } from "../scripts/material-run.ts";
import { scriptRun } from "../scripts/script-run.ts";
import { readCheckFile } from "./check-file.ts";
import { onDesktop, type Shown } from "./desktop.ts";
import { type Explained, explain } from "./explain.ts";
import { type Paint, paintFor } from "./layout.ts";
import { type LocalCheck, localCheck } from "./local-check.ts";
import { hasScripts, localRun, type VariableSources } from "./local-material.ts";
import { jsonReport, type LocalRun, textReport, verdictOf } from "./report.ts";
import { type LocalScripting, openScripts, wholeRuntime } from "./scripting.ts";
import { warmUp } from "./warm-up.ts";

export interface RunFlags {
  readonly json: boolean;
  readonly proxy: string | null;
  readonly variablesFile: string | null;
  readonly explain: boolean;
  readonly headed: boolean;
  readonly ui: boolean;
}

const usage =
  "usage: outpost run <file> [--variables FILE] [--json] [--proxy URL] [--explain | --headed | --ui], where the file is YAML or JSON, or `-` for standard input";
/** As much as REST takes of one check, many times over. */
const fileLimitBytes = 1024 * 1024;
const maxToldProblems = 20;
/** After the last check, what still holds the event loop (a look-up that cannot be cancelled) is not waited for. */
const lingerMs = 250;

const RunEnv = AgentEnv.pick({
  USE_OS_DNS_RESOLVER: true,
  NODE_EXTRA_CA_CERTS: true,
  TARGET_ALLOW_CIDR: true,
  TARGET_DENY_CIDR: true,
  TARGET_MODE: true,
  DATA_DIR: true,
  RUNTIMES_DIR: true,
  SECRETS_DIR: true,
  SCRIPT_SANDBOX: true,
  SCRIPT_EGRESS: true,
  BROWSER_CONCURRENCY: true,
  MULTI_STEP_CONCURRENCY: true,
  BROWSER_WARM: true,
  BROWSER_MEMORY_MB: true,
  BROWSER_PATH: true,
  BROWSER_EGRESS: true,
  BROWSER_SCREENSHOTS: true,
  AGENTIC_MODEL_URL: true,
  AGENTIC_MODEL: true,
  AGENTIC_KEY: true,
  AGENTIC_KEY_FILE: true,
  AGENTIC_MAX_TURNS: true,
  AGENTIC_MAX_TOKENS: true,
  AGENTIC_CONCURRENCY: true,
  AGENTIC_PRICE_PROMPT: true,
  AGENTIC_PRICE_COMPLETION: true,
  HTTPS_PROXY: true,
  HTTP_PROXY: true,
  NO_PROXY: true,
});
type RunEnv = z.output<typeof RunEnv>;

/**
 * `outpost run`: runs the checks of a file here and now, as an agent would, and prints what came of them. Without retries; nothing is
 * sent but to the targets, and for checks that are a prompt to the operator's model. A signal ends it at once.
 *
 * @returns 0 passed or degraded, 1 failed
 * @throws {ConfigError} for a bad file, flag or variable
 */
export async function main(env: Env, words: readonly string[], flags: RunFlags): Promise<number> {
  const [path, ...more] = words;
  if (path === undefined || more.length > 0) throw new ConfigError(usage);
  const proxyUrl = flags.proxy === null ? null : checkedProxy(flags.proxy);
  const read = readEnv("run", RunEnv, withLowerCaseProxies(env));
  const checks = checksIn(nameOf(path), await readText(path));
  const sources = { environment: env, file: flags.variablesFile === null ? {} : parseEnv(await readText(flags.variablesFile)) };
  const how = shownBy(flags);
  if (how !== null) return shown(checks, how, read, env, sources);
  const trust = localTrust(read);
  const engine = await localEngine(checks, read, trust);
  await using _engine = { [Symbol.asyncDispose]: async () => engine?.close() };
  const agentModel = localModel(checks, read);
  await using _model = { [Symbol.asyncDispose]: async () => agentModel?.close() };
  const machine = machinery(read, env, proxyUrl, sources, trust, createScriptRunners(engine, null, agentModel));
  await using scripting = await openScripts(checks, read, machine.trust);
  const { stdout } = process;
  const paint = paintFor(stdout.isTTY && (env["NO_COLOR"] ?? "") === "");
  if (flags.explain)
    return explained(checks, { scripting, engine, settings: read, sources, proxyUrl, model: agentModel?.chat.name ?? null }, paint);
  await warmUp(machine.runners.API, machine.context);
  stdout.once("error", () => process.exit(1)); // nobody reads on: `outpost run … | head`
  const code = await told(checks, machine, scripting, flags.json ? null : paint);
  setTimeout(() => process.exit(code), lingerMs).unref();
  return code;
}

/** @param paint null for programs */
async function told(checks: readonly LocalCheck[], machine: Machinery, scripting: LocalScripting, paint: Paint | null): Promise<number> {
  let hasFailed = false;
  for (const [index, check] of checks.entries()) {
    const run = await locally(check, machine, scripting);
    hasFailed ||= verdictOf(run) === "failed";
    if (paint === null) print(process.stdout, [jsonReport(run)]);
    else print(process.stdout, [...(index === 0 ? [] : [""]), ...textReport(run, paint)]);
  }
  return hasFailed ? 1 : 0;
}

function shownBy({ headed, ui }: RunFlags): Shown | null {
  if (ui) return "ui";
  return headed ? "headed" : null;
}

function explained(checks: readonly LocalCheck[], about: Explained, paint: Paint): number {
  for (const [index, check] of checks.entries()) print(process.stdout, [...(index === 0 ? [] : [""]), ...explain(check, about, paint)]);
  return 0;
}

/** One after another, before the eyes of who wrote them. @throws {ConfigError} */
async function shown(
  checks: readonly LocalCheck[],
  how: Shown,
  { RUNTIMES_DIR, DATA_DIR }: RunEnv,
  env: Env,
  sources: VariableSources,
): Promise<number> {
  const desktop = { env, runtimesFolder: RUNTIMES_DIR ?? join(DATA_DIR, "runtimes"), sources, runtimeOf: wholeRuntime };
  let hasFailed = false;
  for (const check of checks) hasFailed = (await onDesktop(check, how, desktop)) !== 0 || hasFailed;
  return hasFailed ? 1 : 0;
}

interface Machinery {
  readonly runners: Runners;
  readonly trust: Trust;
  readonly context: RunContext;
  readonly agentSecrets: AgentSecrets;
  readonly prepare: PrepareCheck;
  readonly sources: VariableSources;
}

function localTrust(read: RunEnv): Trust {
  const authorities = createTrust(readExtraCas(read.NODE_EXTRA_CA_CERTS ?? null));
  return () => authorities;
}

/** What runs checks that are scripts; it is looked for only where a file has one. */
async function localEngine(checks: readonly LocalCheck[], read: RunEnv, trust: Trust): Promise<PlaywrightEngine | null> {
  if (!checks.some(isOfScript)) return null;
  const runtimesFolder = read.RUNTIMES_DIR ?? join(read.DATA_DIR, "runtimes");
  const options = { ...playwrightConfig(read), warm: 0, runtimesFolder, dataFolder: join(read.DATA_DIR, "browser") };
  const extraCas = readExtraCas(read.NODE_EXTRA_CA_CERTS ?? null);
  return loadEngine({ ...options, trust, extraCas: () => extraCas, log: quiet, clock: systemClock });
}

/** What leads checks that are a prompt. */
function localModel(checks: readonly LocalCheck[], read: RunEnv): AgentModel | null {
  if (!checks.some(({ type }) => isPromptType(type))) return null;
  const extraCas = readExtraCas(read.NODE_EXTRA_CA_CERTS ?? null);
  return createAgentModel(agenticConfig(read), proxySettings(read), () => extraCas);
}

/** The runners of an agent, with its resolver and egress policy, and its secrets. */
function machinery(
  read: RunEnv,
  env: Env,
  proxyUrl: string | null,
  sources: VariableSources,
  trust: Trust,
  scripts: ScriptRunners,
): Machinery {
  const targets = { allowCidrs: read.TARGET_ALLOW_CIDR, denyCidrs: read.TARGET_DENY_CIDR, mode: read.TARGET_MODE, ownPorts: [] };
  const context: RunContext = {
    signal: new AbortController().signal,
    monotonicMs: () => performance.now(),
    proxyUrl,
    resolver: read.USE_OS_DNS_RESOLVER ? createOsResolver() : createStubResolver(),
    egress: createEgressPolicy({ ...targets, isOwnPort: EgressProxy.isOpenAt }),
    userAgent: `Outpost/${version}`,
  };
  const secrets = secretSources({ ...env, ...sources.file }, read.SECRETS_DIR ?? null);
  const isFor = (): boolean => true; // whoever runs the command has the secrets
  const agentSecrets = { ...createAgentSecrets(secrets, quiet, systemClock), isFor };
  return {
    runners: createRunners(trust, scripts),
    trust,
    context,
    agentSecrets,
    prepare: createPrepareCheck(agentSecrets.values),
    sources,
  };
}

/** What changes while a command runs is nobody's business. */
const quiet = { info: () => undefined, warn: () => undefined };

function locally(check: LocalCheck, machine: Machinery, scripting: LocalScripting): Promise<LocalRun<CheckType>> {
  return isOfScript(check) ? ofScript(check, machine, scripting) : ofProbe(check as LocalCheck<ProbeType>, machine, scripting); // one or the other
}

function isOfScript(check: LocalCheck): check is LocalCheck<ScriptType> {
  return isScriptType(check.type);
}

async function ofScript(check: LocalCheck<ScriptType>, machine: Machinery, scripting: LocalScripting): Promise<LocalRun<CheckType>> {
  const { type, settings } = check;
  const { context, agentSecrets, sources } = machine;
  const run = localRun(check, context.proxyUrl, sources, scripting.runtimeOf(check));
  const prepared = machine.prepare(type, settings, context.proxyUrl);
  const task = {
    ...run,
    type,
    runner: machine.runners[type] as CheckRunner<ScriptType>,
    check: prepared,
    context,
    nowMs: systemClock.wallMs,
  };
  return { ...(await scriptRun(task, { agentSecrets, random: Math.random, uuid: randomUUID, holdSecrets })), check };
}

async function ofProbe<T extends ProbeType>(
  check: LocalCheck<T>,
  machine: Machinery,
  scripting: LocalScripting,
): Promise<LocalRun<CheckType>> {
  const { type, settings } = check;
  const { context, agentSecrets, sources } = machine;
  const runner: CheckRunner<T> = machine.runners[type];
  const prepared = machine.prepare(type, settings, context.proxyUrl);
  if (!prepared.hasTemplates && !hasScripts(check))
    return { ...(await judgedRun(type, runner, settings, context)), check, scrub: prepared.scrub };
  const run = localRun(check, context.proxyUrl, sources, scripting.runtimeOf(check));
  const { wallMs: nowMs } = systemClock;
  const deps = { sandbox: scripting.sandbox, agentSecrets, clock: systemClock, random: Math.random, uuid: randomUUID, holdSecrets };
  return { ...(await materialRun({ ...run, type, runner, check: prepared, context, nowMs }, deps)), check };
}

/** Nothing else is told here. */
const holdSecrets = (): Disposable => ({ [Symbol.dispose]: () => undefined });

/** All of them, or all that is wrong with them. @throws {ConfigError} */
function checksIn(file: string, text: string): LocalCheck[] {
  const read = readCheckFile(text);
  const understood = "problems" in read ? [read.problems] : read.checks.map(localCheck);
  const problems = understood.flatMap((one) => ("type" in one ? [] : one));
  if (problems.length === 0) return understood.flatMap((one) => ("type" in one ? one : []));
  const told = problems.slice(0, maxToldProblems).map(({ position, message }) => `${file}:${position.line}:${position.column}: ${message}`);
  const rest = problems.length - told.length;
  throw new ConfigError([...told, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n"));
}

/** @throws {ConfigError} */
async function readText(path: string): Promise<string> {
  const source = path === "-" ? process.stdin : createReadStream(path, { end: fileLimitBytes });
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      length += chunk.length;
      chunks.push(chunk);
      if (length > fileLimitBytes) throw new ConfigError(`${nameOf(path)} is larger than ${fileLimitBytes} bytes`);
    }
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw new ConfigError(`${nameOf(path)} cannot be read${code}`, { cause });
  }
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/^\uFEFF/, "");
}

function nameOf(path: string): string {
  return path === "-" ? "standard input" : path;
}

/** The address is not repeated: it may hold a password. @throws {ConfigError} */
function checkedProxy(proxyUrl: string): string {
  const protocol = URL.parse(proxyUrl)?.protocol;
  if (protocol === "http:" || protocol === "https:") return proxyUrl;
  throw new ConfigError("--proxy must be an http or https URL, such as http://user:password@proxy.example.com:3128");
}

function print(stream: Writable, lines: readonly string[]): void {
  stream.write(`${lines.join("\n")}\n`);
}
