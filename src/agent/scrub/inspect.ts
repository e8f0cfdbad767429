import { rmSync } from "node:fs";
import type { MaskStyle } from "#domain/scrub/scrub-stream.ts";
import { type Content, NewFile, OpenFile } from "./content.ts";
import { type ArchiveKind, contentKind, headBytes } from "./content-kind.ts";
import { rewriteGzip } from "./gzip-archive.ts";
import { rewritePage } from "./page-archive.ts";
import { type Plan, type Rewrite, searched } from "./plan.ts";
import { type Level, type ScrubJob, unpackLimits, Withheld } from "./scrub-job.ts";
import { rewriteTar } from "./tar-archive.ts";
import { rewriteZip } from "./zip-archive.ts";
import { endRecordIn, zipTailBytes } from "./zip-directory.ts";

const rewriters: Readonly<Record<ArchiveKind, Rewrite>> = { gzip: rewriteGzip, zip: rewriteZip, tar: rewriteTar, page: rewritePage };

/** Looks for secrets in a content and in the archives in it. @throws {Withheld} where it cannot be opened, or is too deep or too large */
export async function inspect(content: Content, level: Level, job: ScrubJob): Promise<Plan> {
  const whole = content.whole?.();
  const kind = contentKind(whole?.subarray(0, headBytes) ?? (await headOf(content)), content.name);
  if (kind.is === "closed") throw new Withheld(`${kind.what} is not opened`);
  if (kind.is !== "archive") {
    const seen = whole === undefined ? await searched(content, zipTailBytes, job) : { found: job.scrubber.finds(whole), tail: whole };
    return plainPlan(seen, kind.is);
  }
  const spool = job.temporaryPath();
  try {
    using file = new NewFile(spool);
    for await (const chunk of content.chunks()) file.write(chunk);
    return await inspectArchive(spool, kind.kind, level, job);
  } finally {
    rmSync(spool, { force: true });
  }
}

function plainPlan({ found, tail }: { readonly found: boolean; readonly tail: Buffer }, style: MaskStyle): Plan {
  if (endRecordIn(tail) !== null) throw new Withheld("it is a zip file with something before it"); // some unpack themselves
  return found ? { is: "masked", style } : { is: "clean" };
}

/** As `inspect`, of an archive that is a file of our own. */
export async function inspectArchive(path: string, kind: ArchiveKind, level: Level, job: ScrubJob): Promise<Plan> {
  const inner = { compressions: level.compressions + Number(kind === "gzip" || kind === "zip"), levels: level.levels + 1 };
  if (inner.compressions > unpackLimits.compressions || inner.levels > unpackLimits.levels)
    throw new Withheld("archives are nested too deep");
  const to = job.temporaryPath();
  using archive = new OpenFile(path);
  const wasHit = await rewriters[kind](archive, to, inner, job, (content, at) => inspect(content, at, job));
  if (!wasHit) return { is: "clean" };
  using written = new OpenFile(to);
  return { is: "replaced", path: to, size: written.size };
}

async function headOf(content: Content): Promise<Buffer> {
  let head = Buffer.alloc(0);
  for await (const chunk of content.chunks()) {
    head = Buffer.concat([head, chunk.subarray(0, headBytes - head.length)]);
    if (head.length >= headBytes) break;
  }
  return head;
}
