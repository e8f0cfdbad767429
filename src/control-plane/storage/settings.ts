import { z } from "zod";
import { Secret } from "#daemon/secret.ts";
import { SecretFile } from "#daemon/secret-file.ts";

const DatabaseUrl = z
  .string()
  .trim()
  .refine((text) => /^postgres(ql)?:\/\//.test(text), { error: "must begin with postgres://", abort: true })
  .refine(
    isPlainUrl,
    "must be postgres://user:password@host:port/name; in user and password write @ as %40, / as %2F, : as %3A, ? as %3F, # as %23 and % as %25",
  )
  .transform((text) => new Secret(text));

export const storageEnv = {
  DATABASE_URL: z
    .string()
    .pipe(DatabaseUrl)
    .optional()
    .describe("PostgreSQL database for all data, postgres://user:password@host/name; SQLite in DATA_DIR if not set"),
  DATABASE_URL_FILE: SecretFile.pipe(DatabaseUrl).optional().describe("file with this URL, instead of DATABASE_URL"),
  SQLITE_SYNCHRONOUS: z
    .enum(["full", "normal"], "must be full or normal")
    .default("full")
    .describe(
      "durability of SQLite. full: everything that the control plane acknowledged survives a power cut. normal: a power cut can lose the last seconds, but no answer waits for the disk",
    ),
};

/** Not so where a password's `/`, `?` or `#` ended the host too early: then the `@` that should end the password comes after it. */
function isPlainUrl(text: string): boolean {
  try {
    const { username, password, pathname, search, hash } = new URL(text);
    if (`${pathname}${search}${hash}`.includes("@")) return false;
    return [username, password, pathname].map(decodeURIComponent).length > 0;
  } catch {
    return false;
  }
}
