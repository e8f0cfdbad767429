import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { Env } from "#daemon/env.ts";
import { type ExitCode, exitCode } from "#daemon/exit-code.ts";
import { createLogger, type Logger } from "#daemon/logger.ts";
import { warnOfMisspelt } from "#daemon/misspelt.ts";
import { createLineTap } from "#daemon/telemetry/line-tap.ts";
import { loadTelemetry } from "#daemon/telemetry/load-telemetry.ts";
import { type Agent, createAgent } from "./agent.ts";
import { systemDeps, withPlaywright } from "./agent-parts.ts";
import { createAgentModel } from "./agentic/agent-model.ts";
import { type AgentConfig, AgentEnv, readAgentConfig } from "./config.ts";
import { wayToCollector } from "./contact/way-to-collector.ts";
import { systemClock } from "./host/clock.ts";
import { forbidCoreDumps } from "./host/core-dumps.ts";
import { poolThreads } from "./net/os-resolver.ts";
import { announcedRuntimes } from "./runtimes/announced-runtimes.ts";
import { createSandbox } from "./sandbox/create-sandbox.ts";
import { loadEngine, loadSuites } from "./script-checks/load-engine.ts";

const afterBugMs = 5_000;
/** For what a collector was not told yet, once the agent has stopped. */
const telemetryMs = 1_000;
/** After the agent has stopped, what still holds the event loop (a look-up that cannot be cancelled) is not waited for. */
const lingerMs = 250;

/** Variables that no child process shall inherit. */
const ownSecrets = ["API_KEY", "AGENTIC_KEY", "OTEL_EXPORTER_OTLP_HEADERS"];

/**
 * An agent as a process. SIGTERM, SIGINT and SIGHUP drain it, with 5 where results are lost; a second one ends it at once with 1.
 *
 * @throws {ConfigError} when it cannot start as it was told to
 */
export async function main(env: Env): Promise<number> {
  const config = readAgentConfig(env);
  if (config.usesOsResolver) process.env["UV_THREADPOOL_SIZE"] ??= String(poolThreads);
  for (const name of [...ownSecrets, ...config.secrets.variables.keys()]) delete process.env[name];
  process.title = "outpost-agent";
  setFlagsFromString("--heap-growing-percent=50"); // garbage of runs in flight piles up otherwise (docs/adr/0002-http-engine.md)
  const tap = createLineTap(config.collector);
  const log = createLogger("agent", config.logLevel, process.stderr.isTTY, tap?.take);
  warnOfMisspelt(log, env, Object.keys(AgentEnv.shape));
  keepOutOfCoreDumps(log);
  const { runtimesFolder } = config;
  const system = systemDeps(config, log);
  const telemetry = await loadTelemetry(config.collector, () => ({ ...wayToCollector(config, system.trustStore), log }));
  tap?.leadTo(telemetry.takeLine);
  const deps = { ...system, telemetry };
  const installed = await announcedRuntimes(runtimesFolder, log, Date.now());
  const sandbox = await createSandbox({ ...sandboxSettings(config), trust: deps.trustStore.trust, log, clock: systemClock });
  const runtimes = installed.filter((id) => (sandbox.levels.get(id) ?? 0) > 0); // of another agent their scripts may run
  const { dataFolder, playwright } = config;
  const tls = deps.trustStore;
  const engine = await loadEngine({
    ...playwright,
    runtimesFolder,
    dataFolder: join(dataFolder, "browser"),
    trust: tls.trust,
    extraCas: tls.extraCas,
    log,
    clock: systemClock,
  });
  const suites = await loadSuites(engine, {
    ...config.suites,
    dataFolder: join(dataFolder, "suites"),
    hasScreenshots: playwright.hasScreenshots,
    trust: tls.trust,
    clock: systemClock,
  });
  const agentModel = createAgentModel(config.agentic, config.proxy, tls.extraCas);
  const agent = createAgent(config, withPlaywright({ ...deps, runtimes, sandbox }, engine, suites, agentModel));
  const ended = endOf(agent, log);
  try {
    await agent.start();
  } catch (error) {
    await agent.stop(0);
    throw error;
  }
  const reason = await ended;
  const { lost } = await agent.stop(reason === exitCode.failed ? afterBugMs : undefined);
  await telemetry.stop(telemetryMs);
  const code = reason === exitCode.done && lost > 0 ? exitCode.lost : reason;
  setTimeout(() => process.exit(code), lingerMs).unref();
  return code;
}

function sandboxSettings({ runtimesFolder, scripts: { concurrency, sandbox, egress } }: AgentConfig) {
  return { runtimesFolder, concurrency, wanted: sandbox, wantedWall: egress };
}

function keepOutOfCoreDumps(log: Logger): void {
  const dumpable = forbidCoreDumps();
  if (dumpable !== null) log.debug({ reason: dumpable }, "core dumps are left to the system's limit");
}

/** Resolves when there is a reason to end. Listens for as long as the process lives. */
function endOf(agent: Agent, log: Logger): Promise<ExitCode> {
  const { promise, resolve } = Promise.withResolvers<ExitCode>();
  let signals = 0;
  const onSignal = (signal: string): void => {
    signals += 1;
    log.info({ signal }, signals === 1 ? "signal received" : "second signal, the agent ends at once");
    if (signals > 1) process.exit(exitCode.failed);
    resolve(exitCode.done);
  };
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(name, onSignal);
  const onParentsEnd = (): void => onSignal("the parent process ended");
  process.once("disconnect", onParentsEnd); // `outpost up` holds a channel to its agent
  if (process.connected === false) onParentsEnd(); // while this one still looked at its runtimes; without a parent it is undefined
  process.channel?.unref(); // listening must not keep an agent alive that did not start
  const onBug = (error: unknown): void => {
    agent.report(error);
    resolve(exitCode.failed);
  };
  process.on("uncaughtException", onBug);
  process.on("unhandledRejection", onBug);
  void agent.incompatible.then(() => resolve(exitCode.incompatible));
  return promise;
}
