import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ConfigError } from "#daemon/env.ts";
import { encryptionKeyBytes } from "./encryption-key.ts";
import type { KeySettings } from "./key-settings.ts";
import { ownSecrets } from "./own-secret.ts";

/** The keys of a backup, in a file beside it: whoever has both can read every secret, so they are best kept apart. */
const KeysFile = z.object({
  pepper: z.string().min(32),
  encryptionKey: z.string().refine((text) => encryptionKeyBytes(text) !== null),
});

export const keyFiles = [ownSecrets.pepper, ownSecrets.encryptionKey] as const;

/** @throws {ConfigError} where a key is not there or the file is */
export async function writeKeysFile({ dataDir, keyPepper, encryptionKey }: KeySettings, file: string): Promise<void> {
  const kept = async (name: keyof typeof ownSecrets): Promise<string> => {
    const path = join(dataDir, ownSecrets[name]);
    const text = await readFile(path, "utf8").catch((cause: unknown) => {
      throw new ConfigError(`${path} cannot be read, and no variable holds it: back up without --with-keys, or set it`, { cause });
    });
    return text.trim();
  };
  const keys = {
    pepper: keyPepper?.reveal() ?? (await kept("pepper")),
    encryptionKey: encryptionKey?.reveal() ?? (await kept("encryptionKey")),
  };
  await writeFile(file, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600, flag: "wx", flush: true }).catch((cause: unknown) => {
    throw new ConfigError(`${file} cannot be written; it must not exist`, { cause });
  });
}

/** Lays the keys of such a file into a data folder, where no variable holds them. @throws {ConfigError} for a file that is none */
export async function layKeys({ keyPepper, encryptionKey }: KeySettings, file: string, dataDir: string): Promise<void> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new ConfigError(`${file} cannot be read: restore without --with-keys, and put pepper and encryption key in place yourself`, {
      cause,
    });
  });
  const keys = KeysFile.safeParse(parsed(text));
  if (!keys.success) throw new ConfigError(`${file} holds no keys of an Outpost`);
  for (const [name, path] of Object.entries(ownSecrets)) {
    if ((name === "pepper" ? keyPepper : encryptionKey) !== null) continue;
    await writeFile(join(dataDir, path), `${keys.data[name as keyof typeof ownSecrets].trim()}\n`, { mode: 0o600, flush: true });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
