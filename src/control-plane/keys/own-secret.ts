import { randomBytes } from "node:crypto";
import { access, link, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { ConfigError } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import { makeFolder } from "#daemon/make-folder.ts";
import { syncFolder } from "#daemon/sync-folder.ts";

/** For people, of a start that a full disk keeps from going on. */
export const diskFull = "DATA_DIR: its disk is full: free some space, and start again";

/** Names in the data folder of the secrets that an installation makes for itself. */
export const ownSecrets = { pepper: "pepper", encryptionKey: "encryption.key" } as const;

/**
 * Makes a secret of 32 bytes, as hexadecimal digits, in a file of this user alone. One that is there is kept. It is on disk before
 * anything is made with it: what a power cut left without its secret could never be read again.
 *
 * @throws the system's error, with its code
 */
export async function makeOwnSecret(file: string): Promise<void> {
  if (await isThere(file)) return; // also where nothing can be written any more: the disk may be full, and the next start must do
  await makeFolder(dirname(file));
  const secret = `${randomBytes(32).toString("hex")}\n`;
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await writeNew(draft, secret);
    // Whole from the first moment: of two first starts at once one names the file, and both read all of the same secret.
    await link(draft, file).catch((error: unknown) => (withoutLinks.has(codeOf(error)) ? writeNew(file, secret) : Promise.reject(error)));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(file));
}

/** Why a start cannot go on whose secret could not be written. @param otherwise what to do where the disk is not full */
export function unwritable(cause: unknown, otherwise: string): ConfigError {
  const isFull = codeOf(cause) === "ENOSPC" || codeOf(cause) === "EDQUOT";
  return isFull ? new ConfigError(diskFull, { cause, exitCode: exitCode.away }) : new ConfigError(otherwise, { cause });
}

/** What file systems without hard links answer, shares of Windows among them. */
const withoutLinks: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

function writeNew(file: string, text: string): Promise<void> {
  return writeFile(file, text, { mode: 0o600, flag: "wx", flush: true });
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
