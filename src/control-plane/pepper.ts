import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "#daemon/env.ts";
import { makeFolder } from "#daemon/make-folder.ts";
import { Secret } from "#daemon/secret.ts";

/**
 * The secret under which keys are hashed: KEY_PEPPER, or the file `pepper` in the data folder, made with mode 0600 at
 * the first start. Losing it voids every key, so a damaged file stops the start and nothing is overwritten.
 *
 * @throws {ConfigError} when the folder or the file cannot be used
 */
export async function loadPepper({ dataDir, keyPepper }: { readonly dataDir: string; readonly keyPepper: Secret | null }): Promise<Secret> {
  if (keyPepper !== null) return keyPepper;
  const file = join(dataDir, "pepper");
  try {
    await makeFolder(dataDir);
    // `wx`: of two first starts at once one makes the file, both read the same.
    await writeFile(file, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" }).catch(ignoreExisting);
    const text = (await readFile(file, "utf8")).trim();
    if (/^[0-9a-f]{64}$/.test(text)) return new Secret(text);
  } catch (cause) {
    throw new ConfigError(`DATA_DIR: ${dataDir} cannot be used (${codeOf(cause)}); choose a folder that this user can write`, { cause });
  }
  throw new ConfigError("The file pepper in the data folder (DATA_DIR) is damaged; put back the original or set KEY_PEPPER");
}

function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== "EEXIST") throw error;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
