import { rmSync } from "node:fs";
import type { MaskStyle } from "#domain/scrub/scrub-stream.ts";
import { type Content, inMemory, OpenFile } from "./content.ts";
import type { Level, ScrubJob } from "./scrub-job.ts";

/** What is to be done with a content. `replaced`: by a file of our own, which was scrubbed. */
export type Plan =
  | { readonly is: "clean" }
  | { readonly is: "masked"; readonly style: MaskStyle }
  | { readonly is: "replaced"; readonly path: string; readonly size: number };

/** What an archive needs to look into its entries. */
export type Inspect = (content: Content, level: Level) => Promise<Plan>;

/** Writes the archive anew where something in it was hit. @returns false where it is clean, and nothing is written then */
export type Rewrite = (archive: OpenFile, to: string, level: Level, job: ScrubJob, inspect: Inspect) => Promise<boolean>;

/** The content as it may leave, in chunks that are valid until the next one. The file of `replaced` goes with its last. */
export async function* planned(content: Content, plan: Plan, job: ScrubJob): AsyncGenerator<Buffer> {
  if (plan.is === "clean") return yield* content.chunks();
  if (plan.is === "replaced") {
    using file = new OpenFile(plan.path);
    rmSync(plan.path);
    return yield* file.range(content.name, 0, file.size).chunks();
  }
  const parts: Buffer[] = [];
  const window = job.scrubber.window(plan.style, (bytes) => parts.push(Buffer.from(bytes)));
  for await (const chunk of content.chunks()) {
    job.goOn();
    window.push(chunk);
    yield* parts.splice(0);
  }
  window.end();
  yield* parts;
}

/** Whether the raw bytes of a content have a hit. */
export async function holdsSecret(content: Content, job: ScrubJob): Promise<boolean> {
  const window = job.scrubber.window("binary", () => undefined);
  for await (const chunk of content.chunks()) {
    job.goOn();
    window.push(chunk);
    if (window.found) return true;
  }
  window.end();
  return window.found;
}

/** The same of all of it, and its last bytes. */
export async function searched(
  content: Content,
  tailBytes: number,
  job: ScrubJob,
): Promise<{ readonly found: boolean; readonly tail: Buffer }> {
  const window = job.scrubber.window("binary", () => undefined);
  let tail = Buffer.alloc(0);
  for await (const chunk of content.chunks()) {
    job.goOn();
    if (!window.found) window.push(chunk);
    const kept = Math.min(tail.length, Math.max(0, tailBytes - chunk.length));
    tail = Buffer.concat([tail.subarray(tail.length - kept), chunk.subarray(-tailBytes)]);
  }
  if (!window.found) window.end();
  return { found: window.found, tail };
}

/** The content, counting what is unpacked of it once, however often it is read. */
export function counted(content: Content, job: ScrubJob): Content {
  let most = 0;
  const count = (position: number): void => {
    job.unpacked(Math.max(0, position - most));
    most = Math.max(most, position);
  };
  const { name, whole } = content;
  if (whole !== undefined)
    return inMemory(name, () => {
      const bytes = whole();
      count(bytes.length);
      return bytes;
    });
  async function* chunks(): AsyncGenerator<Buffer> {
    let position = 0;
    for await (const chunk of content.chunks()) {
      position += chunk.length;
      count(position);
      yield chunk;
    }
  }
  return { name, chunks };
}
