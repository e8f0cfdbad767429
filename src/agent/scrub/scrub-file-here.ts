import { renameSync } from "node:fs";
import { basename } from "node:path";
import { hasCode } from "#domain/app-error.ts";
import type { MaskStyle } from "#domain/scrub/scrub-stream.ts";
import { createScrubber } from "#domain/scrub/scrubber.ts";
import { NewFile, OpenFile } from "./content.ts";
import { type ArchiveKind, type ContentKind, contentKind, headBytes } from "./content-kind.ts";
import type { FileVerdict, ThreadTask } from "./file-task.ts";
import { inspectArchive } from "./inspect.ts";
import { ScrubJob, Withheld } from "./scrub-job.ts";
import { endsAsZip } from "./zip-directory.ts";

/** The largest artifact (spec 2.15): exactly 150 MB pass. */
export const fileLimitBytes = 157_286_400;
/** Less than 1 ms of the main thread; 15 ms where it is made to be slow. */
const shortBytes = 131_072;

/**
 * Scrubs a file in this thread. Reading and writing are synchronous: there is nothing to wait for but the disk's cache.
 *
 * @param which `short`: null, and nothing done, for a file that belongs into a thread of its own
 * @throws what is no verdict: errors of the file system, the signal's reason
 */
export async function scrubFileHere(task: ThreadTask, signal: AbortSignal, which: "short" | "any" = "any"): Promise<FileVerdict | null> {
  try {
    using file = new OpenFile(task.from);
    if (file.size > fileLimitBytes) throw new Withheld(`it is larger than ${fileLimitBytes} bytes`);
    const kind = kindOf(file, basename(task.from));
    if (kind.is === "closed") throw new Withheld(`${kind.what} is not opened`);
    if (which === "short" && (kind.is === "archive" || file.size > shortBytes)) return null;
    const job = new ScrubJob(createScrubber(task.secrets), task.folder, file.size, signal);
    return kind.is === "archive" ? await scrubArchive(file, kind.kind, task.to, job) : scrubPlain(file, kind.is, task.to, job);
  } catch (error) {
    if (error instanceof Withheld || hasCode(error, "too_large")) return { is: "withheld", reason: error.message };
    throw error;
  }
}

function kindOf(file: OpenFile, name: string): ContentKind {
  const kind = contentKind(file.bytes(0, Math.min(headBytes, file.size)), name);
  return kind.is !== "archive" && endsAsZip(file) ? { is: "archive", kind: "zip" } : kind;
}

function scrubPlain(file: OpenFile, style: MaskStyle, to: string, job: ScrubJob): FileVerdict {
  using out = new NewFile(to);
  const window = job.scrubber.window(style, out.write);
  for (const chunk of file.range("", 0, file.size).chunks() as Iterable<Buffer>) {
    job.goOn();
    window.push(chunk);
  }
  window.end();
  return { is: window.found ? "scrubbed" : "clean" };
}

/** Of a copy: it is read more than once, and whoever still writes into the file must not get something past us. */
async function scrubArchive(file: OpenFile, kind: ArchiveKind, to: string, job: ScrubJob): Promise<FileVerdict> {
  const copy = job.temporaryPath();
  {
    using out = new NewFile(copy);
    for (const chunk of file.range("", 0, file.size).chunks() as Iterable<Buffer>) out.write(chunk);
  }
  const plan = await inspectArchive(copy, kind, { compressions: 0, levels: 0 }, job);
  renameSync(plan.is === "replaced" ? plan.path : copy, to);
  return { is: plan.is === "replaced" ? "scrubbed" : "clean" };
}
