import type { OutboxFiles } from "./outbox-files.ts";
import type { OutboxEntry } from "./outbox-line.ts";
import { OutboxSegment } from "./outbox-segment.ts";

/** An open segment whose entries are all delivered is only worth replacing when it has grown to this. */
const worthReplacingBytes = 64 * 1024;
/** How long the first entry waits for others: a write and its sync cost as much CPU as a light check. */
const gatherMs = 5;
/** From the beginning of one write of FINALs to that of the next, where they keep coming. */
const sliceMs = 25;

export interface LaneDeps {
  readonly files: OutboxFiles;
  /** Where a new segment's file belongs, or null while the disk is broken. */
  readonly newPath: (kind: OutboxEntry["kind"], firstSeq: number) => string | null;
  readonly onDiskFailure: (error: unknown) => void;
  /** Entries were put in and are durable, or as durable as they can be; their jobs go on when this has resolved. */
  readonly onEntries: () => Promise<void>;
  readonly segmentBytes: number;
}

interface Waiting {
  readonly entry: OutboxEntry;
  readonly done: () => void;
}

/**
 * The entries of one kind, in order, as a row of segments of which only the last is open. FINALs and ATTEMPTs have a
 * lane each, so that an overflow can let whole files of ATTEMPTs go first.
 */
export class OutboxLane {
  readonly kind: OutboxEntry["kind"];
  readonly #deps: LaneDeps;
  #segments: OutboxSegment[] = [];
  #open: OutboxSegment | null = null;
  #waiting: Waiting[] = [];
  #unwritten = 0;
  #writing: Promise<void> | null = null;
  #beganMs = Number.NEGATIVE_INFINITY;
  readonly #origins = new WeakMap<OutboxEntry, OutboxSegment>();

  constructor(kind: OutboxEntry["kind"], deps: LaneDeps) {
    this.kind = kind;
    this.#deps = deps;
  }

  get segments(): readonly OutboxSegment[] {
    return this.#segments;
  }

  /** Entries put in whose write is not done. */
  get unwritten(): number {
    return this.#unwritten;
  }

  /** Group commit: what arrives within a moment, or while one write is on its way, shares the next. */
  put(entry: OutboxEntry): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ entry, done: resolve });
    this.#unwritten += 1;
    this.#writing ??= this.#writeWaiting();
    return promise;
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const restMs = this.kind === "FINAL" ? this.#beganMs + sliceMs - performance.now() : 0;
      await new Promise((resolve) => setTimeout(resolve, Math.max(gatherMs, restMs)));
      this.#beganMs = performance.now();
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#store(batch.map(({ entry }) => entry));
      this.#unwritten -= batch.length;
      await this.#deps.onEntries();
      for (const { done } of batch) done();
    }
    this.#writing = null;
  }

  async #store(entries: readonly OutboxEntry[]): Promise<void> {
    const segment = this.#openSegment(entries);
    try {
      await segment.append(entries);
    } catch (error) {
      this.#deps.onDiskFailure(error);
      await this.#closeOpen();
      await this.#openSegment(entries).append(entries); // in memory now: the failure above made newPath answer null
    }
    if ((this.#open?.bytes ?? 0) >= this.#deps.segmentBytes) await this.#closeOpen();
  }

  #openSegment(entries: readonly OutboxEntry[]): OutboxSegment {
    if (this.#open !== null) return this.#open;
    const segment = new OutboxSegment(this.#deps.files, this.kind, this.#deps.newPath(this.kind, entries[0]?.seq ?? 0));
    this.#segments.push(segment);
    this.#open = segment;
    return segment;
  }

  async #closeOpen(): Promise<void> {
    const segment = this.#open;
    this.#open = null;
    if (segment === null) return;
    await segment.seal();
    if (segment.left === 0) await this.#drop(segment);
  }

  /** Adds what a dead process left, before everything of this one. */
  adopt(segment: OutboxSegment): void {
    segment.isSealed = true;
    const at = this.#segments.findIndex((other) => other.newestSeq > segment.newestSeq);
    this.#segments.splice(at === -1 ? this.#segments.length : at, 0, segment);
  }

  /** Up to `max` entries, oldest first. A file that cannot be read any more is given up to `onLost`. */
  async head(max: number, onLost: (segment: OutboxSegment) => Promise<void>): Promise<OutboxEntry[]> {
    const found: OutboxEntry[] = [];
    for (const segment of this.#segments.slice()) {
      const entries = await segment.entries().catch(() => null);
      if (entries === null) await onLost(segment);
      for (const entry of entries ?? []) {
        this.#origins.set(entry, segment);
        if (found.push(entry) >= max) return found;
      }
    }
    return found;
  }

  /** @param entries as `head` gave them out */
  async acknowledge(entries: readonly OutboxEntry[]): Promise<void> {
    for (const entry of entries) this.#origins.get(entry)?.acknowledge(entry.seq);
    for (const segment of this.#segments.filter(({ left }) => left === 0)) {
      if (segment.isSealed) await this.#drop(segment);
      else if (segment === this.#open && this.#writing === null && segment.bytes >= worthReplacingBytes) await this.#closeOpen();
    }
  }

  /** Lets the oldest segment of those that `mayGo` go. @returns how many entries were lost, or null when there was none */
  async dropOldest(mayGo: (segment: OutboxSegment) => boolean): Promise<number | null> {
    const segment = this.#segments.find((one) => mayGo(one) && (one !== this.#open || this.#writing === null));
    if (segment === undefined) return null;
    const lost = segment.left;
    if (segment === this.#open) this.#open = null;
    await this.#drop(segment);
    return lost;
  }

  async #drop(segment: OutboxSegment): Promise<void> {
    this.#segments = this.#segments.filter((one) => one !== segment);
    await segment.remove();
  }

  /** Ends the memory segment that is open, so that it can be moved to disk and the next one starts there. */
  async leaveMemory(): Promise<readonly OutboxSegment[]> {
    await this.#writing;
    if (this.#open?.isInMemory === true) await this.#closeOpen();
    return this.#segments.filter((segment) => segment.isInMemory);
  }

  /** Waits for writes on their way and closes the open file; one with nothing left to deliver is deleted. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#closeOpen();
  }
}
