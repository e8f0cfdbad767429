import { once } from "node:events";
import { createLogger } from "#daemon/logger.ts";
import type { Env } from "#daemon/env.ts";
import { readControlPlaneConfig } from "./config.ts";
import { createControlPlane } from "./control-plane.ts";

/** How long requests may take to finish after SIGTERM; the chart's grace period is longer. */
const drainMs = 20_000;

/**
 * Runs the control plane until SIGTERM or SIGINT, then drains: readiness 503, no more scheduling, running requests end,
 * the store closes. A second signal ends the process at once.
 *
 * @returns the exit code
 * @throws {ConfigError} when it cannot start as it was told to
 */
export async function main(env: Env): Promise<number> {
  const config = readControlPlaneConfig(env);
  const log = createLogger("control-plane", config.logLevel, process.stderr.isTTY);
  const controlPlane = await createControlPlane(config, { log });
  const stopping = stopSignal();
  await controlPlane.start();
  const signal = await stopping;
  log.info({ signal }, "stopping");
  for (const name of stopSignals) process.once(name, () => process.exit(1));
  await controlPlane.stop(AbortSignal.timeout(drainMs));
  log.info({}, "stopped");
  return 0;
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
