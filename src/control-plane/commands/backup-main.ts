import { statSync } from "node:fs";
import { type FileHandle, mkdtemp, open, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ConfigError, type Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { type ControlPlaneConfig, readControlPlaneConfig } from "../config.ts";
import { writeKeysFile } from "../keys/keys-file.ts";
import { backUpPostgres } from "../storage/backup/postgres-backup.ts";
import { backUpSqlite } from "../storage/backup/sqlite-backup.ts";
import { told } from "./beside.ts";

export interface BackupFlags {
  /** A file that is not there yet, a folder, `-` for standard output; null for a name of its own in the current folder. */
  readonly output: string | null;
  /** Of the backups with names of their own in that folder, how many stay. */
  readonly keep: string | null;
  readonly withKeys: boolean;
}

/**
 * `outpost backup`: writes the store, as it is at one moment, into one file, beside a control plane that works on it. Standard output gets
 * the name of the file, or with `--output -` the backup itself.
 *
 * @returns the exit code
 * @throws {ConfigError} saying what to put right; no file is left then
 */
export async function main(env: Env, words: readonly string[], { output, keep, withKeys }: BackupFlags): Promise<number> {
  if (words.length > 0) throw new ConfigError("outpost backup takes no words; --output names the file, DATABASE_URL or DATA_DIR the store");
  const kept = keptNumber(keep);
  const config = readControlPlaneConfig(env);
  if (output === "-") {
    if (withKeys || kept !== null) throw new ConfigError("--with-keys and --keep need a file or a folder as --output, not -");
    return toStandardOutput(config, env);
  }
  const file = fileOf(config, output, kept);
  await backUp(config, env, file);
  if (withKeys) await writeKeysFile(config, keysOf(file));
  process.stdout.write(`${file}\n`);
  process.stderr.write(`${wholeSentence(statSync(file).size)} ${keysSentence(file, withKeys)}\n`);
  if (kept !== null) await removeOlder(dirname(file), kept);
  return exitCode.done;
}

/** The file that is named, or one with a name of its own in the folder that is named, or here. */
function fileOf({ databaseUrl }: ControlPlaneConfig, output: string | null, kept: number | null): string {
  if (output === null || isFolder(output))
    return join(output ?? "", `outpost-${stampOf(new Date())}.${databaseUrl === null ? "db" : "dump"}`);
  if (kept !== null) throw new ConfigError(`--keep needs a folder as --output; ${output} is none`);
  return output;
}

async function backUp({ dataDir, databaseUrl }: ControlPlaneConfig, env: Env, file: string): Promise<void> {
  const onProgress = (bytes: number, ofBytes: number): void =>
    void process.stderr.write(`${megabytes(bytes)} of about ${megabytes(ofBytes)}\n`);
  await told(() =>
    databaseUrl === null
      ? backUpSqlite({ dataDir, output: file, onProgress })
      : backUpPostgres({ databaseUrl: databaseUrl.reveal(), env }, file),
  );
}

/**
 * By a file that is read through first: who reads gets a whole backup, or nothing and an exit code. The file lies beside the database, where there
 * is room, and has no name while it is sent: whatever ends this process then, nothing stays.
 */
async function toStandardOutput(config: ControlPlaneConfig, env: Env): Promise<number> {
  await using file = await namelessBackup(config, env);
  await pipeline(file.createReadStream({ autoClose: false }), process.stdout, { end: false }).catch((cause: unknown) => {
    throw new ConfigError("standard output was closed before the whole backup was written", { cause });
  });
  process.stderr.write(`${wholeSentence((await file.stat()).size)} ${keysSentence("", false)}\n`);
  return exitCode.done;
}

async function namelessBackup(config: ControlPlaneConfig, env: Env): Promise<FileHandle> {
  const folder = await mkdtemp(join(config.databaseUrl === null ? config.dataDir : tmpdir(), "backup-")).catch((cause: unknown) => {
    throw new ConfigError(`no file can be made in ${config.dataDir}, where the database is expected`, { cause });
  });
  try {
    const path = join(folder, "backup");
    await backUp(config, env, path);
    return await open(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Those of names that this command makes, with their keys; their names sort by age. */
async function removeOlder(folder: string, kept: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^outpost-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.(db|dump)$/.test(name)).toSorted();
  for (const name of names.slice(0, -kept))
    for (const path of [join(folder, name), keysOf(join(folder, name))]) await rm(path, { force: true });
}

function keptNumber(text: string | null): number | null {
  if (text === null) return null;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new ConfigError(`--keep must be a number of backups, 1 or more, not "${text}"`);
  return Number(text);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Where the keys of a backup are. */
export function keysOf(file: string): string {
  return `${file}.keys`;
}

/** For names of files, to the second, in UTC. */
export function stampOf(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
}

function wholeSentence(bytes: number): string {
  return `${megabytes(bytes)}, read through and whole.`;
}

function keysSentence(file: string, withKeys: boolean): string {
  return withKeys
    ? `The keys are in ${keysOf(file)}: keep the two apart, as together they open every secret.`
    : "The pepper and the encryption key are not in it: keep them, too, or no API key and no secret works after a restore (--with-keys).";
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}
