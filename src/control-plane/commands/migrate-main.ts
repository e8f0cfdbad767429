import { ConfigError, type Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { createLogger } from "#daemon/logger.ts";
import { readControlPlaneConfig } from "../config.ts";
import { explained } from "../open-store.ts";
import { migrateStore } from "../storage/migrate-store.ts";

/**
 * `outpost migrate`: brings the schema of the store up to date and ends; before a roll-out, or as a job. A database that does not answer
 * is waited for, a minute at most. Run twice at once, one does it and the other finds nothing to do.
 *
 * @returns the exit code
 * @throws {ConfigError} when the store cannot be opened, or is newer than this program
 */
export async function main(env: Env, words: readonly string[]): Promise<number> {
  if (words.length > 0) throw new ConfigError("outpost migrate takes no words; DATABASE_URL or DATA_DIR names the store");
  const config = readControlPlaneConfig(env);
  const { dataDir, databaseUrl } = config;
  const place = { dataDir, nowMs: Date.now(), ...(databaseUrl !== null && { databaseUrl: databaseUrl.reveal() }) };
  const log = createLogger("migrate", config.logLevel, process.stderr.isTTY);
  const { from, to, applied } = await explained(config, () => migrateStore(place), log);
  process.stdout.write(
    applied.length === 0
      ? `Schema version ${to} is there already; nothing to do.\n`
      : `Schema version ${from} → ${to}; applied: ${applied.join(", ")}.\n`,
  );
  return exitCode.done;
}
