import { ConfigError, type Env } from "#daemon/env.ts";
import { createLogger } from "#daemon/logger.ts";
import { AppError } from "#domain/app-error.ts";
import { readControlPlaneConfig } from "./config.ts";
import { createControlPlane } from "./control-plane.ts";
import { createLocationKey } from "./setup.ts";

/**
 * `outpost location-key <code or id>`: prints a new key of a location, once. Works on the store itself, so with SQLite
 * the control plane must not run at the same time.
 *
 * @returns the exit code
 */
export async function main(env: Env, words: readonly string[]): Promise<number> {
  const [location, ...rest] = words;
  if (location === undefined || rest.length > 0) throw new ConfigError("Name one location: outpost location-key eu-west-1");
  const config = readControlPlaneConfig(env);
  const controlPlane = await createControlPlane(config, { log: createLogger("location-key", config.logLevel, process.stderr.isTTY) });
  try {
    const { rawKey } = await createLocationKey({ ...controlPlane, nowMs: Date.now }, location);
    process.stdout.write(`${rawKey}\n`);
    return 0;
  } catch (error) {
    if (error instanceof AppError) throw new ConfigError(error.message, { cause: error });
    throw error;
  } finally {
    await controlPlane.stop(AbortSignal.timeout(5_000));
  }
}
