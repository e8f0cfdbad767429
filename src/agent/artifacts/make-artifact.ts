import { createHash } from "node:crypto";
import { open, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { artifactLimitBytes } from "#contract/agent-artifacts.ts";
import { AppError } from "#domain/app-error.ts";
import type { FoundFile } from "../runners/check-runner.ts";
import type { scrubFile } from "../scrub/scrub-file.ts";
import { fileBytes } from "./file-bytes.ts";
import type { AttemptRef } from "./found-file.ts";
import { packFolder } from "./pack-folder.ts";
import { openRawFile } from "./raw-file.ts";
import { type About, aboutName, dataName } from "./spooled-artifact.ts";

export interface RawArtifact {
  readonly attempt: AttemptRef;
  readonly found: Omit<FoundFile, "content">;
  /** Where its bytes are, secrets and all. */
  readonly source: { readonly file: string } | { readonly folder: string };
  readonly secrets: readonly string[];
  readonly reportSeq: number;
  readonly madeAtMs: number;
}

const packBounds = { bytes: 4 * artifactLimitBytes, files: 20_000 };

/**
 * Makes what may leave of a file, in a folder that exists: packed, scrubbed, with its digest and durable. What must not leave is replaced by
 * a text with the reason.
 *
 * @throws {AppError} too_large; whatever the disk or the scrubbing throws
 */
export async function makeArtifact(raw: RawArtifact, folder: string, scrub: typeof scrubFile, signal: AbortSignal): Promise<About> {
  const data = join(folder, dataName);
  const verdict = await scrubbed(raw, folder, data, scrub, signal);
  if (verdict.is === "withheld") await writeFile(data, `This file was withheld: ${verdict.reason}\n`, { mode: 0o600 });
  const { size, sha256 } = await digestOf(data, signal);
  if (size > artifactLimitBytes) throw new AppError("too_large", `it has ${size} bytes; an artifact has at most ${artifactLimitBytes}`);
  const contentType = verdict.is === "withheld" ? "text/plain; charset=utf-8" : raw.found.contentType;
  const about: About = {
    declaration: { ...raw.attempt, ...raw.found, contentType, size, sha256 },
    reportSeq: raw.reportSeq,
    madeAtMs: raw.madeAtMs,
  };
  await writeFile(join(folder, aboutName), JSON.stringify(about), { mode: 0o600, flush: true });
  return about;
}

async function scrubbed(
  { source, secrets }: RawArtifact,
  folder: string,
  to: string,
  scrub: typeof scrubFile,
  signal: AbortSignal,
): ReturnType<typeof scrubFile> {
  if ("file" in source) {
    const { size } = await stat(source.file);
    // Scrubbing makes little larger: what is far above the limit need not be looked at.
    if (size > 2 * artifactLimitBytes)
      throw new AppError("too_large", `it has ${size} bytes; an artifact has at most ${artifactLimitBytes}`);
    return scrub({ from: source.file, to, secrets, signal });
  }
  const packed = await openRawFile(folder, "packed");
  try {
    await packFolder({ folder: source.folder, to: packed.path, bounds: packBounds, signal });
    return await scrub({ from: packed.path, to, secrets, signal });
  } finally {
    await packed.close();
    await rm(source.folder, { recursive: true, force: true });
  }
}

/** Reads the whole file once, and makes it durable. */
async function digestOf(path: string, signal: AbortSignal): Promise<{ size: number; sha256: string }> {
  const hash = createHash("sha256");
  const { size } = await stat(path);
  for await (const chunk of fileBytes(path, 0, size)) {
    signal.throwIfAborted();
    hash.update(chunk);
  }
  const file = await open(path, "r+");
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
  return { size, sha256: hash.digest("hex") };
}
