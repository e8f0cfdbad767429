import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type FileTask, type FileVerdict } from "./file-task.ts";
import { scrubFileHere } from "./scrub-file-here.ts";
import { ScrubThread } from "./scrub-thread.ts";

/** One for the process; it starts with the first file that needs it. */
const thread = new ScrubThread();

/**
 * Scrubs a file of up to 150 MB on its way to another: texts get `********`, everything else keeps its length, gzip, zip and tar
 * are opened, and what cannot be opened is withheld. Short files are done here, long ones and archives in a thread.
 *
 * @throws the reason of `signal`, and nothing else: what goes wrong withholds the file
 */
export async function scrubFile({ signal, ...task }: FileTask, worker: Pick<ScrubThread, "scrub"> = thread): Promise<FileVerdict> {
  signal.throwIfAborted();
  const folder = join(dirname(task.to), `.scrub-${randomUUID()}`);
  let verdict: FileVerdict | undefined;
  try {
    await mkdir(folder, { mode: 0o700 });
    verdict = (await scrubFileHere({ ...task, folder }, signal, "short")) ?? (await worker.scrub({ ...task, folder }, signal));
    return verdict;
  } catch (error) {
    signal.throwIfAborted();
    verdict = { is: "withheld", reason: `it cannot be read or written (${codeOf(error)})` };
    return verdict;
  } finally {
    if (verdict === undefined || verdict.is === "withheld") await rm(task.to, { force: true });
    await rm(folder, { recursive: true, force: true });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "a bug";
}
