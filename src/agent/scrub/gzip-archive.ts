import { type Content, NewFile, type OpenFile, through } from "./content.ts";
import { counted, holdsSecret, type Inspect, planned } from "./plan.ts";
import { type Level, type ScrubJob, Withheld } from "./scrub-job.ts";

/** A gzip file, of one member or several. Written anew it has one, without name and comment. */
export async function rewriteGzip(archive: OpenFile, to: string, level: Level, job: ScrubJob, inspect: Inspect): Promise<boolean> {
  const packed = archive.range("", 0, archive.size);
  const content: Content = counted(
    { name: "", chunks: () => through(packed.chunks(), "gunzip", job, (taken) => expectNothingAfter(archive, taken)) },
    job,
  );
  const plan = await inspect(content, level);
  if (plan.is === "clean" && !(await holdsSecret(packed, job))) return false;
  using file = new NewFile(to);
  for await (const chunk of through(planned(content, plan, job), "gzip", job)) file.write(chunk);
  return true;
}

/** Padding is of zeros. */
function expectNothingAfter(archive: OpenFile, taken: number): void {
  for (const chunk of archive.range("", taken, archive.size - taken).chunks() as Iterable<Buffer>) {
    if (chunk.some((byte) => byte !== 0)) throw new Withheld("it has bytes after its end");
  }
}
