import { once } from "node:events";
import type { Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { createLogger, type Logger } from "#daemon/logger.ts";
import { makeFolder } from "#daemon/make-folder.ts";
import { warnOfMisspelt } from "#daemon/misspelt.ts";
import { createLineTap } from "#daemon/telemetry/line-tap.ts";
import { loadTelemetry } from "#daemon/telemetry/load-telemetry.ts";
import { ensureSetup } from "./accounts/setup.ts";
import { credentialsFile, writeCredentials } from "./commands/credentials.ts";
import { ControlPlaneEnv, readControlPlaneConfig } from "./config.ts";
import type { CheckTexts } from "./console/code/check-texts.ts";
import { setUpAddress } from "./console/people/set-up-token.ts";
import { type ControlPlane, createControlPlane, drainMs } from "./control-plane.ts";
import { wayToCollector } from "./outgoing/way-to-collector.ts";

/** For what a collector was not told yet, once all else has stopped. */
const telemetryMs = 1_000;

/**
 * Runs the control plane until SIGTERM or SIGINT, then drains: readiness 503, no more scheduling, running requests end,
 * the store closes. A second signal ends the process at once.
 *
 * @returns the exit code
 * @throws {ConfigError} when it cannot start as it was told to
 */
export async function main(env: Env, checkTexts: CheckTexts): Promise<number> {
  const config = readControlPlaneConfig(env);
  const tap = createLineTap(config.collector);
  const log = createLogger("control-plane", config.logLevel, process.stderr.isTTY, tap?.take);
  warnOfMisspelt(log, env, Object.keys(ControlPlaneEnv.shape));
  const telemetry = await loadTelemetry(config.collector, () => ({ ...wayToCollector(config, Date.now), log }));
  tap?.leadTo(telemetry.takeLine);
  const controlPlane = await createControlPlane(config, {
    log,
    telemetry,
    checkTexts,
    async setUp(made) {
      await setUp(made, config.dataDir, log);
      await tellSetUp(made, config.publicUrl ?? made.address() ?? "", log);
    },
  });
  const stopping = stopSignal();
  await controlPlane.start();
  const signal = await stopping;
  log.info({ signal }, "stopping");
  for (const name of stopSignals) process.once(name, () => process.exit(exitCode.failed));
  await controlPlane.stop(AbortSignal.timeout(drainMs));
  log.info({}, "stopped");
  await telemetry.stop(telemetryMs);
  return exitCode.done;
}

async function tellSetUp(controlPlane: ControlPlane, baseUrl: string, log: Logger): Promise<void> {
  const made = await setUpAddress(controlPlane, baseUrl, Date.now());
  if (made?.isForLogs === true) log.info({ address: made.address }, "there is no owner yet: open this address to create the first one");
  else if (made !== null) log.info({}, "there is no owner yet: `outpost set-up` prints the address to create the first one");
}

/** At the first start there is nobody who could make a key over REST. */
async function setUp(controlPlane: ControlPlane, dataDir: string, log: Logger): Promise<void> {
  const { storage, hashOf } = controlPlane;
  const { account, serviceKey } = await ensureSetup({ storage, hashOf, nowMs: Date.now });
  if (serviceKey === null) return;
  const file = credentialsFile(dataDir);
  try {
    await makeFolder(dataDir);
    await writeCredentials(dataDir, { baseUrl: controlPlane.address() ?? "", accountId: account.uuid, apiKey: serviceKey });
    log.info({ file }, "first start: the account and its key are in this file");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? error.code : String(error);
    log.warn(
      { file, reason },
      "first start: the account is made, but its key cannot be written; make one with: outpost keys create --role OWNER",
    );
  }
}

const stopSignals = ["SIGTERM", "SIGINT"] as const;

async function stopSignal(): Promise<string> {
  const stop = new AbortController();
  const named = stopSignals.map(async (name) => {
    await once(process, name, { signal: stop.signal });
    return name;
  });
  const first = await Promise.race(named);
  stop.abort();
  await Promise.allSettled(named);
  return first;
}
