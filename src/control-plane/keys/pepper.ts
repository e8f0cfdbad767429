import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "#daemon/env.ts";
import { Secret } from "#daemon/secret.ts";
import type { MarkStore } from "../storage/storage.ts";
import type { KeySettings } from "./key-settings.ts";
import { makeOwnSecret, ownSecrets, unwritable } from "./own-secret.ts";

/**
 * The secret under which keys are hashed: KEY_PEPPER or KEY_PEPPER_FILE, or the file `pepper` in the data folder, made with mode 0600 at
 * the first start. Losing it voids every key, so a damaged file stops the start and nothing is overwritten.
 *
 * @throws {ConfigError} when the folder or the file cannot be used
 */
export async function loadPepper({
  dataDir,
  databaseUrl = null,
  keyPepper,
}: Pick<KeySettings, "dataDir" | "keyPepper"> & Partial<Pick<KeySettings, "databaseUrl">>): Promise<Secret> {
  if (keyPepper !== null) return keyPepper;
  const file = join(dataDir, ownSecrets.pepper);
  try {
    await makeOwnSecret(file);
    const pepper = pepperIn(await readFile(file, "utf8"));
    if (pepper !== null) return pepper;
  } catch (cause) {
    throw unwritable(
      cause,
      `DATA_DIR: ${dataDir} cannot be used (${codeOf(cause)}); choose a folder that this user can write${databaseUrl === null ? "" : ", or set KEY_PEPPER: then none is needed"}`,
    );
  }
  throw new ConfigError(damaged);
}

/** That of the data folder, without making one. @returns null where there is none @throws {ConfigError} */
export async function readPepper({ dataDir }: Pick<KeySettings, "dataDir">): Promise<Secret | null> {
  const file = join(dataDir, ownSecrets.pepper);
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(cause))) return null;
    throw new ConfigError(`${file} cannot be read (${codeOf(cause)}); let this user read it, or set KEY_PEPPER`, { cause });
  });
  if (text === null) return null;
  const pepper = pepperIn(text);
  if (pepper === null) throw new ConfigError(damaged);
  return pepper;
}

const damaged = "The file pepper in the data folder (DATA_DIR) is damaged; put back the original or set KEY_PEPPER";

function pepperIn(text: string): Secret | null {
  const trimmed = text.trim();
  return /^[0-9a-f]{64}$/.test(trimmed) ? new Secret(trimmed) : null;
}

/**
 * Holds the pepper against the mark that the first one left in the store. A store opened with another pepper knows none of its keys, and
 * keys made then would be void with the right one.
 *
 * @throws {ConfigError} for another pepper, unless it is to count from now on
 */
export async function checkPepper(
  { dataDir, databaseUrl, keyPepper }: Pick<KeySettings, "dataDir" | "databaseUrl" | "keyPepper">,
  marks: MarkStore,
  hashOf: (secret: string) => string,
  takesPepper: boolean,
): Promise<void> {
  const mark = hashOf("outpost"); // no key has this text
  if (takesPepper) return marks.replace("pepper", mark);
  if ((await marks.keep("pepper", mark)) === mark) return;
  const name = keyPepper === null ? `KEY_PEPPER is not set, and that of ${join(dataDir, ownSecrets.pepper)}` : "KEY_PEPPER";
  const next = databaseUrl === null ? "put the old one back" : "set the old one, the same for every process of this database";
  throw new ConfigError(
    `${name} is not the one that the keys of this store were made with: ${next}. If it is lost, so are the keys; then start anew with: outpost keys create --new-pepper`,
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
