import { AppError } from "#domain/app-error.ts";
import type { AppendFile, OutboxFiles } from "./outbox-files.ts";
import { decodeLines, encodeLine, type OutboxEntry } from "./outbox-line.ts";

/** A write that takes longer counts as a broken disk: a network file system may hang for ever. */
const writeLimitMs = 5_000;

/**
 * Some entries of one kind, in order, in one append-only file, or in memory only while the disk is broken.
 *
 * - open: takes appends. Leaves to sealed.
 * - sealed: takes none; removed as a whole when its last entry is acknowledged or the outbox overflows.
 */
export class OutboxSegment {
  readonly kind: OutboxEntry["kind"];
  bytes = 0;
  newestSeq = 0;
  isSealed = false;
  #path: string | null;
  #file: AppendFile | null = null;
  /** Unacknowledged entries; null when they are on disk only. */
  #entries: Map<number, OutboxEntry> | null = new Map();
  readonly #acknowledged = new Set<number>();
  #left = 0;
  readonly #files: OutboxFiles;

  constructor(files: OutboxFiles, kind: OutboxEntry["kind"], path: string | null) {
    this.#files = files;
    this.kind = kind;
    this.#path = path;
  }

  get isInMemory(): boolean {
    return this.#path === null;
  }

  get isLoaded(): boolean {
    return this.#entries !== null;
  }

  /** Entries not yet acknowledged. */
  get left(): number {
    return this.#left;
  }

  /** When the oldest entry still waiting was put in; undefined when only the disk knows. */
  get oldestSeq(): number | undefined {
    return this.#entries?.keys().next().value;
  }

  /** Resolves when the entries are durable, or at once in memory. @throws the disk's error; nothing was added then */
  async append(entries: readonly OutboxEntry[]): Promise<void> {
    const bytes = Buffer.from(entries.map(encodeLine).join(""));
    if (this.#path !== null) await this.#write(this.#path, bytes);
    for (const entry of entries) this.#entries?.set(entry.seq, entry);
    this.#left += entries.length;
    this.newestSeq = entries.at(-1)?.seq ?? this.newestSeq;
    this.bytes += bytes.length;
  }

  async #write(path: string, bytes: Buffer): Promise<void> {
    await bounded("outbox write", async () => {
      this.#file ??= await this.#files.create(path);
      await this.#file.append(bytes);
    });
  }

  /** Entries to deliver, oldest first, read from disk where they were unloaded. */
  async entries(): Promise<Iterable<OutboxEntry>> {
    if (this.#entries === null) await this.load();
    return this.#entries?.values() ?? [];
  }

  /** Reads an existing file; what is no line of ours is returned. @throws the disk's error */
  async load(): Promise<readonly Buffer[]> {
    if (this.#path === null) return [];
    const bytes = await this.#files.read(this.#path);
    const { entries, bad } = decodeLines(bytes);
    this.#entries = new Map(entries.filter(({ seq }) => !this.#acknowledged.has(seq)).map((entry) => [entry.seq, entry]));
    this.#left = this.#entries.size;
    this.bytes = bytes.length;
    this.newestSeq = entries.at(-1)?.seq ?? 0;
    return bad;
  }

  /** Forgets the entries' text; it is read from disk when their turn comes. */
  unload(): void {
    if (this.isSealed && this.#path !== null) this.#entries = null;
  }

  acknowledge(seq: number): void {
    if (this.#acknowledged.has(seq) || (this.#entries !== null && !this.#entries.delete(seq))) return;
    this.#acknowledged.add(seq);
    this.#left -= 1;
  }

  /** Closes the file; after a failed write also cuts off what that may have left. Never throws. */
  async seal(): Promise<void> {
    this.isSealed = true;
    const file = this.#file;
    this.#file = null;
    if (file === null) return;
    const close = async (): Promise<void> => {
      await file.truncate(this.bytes).catch(() => undefined);
      await file.close();
    };
    await bounded("outbox close", close).catch(() => undefined);
  }

  /** Moves a segment in memory to disk. @throws the disk's error; it stays in memory then */
  async persist(path: string): Promise<void> {
    const entries = [...(this.#entries?.values() ?? [])];
    const bytes = Buffer.from(entries.map(encodeLine).join(""));
    await this.#write(path, bytes);
    this.#path = path;
    this.bytes = bytes.length;
    await this.seal();
  }

  /** Deletes the file. A file that cannot be deleted is sent again by the next process, which does no harm. */
  async remove(): Promise<void> {
    await this.seal();
    this.#entries = new Map();
    this.#left = 0;
    if (this.#path !== null) await this.#files.remove(this.#path).catch(() => undefined);
  }
}

/** Work on the disk with a limit, ms. Not `withDeadline`: a write has no signal to follow, and making one for each costs more than the write. */
export async function bounded(operation: string, work: () => Promise<void>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new AppError("deadline_exceeded", `${operation} took longer than ${writeLimitMs} ms`)),
    writeLimitMs,
  );
  try {
    await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The reason of a broken disk, in a word. */
export function diskFailure(error: unknown): string {
  if (error instanceof AppError) return error.message;
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
