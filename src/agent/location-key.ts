import { readFile } from "node:fs/promises";
import { ConfigError } from "#daemon/env.ts";
import { Secret } from "#daemon/secret.ts";
import type { KeySource } from "./config.ts";

/**
 * Reads the location's key. A file is read at every call, so that a rotated key is found.
 *
 * @throws {ConfigError} when the file cannot be read or is empty
 */
export async function readLocationKey(source: KeySource): Promise<Secret> {
  if (source.from === "value") return source.key;
  const text = await readFile(source.path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new ConfigError(`API_KEY_FILE: ${source.path} cannot be read (${cause.code ?? "error"})`, { cause });
  });
  if (text.trim() === "") throw new ConfigError(`API_KEY_FILE: ${source.path} is empty`);
  return new Secret(text.trim());
}
