import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "#daemon/make-folder.ts";
import { syncFolder } from "#daemon/sync-folder.ts";

/** Names in the data folder of the secrets that an installation makes for itself. */
export const ownSecrets = { pepper: "pepper", encryptionKey: "encryption.key" } as const;

/**
 * Makes a secret of 32 bytes, as hexadecimal digits, in a file of this user alone. One that is there is kept. It is on disk before
 * anything is made with it: what a power cut left without its secret could never be read again.
 *
 * @throws the system's error, with its code
 */
export async function makeOwnSecret(file: string): Promise<void> {
  await makeFolder(dirname(file));
  try {
    // `wx`: of two first starts at once one makes the file, both read the same.
    await writeFile(file, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx", flush: true });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  await syncFolder(dirname(file));
}
