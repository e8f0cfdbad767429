import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { programPath } from "../sandbox/launch.ts";

/** Authorities beside the usual ones, as Node.js and as Chromium read them. */
export interface Authorities {
  readonly file: string;
  /** Null without `certutil` (libnss3-tools): pages then do not trust them. */
  readonly database: string | null;
}

const limitMs = 20_000;

/** Makes them once for each set of authorities; null without any. */
export function authorityStore(folder: string): (extraCas: readonly string[]) => Promise<Authorities | null> {
  let made: { readonly key: string; readonly authorities: Promise<Authorities> } | undefined;
  return async (extraCas) => {
    if (extraCas.length === 0) return null;
    const key = createHash("sha256").update(extraCas.join("\n")).digest("hex").slice(0, 16);
    if (made?.key !== key) made = { key, authorities: make(folder, key, extraCas) };
    return made.authorities;
  };
}

/**
 * Agents may share the folder, and runs of others read what is there: each part is made beside and gets its name when it is whole. What has
 * its name is never changed, as the name is that of its content.
 */
async function make(folder: string, key: string, extraCas: readonly string[]): Promise<Authorities> {
  const [file, database] = [join(folder, `authorities-${key}.pem`), join(folder, `authorities-${key}.nssdb`)];
  if (existsSync(file) && existsSync(database)) return { file, database };
  const beside = await mkdtemp(join(folder, "new-"));
  try {
    if (!existsSync(file)) {
      await writeFile(join(beside, "all"), `${extraCas.map((pem) => pem.trim()).join("\n")}\n`);
      await rename(join(beside, "all"), file);
    }
    const isMade = await makeDatabase(beside, extraCas).catch(() => false);
    if (isMade) await rename(join(beside, "nssdb"), database).catch(() => {}); // another agent was faster, with the same
    return { file, database: existsSync(database) ? database : null };
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

async function makeDatabase(beside: string, extraCas: readonly string[]): Promise<true> {
  const database = join(beside, "nssdb");
  await mkdir(database);
  const certutil = (words: readonly string[]): Promise<unknown> =>
    promisify(execFile)(programPath("certutil"), [...words, "-d", `sql:${database}`], { env: { HOME: beside }, timeout: limitMs });
  await certutil(["-N", "--empty-password"]);
  for (const [index, pem] of extraCas.entries()) {
    const one = join(beside, `${index}.pem`);
    await writeFile(one, pem);
    await certutil(["-A", "-n", `outpost-${index}`, "-t", "C,,", "-i", one]);
  }
  return true;
}
