import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
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
    if (made?.key !== key) made = { key, authorities: make(join(folder, `authorities-${key}`), extraCas) };
    return made.authorities;
  };
}

async function make(folder: string, extraCas: readonly string[]): Promise<Authorities> {
  await rm(folder, { recursive: true, force: true });
  const database = join(folder, "nssdb");
  await mkdir(database, { recursive: true });
  const file = join(folder, "authorities.pem");
  await writeFile(file, `${extraCas.map((pem) => pem.trim()).join("\n")}\n`);
  try {
    const certutil = (words: readonly string[]): Promise<unknown> =>
      promisify(execFile)(programPath("certutil"), [...words, "-d", `sql:${database}`], { env: { HOME: folder }, timeout: limitMs });
    await certutil(["-N", "--empty-password"]);
    for (const [index, pem] of extraCas.entries()) {
      const one = join(folder, `${index}.pem`);
      await writeFile(one, pem);
      await certutil(["-A", "-n", `outpost-${index}`, "-t", "C,,", "-i", one]);
    }
    return { file, database };
  } catch {
    return { file, database: null };
  }
}
