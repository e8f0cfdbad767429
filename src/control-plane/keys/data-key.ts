import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "#daemon/env.ts";
import type { Logger } from "#daemon/logger.ts";
import type { MarkStore } from "../storage/storage.ts";
import { encryptionKeyBytes } from "./encryption-key.ts";
import type { KeySettings } from "./key-settings.ts";
import { makeOwnSecret, ownSecrets, unwritable } from "./own-secret.ts";
import { type DataKey, decrypted, encrypted } from "./sealing.ts";

/*
 * The envelope: secrets of users are sealed under the data key, which the store keeps only encrypted under the operator's encryption key.
 * So the latter can be replaced without touching a single secret.
 */

/** `<number>:<base64>`: the data key under the encryption key, and by that the proof that a start has the right one. */
const mark = "data-key";

/**
 * The data key of the store, made at the first start. One that opens only with an earlier encryption key is kept under the new one from
 * now on.
 *
 * @throws {ConfigError} for another encryption key than the store's, or none where there should be one
 */
export async function loadDataKey(config: KeySettings, marks: MarkStore, log: Pick<Logger, "info">): Promise<DataKey> {
  const found = await marks.find(mark);
  const encryptionKey = await loadEncryptionKey(config, found === undefined);
  const stored = found ?? (await marks.keep(mark, wrapped({ no: 1, key: randomBytes(32) }, encryptionKey)));
  const dataKey = unwrapped(stored, encryptionKey);
  if (dataKey !== null) return dataKey;
  for (const previous of config.previousEncryptionKeys) {
    const earlier = unwrapped(stored, bytesOf(previous.reveal()));
    if (earlier === null) continue;
    await marks.replace(mark, wrapped(earlier, encryptionKey));
    log.info({}, "replaced the encryption key; the previous one is no longer needed");
    return earlier;
  }
  throw new ConfigError(wrongKey(config));
}

/**
 * Begins anew with another data key, after the encryption key was lost: everything that was sealed before cannot be opened any more.
 *
 * @throws {ConfigError} when the encryption key of now cannot be used
 */
export async function replaceDataKey(config: KeySettings, marks: MarkStore): Promise<void> {
  const no = numberOf((await marks.find(mark)) ?? "0:") + 1;
  await marks.replace(mark, wrapped({ no, key: randomBytes(32) }, await loadEncryptionKey(config, true)));
}

function wrapped({ no, key }: DataKey, encryptionKey: Uint8Array): string {
  return `${no}:${encrypted(encryptionKey, key, additionalData(no)).toString("base64")}`;
}

function unwrapped(stored: string, encryptionKey: Uint8Array): DataKey | null {
  const no = numberOf(stored);
  const key = decrypted(encryptionKey, Buffer.from(stored.slice(stored.indexOf(":") + 1), "base64"), additionalData(no));
  return key === null ? null : { no, key };
}

function numberOf(stored: string): number {
  return Number(stored.slice(0, stored.indexOf(":")));
}

function additionalData(no: number): Uint8Array {
  return Buffer.from(`outpost data key ${no}`);
}

/** ENCRYPTION_KEY, else the file in the data folder. @param mayMake whether the file may be made where it is missing */
async function loadEncryptionKey(config: KeySettings, mayMake: boolean): Promise<Uint8Array> {
  const { dataDir, encryptionKey } = config;
  if (encryptionKey !== null) return bytesOf(encryptionKey.reveal());
  const file = join(dataDir, ownSecrets.encryptionKey);
  const text = (await readKey(file)) ?? (mayMake ? await makeKey(config, file) : undefined);
  if (text === undefined) throw new ConfigError(missingKey(config, file));
  const bytes = encryptionKeyBytes(text);
  if (bytes === null) throw new ConfigError(`The file ${file} is damaged; put back the original or set ENCRYPTION_KEY`);
  return bytes;
}

async function readKey(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new ConfigError(`${file} cannot be read (${code}); let this user read it, or set ENCRYPTION_KEY`, { cause });
  }
}

/** @throws {ConfigError} also where nothing keeps the folder: the next start would have another key */
async function makeKey({ databaseUrl, keyPepper }: KeySettings, file: string): Promise<string | undefined> {
  if (databaseUrl !== null && keyPepper !== null) {
    throw new ConfigError(
      "ENCRYPTION_KEY is not set: secrets of users are encrypted under it. With PostgreSQL and KEY_PEPPER nothing else is kept in a folder, so it must be given, the same for every process of this database; one comes from: openssl rand -hex 32",
    );
  }
  try {
    await makeOwnSecret(file);
  } catch (cause) {
    throw unwritable(
      cause,
      `DATA_DIR: ${file} cannot be written (${codeOf(cause)}); choose a folder that this user can write, or set ENCRYPTION_KEY`,
    );
  }
  return readKey(file);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}

/** `config.ts` held it against the form. */
function bytesOf(text: string): Uint8Array {
  const bytes = encryptionKeyBytes(text);
  if (bytes === null) throw new Error("an encryption key has not the form that the configuration asks for");
  return bytes;
}

function missingKey({ databaseUrl }: KeySettings, file: string): string {
  const next =
    databaseUrl === null ? "put the file back" : "set ENCRYPTION_KEY, the same for every process of this database, or put the file back";
  return `There is no ENCRYPTION_KEY and no file ${file}, but the secrets of this store are encrypted: ${next}. ${wayOut}`;
}

function wrongKey({ dataDir, databaseUrl, encryptionKey }: KeySettings): string {
  const name =
    encryptionKey === null ? `ENCRYPTION_KEY is not set, and that of ${join(dataDir, ownSecrets.encryptionKey)}` : "ENCRYPTION_KEY";
  const next = databaseUrl === null ? "put the old one back" : "set the old one, the same for every process of this database";
  return `${name} is not the one that the secrets of this store are encrypted under: ${next}; to replace it, also give the old one, as ENCRYPTION_KEY_PREVIOUS. ${wayOut}`;
}

const wayOut = "If it is lost, so are the secrets that users stored; then start anew with: outpost keys reset-encryption";
