import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { missingPrograms } from "../support/programs.ts";

/** Why what a process does to its disk cannot be recorded here, or null. */
export const noRecorder = missingPrograms("power cuts", "cc");

/** Environment of a process whose writes and syncs below `folder` are to stand in the file `record`. */
export function recorded(folder: string, record: string): Record<string, string> {
  const library = `${record}.so`;
  const source = fileURLToPath(new URL("disk-recorder.c", import.meta.url));
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"]);
  return { LD_PRELOAD: library, RECORDED_FOLDER: folder, RECORD: record };
}

export type DiskEvent =
  | { readonly kind: "write"; readonly name: string; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: "truncate" | "sync-begins" | "sync-ended" | "unlink"; readonly name: string; readonly at: number };

export function readRecord(record: string): readonly DiskEvent[] {
  const text = readFileSync(record);
  const events: DiskEvent[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const [kind = "", offset = "", count = "", ...name] = text.toString("utf8", at, end).split(" ");
    at = end + 1;
    const event = { name: name.join(" "), at: Number(offset) };
    if (kind === "write") {
      if (at + Number(count) > text.length) break; // the process was killed within this entry
      events.push({ kind, ...event, bytes: text.subarray(at, at + Number(count)) });
      at += Number(count);
    } else events.push({ kind: kind as "truncate", ...event });
  }
  return events;
}

type Change = { readonly at: number; readonly bytes: Buffer } | { readonly size: number };

interface RecordedFile {
  /** What a power cut leaves for certain. */
  readonly synced: Content;
  /** What it may leave, take, or tear, in any order. */
  changes: Change[];
  /** How many of the changes were there when a sync began, by its number. */
  readonly begun: Map<number, number>;
}

const emptyFile = (): RecordedFile => ({ synced: new Content(), changes: [], begun: new Map() });
const sectorBytes = 512;

/** The files of a folder by its record, up to a moment. */
export class RecordedDisk {
  readonly #files = new Map<string, RecordedFile>();

  apply(event: DiskEvent): void {
    const file = this.#files.get(event.name) ?? emptyFile();
    this.#files.set(event.name, file);
    if (event.kind === "write") file.changes.push(event);
    else if (event.kind === "truncate") file.changes.push({ size: event.at });
    else if (event.kind === "unlink") this.#files.delete(event.name);
    else if (event.kind === "sync-begins") file.begun.set(event.at, file.changes.length);
    else this.#ended(file, event.at);
  }

  #ended(file: RecordedFile, sync: number): void {
    const count = file.begun.get(sync) ?? 0;
    for (const change of file.changes.splice(0, count)) file.synced.apply(change);
    for (const [other, begun] of file.begun) file.begun.set(other, Math.max(0, begun - count));
    file.begun.delete(sync);
  }

  /** All that was written, synced or not: what other machines have seen of it. */
  seen(name: string): Buffer {
    const { synced = new Content(), changes = [] } = this.#files.get(name) ?? {};
    return synced.with(changes);
  }

  /** Writes the files into a folder as a cut at this moment may leave them. @param random from 0 to below 1 */
  cut(folder: string, random: () => number): void {
    mkdirSync(folder, { recursive: true });
    for (const [name, { synced, changes }] of this.#files) {
      writeFileSync(join(folder, name), synced.with(changes.flatMap((change) => leftOf(change, random))));
    }
  }
}

/** Nothing of a change, all of it, or each of its sectors or not. */
function leftOf(change: Change, random: () => number): readonly Change[] {
  const fate = random();
  if (fate < 0.4) return [];
  if (fate < 0.7 || "size" in change) return [change];
  const sectors = Array.from({ length: Math.ceil(change.bytes.length / sectorBytes) }, (_, index) => index * sectorBytes);
  return sectors
    .filter(() => random() < 0.5)
    .map((from) => ({ at: change.at + from, bytes: change.bytes.subarray(from, from + sectorBytes) }));
}

/** Bytes of a file. */
class Content {
  #room = Buffer.alloc(0);
  #size = 0;

  apply(change: Change): void {
    const size = "size" in change ? change.size : Math.max(this.#size, change.at + change.bytes.length);
    if (size > this.#room.length) this.#room = Buffer.concat([this.#room], 2 * size);
    if (size < this.#size) this.#room.fill(0, size, this.#size);
    this.#size = size;
    if ("bytes" in change) change.bytes.copy(this.#room, change.at);
  }

  with(changes: readonly Change[]): Buffer {
    const copy = new Content();
    copy.apply({ at: 0, bytes: this.#room.subarray(0, this.#size) });
    for (const change of changes) copy.apply(change);
    return copy.#room.subarray(0, copy.#size);
  }
}
