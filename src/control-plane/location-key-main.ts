import { ConfigError, type Env } from "#daemon/env.ts";
import { AppError } from "#domain/app-error.ts";
import { readControlPlaneConfig } from "./config.ts";
import { openConfigured } from "./control-plane.ts";
import { createLocationKey } from "./setup.ts";

/**
 * `outpost location-key <code or id>`: prints a new key of a location, once. Works on the store itself; a control plane that runs on
 * it takes the key at once.
 *
 * @returns the exit code
 */
export async function main(env: Env, words: readonly string[]): Promise<number> {
  const [location, ...rest] = words;
  if (location === undefined || rest.length > 0) throw new ConfigError("Name one location: outpost location-key eu-west-1");
  const { storage, hashOf } = await openConfigured(readControlPlaneConfig(env), Date.now(), true);
  try {
    const { rawKey } = await createLocationKey({ storage, hashOf, nowMs: Date.now }, location);
    process.stdout.write(`${rawKey}\n`);
    return 0;
  } catch (error) {
    if (error instanceof AppError) throw new ConfigError(error.message, { cause: error });
    throw error;
  } finally {
    await storage.close();
  }
}
