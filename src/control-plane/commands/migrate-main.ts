import { ConfigError, type Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { createLogger } from "#daemon/logger.ts";
import { readControlPlaneConfig } from "../config.ts";
import { explained } from "../open-store.ts";
import { distribute } from "../storage/citus/distribute.ts";
import { migrateStore } from "../storage/migrate-store.ts";
import { told } from "./beside.ts";

/**
 * `outpost migrate`: brings the schema of the store up to date and ends; before a roll-out, or as a job. A database that does not answer
 * is waited for, a minute at most. Run twice at once, one does it and the other finds nothing to do.
 *
 * `--distributed` then spreads the history over the workers of a Citus cluster.
 *
 * @returns the exit code
 * @throws {ConfigError} when the store cannot be opened, is newer than this program, or is no cluster
 */
export async function main(env: Env, words: readonly string[], { distributed }: { readonly distributed: boolean }): Promise<number> {
  if (words.length > 0) throw new ConfigError("outpost migrate takes no words; DATABASE_URL or DATA_DIR names the store");
  const config = readControlPlaneConfig(env);
  const { dataDir, databaseUrl } = config;
  if (distributed && databaseUrl === null)
    throw new ConfigError(
      "outpost migrate --distributed needs DATABASE_URL, the coordinator of a Citus cluster; a SQLite file stays on one machine",
    );
  const place = { dataDir, nowMs: Date.now(), ...(databaseUrl !== null && { databaseUrl: databaseUrl.reveal() }) };
  const log = createLogger("migrate", config.logLevel, process.stderr.isTTY);
  const { from, to, applied } = await explained(config, () => migrateStore(place), log);
  process.stdout.write(
    applied.length === 0
      ? `Schema version ${to} is there already; nothing to do.\n`
      : `Schema version ${from} → ${to}; applied: ${applied.join(", ")}.\n`,
  );
  if (distributed && databaseUrl !== null) {
    const tell = (line: string): void => void process.stdout.write(`${line}\n`);
    const count = await told(() => distribute(databaseUrl.reveal(), tell));
    tell(count === 0 ? "The history is distributed already; nothing to do." : "The history is distributed. Start the control plane.");
  }
  return exitCode.done;
}
