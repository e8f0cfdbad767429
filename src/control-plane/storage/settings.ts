import { z } from "zod";
import { Secret } from "#daemon/secret.ts";
import { SecretFile } from "#daemon/secret-file.ts";

const DatabaseUrl = z
  .string()
  .trim()
  .refine((text) => /^postgres(ql)?:\/\//.test(text), { error: "must begin with postgres://", abort: true })
  .refine(isDecodableUrl, "must be a URL; special characters of the password are percent-encoded")
  .transform((text) => new Secret(text));

export const storageEnv = {
  DATABASE_URL: z
    .string()
    .pipe(DatabaseUrl)
    .optional()
    .describe("PostgreSQL to keep everything in, postgres://user:password@host/name; SQLite in DATA_DIR when absent"),
  DATABASE_URL_FILE: SecretFile.pipe(DatabaseUrl).optional().describe("file that holds it, instead of DATABASE_URL"),
  SQLITE_SYNCHRONOUS: z
    .enum(["full", "normal"], "must be full or normal")
    .default("full")
    .describe(
      "of SQLite; full: what the control plane has acknowledged survives a power cut; normal: a power cut may take back the last seconds, and no answer waits for the disk",
    ),
};

function isDecodableUrl(text: string): boolean {
  try {
    const { username, password, pathname } = new URL(text);
    return [username, password, pathname].map(decodeURIComponent).length > 0;
  } catch {
    return false;
  }
}
