import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** `credentials.json` in the data folder, for scripts and for people: made at the first start, mode 0600. */
const Credentials = z.object({
  baseUrl: z.string(),
  accountId: z.string(),
  apiKey: z.string(),
  privateLocation: z.object({ id: z.string(), slugName: z.string(), apiKey: z.string() }).optional(),
});
export type Credentials = z.output<typeof Credentials>;

export function credentialsFile(dataDir: string): string {
  return join(dataDir, "credentials.json");
}

export async function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  await writePrivately(credentialsFile(dataDir), `${JSON.stringify(credentials, null, 2)}\n`);
}

/** Undefined when the file is lost or damaged: then new keys are made. */
export async function readCredentials(dataDir: string): Promise<Credentials | undefined> {
  const text = await readFile(credentialsFile(dataDir), "utf8").catch(() => "null");
  try {
    return Credentials.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Writes a file that only this user can read, also where an older one had another mode. */
export async function writePrivately(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600, flush: true });
  await chmod(file, 0o600);
}
