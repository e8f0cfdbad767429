import { existsSync, statSync } from "node:fs";
import { copyFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError, type Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { makeFolder } from "#daemon/make-folder.ts";
import { type ControlPlaneConfig, readControlPlaneConfig } from "../config.ts";
import { loadDataKey } from "../keys/data-key.ts";
import { keyFiles, layKeys } from "../keys/keys-file.ts";
import { openStore } from "../open-store.ts";
import { restorePostgres } from "../storage/backup/postgres-backup.ts";
import { replaceSqlite, unpackSqlite } from "../storage/backup/sqlite-backup.ts";
import { keysOf, stampOf } from "./backup-main.ts";
import { told } from "./beside.ts";

export interface RestoreFlags {
  readonly withKeys: boolean;
  readonly replace: boolean;
}

/**
 * `outpost restore <file>`: makes a store out of what `outpost backup` wrote, once the copy has been read through, opened, brought to this
 * version's schema, and found to fit the pepper and the encryption key.
 *
 * @returns the exit code
 * @throws {ConfigError} saying what to put right; the store is as it was then
 */
export async function main(env: Env, words: readonly string[], flags: RestoreFlags): Promise<number> {
  const [file, ...more] = words;
  if (file === undefined || more.length > 0) throw new ConfigError("outpost restore takes one word, the file that outpost backup wrote");
  if (!existsSync(file)) throw new ConfigError(`${file} is not there`);
  const config = readControlPlaneConfig(env);
  const keys = flags.withKeys ? keysOf(file) : null;
  if (keys === null) assertKeys(config);
  const done = await told(() =>
    config.databaseUrl === null ? intoFolder(config, file, keys, flags.replace) : intoServer(config, env, file, keys),
  );
  process.stderr.write(`${done} Start the control plane.\n`);
  return exitCode.done;
}

/** A start would make new ones, which fit nothing that is in the backup. */
function assertKeys({ dataDir, keyPepper, encryptionKey }: ControlPlaneConfig): void {
  const given = [keyPepper, encryptionKey];
  const missing = keyFiles.filter((name, index) => given[index] === null && !existsSync(join(dataDir, name)));
  if (missing.length > 0)
    throw new ConfigError(
      `${dataDir} has no ${missing.join(" and no ")}: put there those of the installation that was backed up, or add --with-keys where the backup has them`,
    );
}

async function intoServer(config: ControlPlaneConfig, env: Env, file: string, keys: string | null): Promise<string> {
  const own = keyFiles.filter((name) => keys !== null && existsSync(join(config.dataDir, name)));
  if (own.length > 0)
    throw new ConfigError(`${config.dataDir} has ${own.join(" and ")} already: leave --with-keys out, or name another DATA_DIR`);
  await restorePostgres({ databaseUrl: config.databaseUrl?.reveal() ?? "", env }, file);
  if (keys !== null) {
    await makeFolder(config.dataDir);
    await layKeys(config, keys, config.dataDir);
  }
  await assertFits(config);
  return `${file} is in the database.`;
}

/** Everything is tried in a folder beside, so that what does not fit changes nothing. */
async function intoFolder(config: ControlPlaneConfig, file: string, keys: string | null, replaces: boolean): Promise<string> {
  const { dataDir } = config;
  const database = join(dataDir, "outpost.db");
  if (!replaces && existsSync(database) && statSync(database).size > 0)
    throw new ConfigError(`${database} is there already: name another DATA_DIR, or add --replace, which keeps it under another name`);
  const stamp = stampOf(new Date());
  const draft = join(dataDir, `restore-${stamp}`);
  await makeFolder(draft);
  try {
    await unpackSqlite(file, draft);
    for (const name of keyFiles) if (existsSync(join(dataDir, name))) await copyFile(join(dataDir, name), join(draft, name));
    if (keys !== null) await layKeys(config, keys, draft);
    await assertFits({ ...config, dataDir: draft });
    const kept = await replaceSqlite(draft, dataDir, stamp);
    if (keys !== null) for (const name of keyFiles) await moveKey(draft, dataDir, name, stamp);
    return `${file} is in ${dataDir}.${kept === null ? "" : ` The database before is kept as ${kept}.`}`;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function moveKey(from: string, to: string, name: string, stamp: string): Promise<void> {
  if (!existsSync(join(from, name))) return;
  if (existsSync(join(to, name))) await copyFile(join(to, name), join(to, `${name}.before-${stamp}`));
  await rename(join(from, name), join(to, name));
}

/** @throws {ConfigError} as a start of the control plane */
async function assertFits(config: ControlPlaneConfig): Promise<void> {
  const { storage } = await openStore(config, { nowMs: Date.now() });
  try {
    await loadDataKey(config, storage.marks, { info: () => undefined });
  } finally {
    await storage.close();
  }
}
