import { statSync } from "node:fs";
import { ConfigError, type Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { readControlPlaneConfig } from "../config.ts";
import { writeKeysFile } from "../keys/keys-file.ts";
import { backUpPostgres } from "../storage/backup/postgres-backup.ts";
import { backUpSqlite } from "../storage/backup/sqlite-backup.ts";
import { told } from "./beside.ts";

export interface BackupFlags {
  readonly output: string | null;
  readonly withKeys: boolean;
}

/**
 * `outpost backup`: writes the store, as it is at one moment, into one file, beside a control plane that works on it. The name of the file
 * is all that standard output gets.
 *
 * @returns the exit code
 * @throws {ConfigError} saying what to put right; no file is left then
 */
export async function main(env: Env, words: readonly string[], { output, withKeys }: BackupFlags): Promise<number> {
  if (words.length > 0) throw new ConfigError("outpost backup takes no words; --output names the file, DATABASE_URL or DATA_DIR the store");
  const config = readControlPlaneConfig(env);
  const { dataDir, databaseUrl } = config;
  const file = output ?? `outpost-${stampOf(new Date())}.${databaseUrl === null ? "db" : "dump"}`;
  const onProgress = (bytes: number, ofBytes: number): void =>
    void process.stderr.write(`${megabytes(bytes)} of about ${megabytes(ofBytes)}\n`);
  await told(() =>
    databaseUrl === null
      ? backUpSqlite({ dataDir, output: file, onProgress })
      : backUpPostgres({ databaseUrl: databaseUrl.reveal(), env }, file),
  );
  if (withKeys) await writeKeysFile(config, keysOf(file));
  process.stdout.write(`${file}\n`);
  process.stderr.write(`${megabytes(statSync(file).size)}, read through and whole. ${keysSentence(file, withKeys)}\n`);
  return exitCode.done;
}

/** Where the keys of a backup are. */
export function keysOf(file: string): string {
  return `${file}.keys`;
}

/** For names of files, to the second, in UTC. */
export function stampOf(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
}

function keysSentence(file: string, withKeys: boolean): string {
  return withKeys
    ? `The keys are in ${keysOf(file)}: keep the two apart, as together they open every secret.`
    : "The pepper and the encryption key are not in it: keep them, too, or no API key and no secret works after a restore (--with-keys).";
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}
