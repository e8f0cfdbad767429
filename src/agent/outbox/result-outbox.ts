import { join } from "node:path";
import type { AttemptReport } from "#contract/agent-protocol.ts";
import type { Logger } from "#daemon/logger.ts";
import type { AgentClock } from "../host/clock.ts";
import type { OutboxFiles } from "./outbox-files.ts";
import { type OutboxFolder, openOutboxFolder } from "./outbox-folder.ts";
import { OutboxLane } from "./outbox-lane.ts";
import type { OutboxEntry } from "./outbox-line.ts";
import { bounded, diskFailure, OutboxSegment } from "./outbox-segment.ts";

const largestSegmentBytes = 4 * 1024 * 1024;
/** Text of entries kept in memory although it is on disk too; older files are read again when their turn comes. */
const cacheLimitBytes = 16 * 1024 * 1024;
/** What a broken disk may make the outbox hold in memory. */
const memoryLimitBytes = 64 * 1024 * 1024;
const diskRestMs = 10_000;
const maintenanceMs = 5_000;
const setAsideLimitBytes = 16 * 1024 * 1024;

export interface OutboxDeps {
  readonly files: OutboxFiles;
  readonly clock: AgentClock;
  readonly log: Logger;
  readonly folder: string;
  readonly agentId: string;
  readonly limitBytes: number;
  readonly limitMs: number;
  /** Results are let go for this reason, for the first time in this process. */
  readonly onDrop: (reason: DropReason) => void;
}

/** `stopped`: at the end of the process the disk was broken and the control plane away. */
export type DropReason = "overflow" | "age" | "unreadable" | "stopped";

/** What was not delivered when the process ended. */
export interface Undelivered {
  /** Results that the next agent of the same folder delivers. */
  readonly onDisk: number;
  readonly lost: number;
  /** Of the results that are lost. */
  readonly lostJobs: readonly string[];
}

export interface OutboxState {
  readonly depth: number;
  readonly bytes: number;
  readonly oldestSeconds: number;
  /** `memory`: the disk is broken, and a crash now would lose what waits. */
  readonly mode: "disk" | "memory";
  /** Of `depth`: what no disk has. */
  readonly inMemory: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Lines found damaged and set aside. */
  readonly corrupt: number;
}

/**
 * Reports on their way to the control plane. Durable on disk before a job counts as done; bounded by size and age;
 * what a dead process of the same folder left is delivered by this one. A broken disk is answered with memory and a
 * warning and is tried again: it never stops checks.
 */
export class ResultOutbox {
  readonly #deps: OutboxDeps;
  readonly #lanes: Readonly<Record<OutboxEntry["kind"], OutboxLane>>;
  readonly #startWallMs: number;
  readonly #startMonotonicMs: number;
  #folder: OutboxFolder | null = null;
  #brokenUntilMs: number | null = null;
  #lastSeq = 0;
  #dropped: Record<DropReason, number> = { overflow: 0, age: 0, unreadable: 0, stopped: 0 };
  #corrupt = 0;
  #fileCount = 0;
  #timer: NodeJS.Timeout | undefined;
  #maintaining: Promise<void> | null = null;
  #arrived = Promise.withResolvers<void>();
  #lastUrgentSeq = Number.NEGATIVE_INFINITY;
  #tellArrival = (): void => undefined;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
    this.#startWallMs = deps.clock.wallMs();
    this.#startMonotonicMs = deps.clock.monotonicMs();
    const laneDeps = {
      files: deps.files,
      newPath: (kind: OutboxEntry["kind"], seq: number) => this.#newPath(kind, seq),
      onDiskFailure: (error: unknown) => this.#diskFailed(error),
      onEntries: () => this.#entriesArrived(),
      segmentBytes: Math.min(largestSegmentBytes, Math.max(16 * 1024, Math.floor(deps.limitBytes / 16))),
    };
    this.#lanes = { FINAL: new OutboxLane("FINAL", laneDeps), ATTEMPT: new OutboxLane("ATTEMPT", laneDeps) };
  }

  /** Opens the folder, or warns and goes on in memory. What older processes left is read in the background. */
  async start(): Promise<void> {
    await this.#openFolder();
    this.#timer = setInterval(() => void this.maintain(), maintenanceMs);
    this.#timer.unref();
    void this.maintain();
  }

  /**
   * Resolves when the report would survive the end of this process; while the disk is broken, at once.
   *
   * @param isUrgent it must not wait for others
   */
  async put(report: AttemptReport, isUrgent = false): Promise<void> {
    this.#lastSeq = Math.max(this.#lastSeq + 1, Math.floor(this.#nowMs() * 1000));
    if (isUrgent) this.#lastUrgentSeq = this.#lastSeq;
    await this.#lanes[report.resultType].put({ kind: report.resultType, seq: this.#lastSeq, json: JSON.stringify(report) });
  }

  /** The oldest entries that wait, up to `max` and about `maxBytes`, at least one if there is any. They stay until acknowledged. */
  async peek(max: number, maxBytes: number): Promise<OutboxEntry[]> {
    const onLost = (lane: OutboxLane) => async (segment: OutboxSegment) => {
      this.#count("unreadable", (await lane.dropOldest((one) => one === segment)) ?? 0);
    };
    const heads = await Promise.all(Object.values(this.#lanes).map((lane) => lane.head(max, onLost(lane))));
    const merged = heads.flat().toSorted((a, b) => a.seq - b.seq);
    let bytes = 0;
    const fitting = merged.filter(({ json }, index) => {
      bytes += json.length;
      return index === 0 || (index < max && bytes <= maxBytes);
    });
    return fitting;
  }

  /** Forgets entries that the control plane has answered. */
  async acknowledge(entries: readonly OutboxEntry[]): Promise<void> {
    for (const [kind, lane] of Object.entries(this.#lanes)) await lane.acknowledge(entries.filter((entry) => entry.kind === kind));
  }

  /** Resolves when there may be something to deliver. */
  arrival(): Promise<void> {
    return this.#segments().some(({ left }) => left > 0) ? Promise.resolve() : this.#arrived.promise;
  }

  /** An urgent report, or one before it, can be delivered. */
  get isUrgent(): boolean {
    return this.oldestSeq <= this.#lastUrgentSeq;
  }

  /** `listener` hears when some came. */
  onArrival(listener: () => void): void {
    this.#tellArrival = listener;
  }

  /** Reports not yet delivered, those on their way to the disk included. */
  get depth(): number {
    const written = this.#segments().reduce((sum, { left }) => sum + left, 0);
    return written + this.#lanes.FINAL.unwritten + this.#lanes.ATTEMPT.unwritten;
  }

  /** Number of the report that was put in last. Numbers grow, also from one process to the next. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Number of the oldest report that waits; all before it were delivered, or let go. Infinity when none waits. */
  get oldestSeq(): number {
    const waiting = this.#segments().filter(({ left }) => left > 0);
    return waiting.reduce((min, one) => Math.min(min, one.oldestSeq ?? one.newestSeq), Number.POSITIVE_INFINITY);
  }

  state(): OutboxState {
    const segments = this.#segments();
    const oldest = this.oldestSeq;
    return {
      depth: this.depth,
      bytes: segments.reduce((sum, { bytes }) => sum + bytes, 0),
      oldestSeconds: oldest === Number.POSITIVE_INFINITY ? 0 : Math.max(0, this.#nowMs() - oldest / 1000) / 1000,
      mode: this.#folder === null || this.#brokenUntilMs !== null || segments.some(({ isInMemory }) => isInMemory) ? "memory" : "disk",
      inMemory: segments.reduce((sum, { isInMemory, left }) => sum + (isInMemory ? left : 0), 0),
      dropped: { ...this.#dropped },
      corrupt: this.#corrupt,
    };
  }

  /** Everything that is due now and then: mark of life, orphans, bounds, a disk that works again. One at a time. */
  maintain(): Promise<void> {
    this.#maintaining ??= this.#maintainOnce().finally(() => {
      this.#maintaining = null;
    });
    return this.#maintaining;
  }

  async #maintainOnce(): Promise<void> {
    await this.#returnToDisk();
    await this.#keepBounds();
    const folder = this.#folder;
    if (folder === null || this.#brokenUntilMs !== null) return;
    try {
      await folder.mark();
      for (const path of await folder.adoptOrphans()) await this.#adopt(path);
    } catch (error) {
      this.#diskFailed(error);
    }
  }

  /** A broken disk gets a last chance. @returns what was not delivered */
  async close(): Promise<Undelivered> {
    clearInterval(this.#timer);
    await this.#maintaining;
    for (const lane of Object.values(this.#lanes)) await lane.close();
    await bounded("the last try of the outbox", () => this.#returnToDisk(true)).catch((error: unknown) => this.#diskFailed(error));
    const inMemory = this.#segments().filter(({ isInMemory }) => isInMemory);
    const lost = (await Promise.all(inMemory.map((segment) => segment.entries()))).flatMap((entries) => [...entries]);
    const undelivered = { onDisk: this.depth - lost.length, lost: lost.length, lostJobs: [...new Set(lost.map(jobOf))] };
    this.#count("stopped", undelivered.lost);
    await this.#folder?.leave().catch(() => undefined);
    return undelivered;
  }

  async #openFolder(): Promise<void> {
    try {
      this.#folder = await openOutboxFolder(this.#deps.files, this.#deps.folder, this.#deps.agentId);
    } catch (error) {
      this.#diskFailed(error);
    }
  }

  async #adopt(path: string): Promise<void> {
    const kind = path.includes("/final-") ? "FINAL" : "ATTEMPT";
    const segment = new OutboxSegment(this.#deps.files, kind, path);
    const bad = await segment.load().catch((error: unknown) => {
      this.#deps.log.warn({ file: path, reason: diskFailure(error) }, "outbox file of an earlier process cannot be read, left where it is");
      return null;
    });
    if (bad === null) return;
    if (bad.length > 0) await this.#setAside(path, bad);
    this.#lanes[kind].adopt(segment);
    this.#lastSeq = Math.max(this.#lastSeq, segment.newestSeq); // a clock that was set back must not put newer results before these
    if (segment.left === 0) await this.#lanes[kind].dropOldest((one) => one === segment);
    else this.#announce();
    this.#trimCache();
  }

  /** Damaged lines go to a file of their own, for whoever wants to look; they never stop the rest. */
  async #setAside(path: string, bad: readonly Buffer[]): Promise<void> {
    this.#corrupt += bad.length;
    this.#deps.log.warn({ file: path, lines: bad.length }, "outbox file has damaged lines, set aside");
    const bytes = Buffer.concat(bad.flatMap((line) => [line, Buffer.from("\n")])).subarray(0, setAsideLimitBytes);
    await this.#deps.files.write(path.replace(/\.seg$/, ".damaged"), bytes).catch(() => undefined);
  }

  async #keepBounds(): Promise<void> {
    const oldestSeq = (this.#nowMs() - this.#deps.limitMs) * 1000;
    const isOld = (segment: OutboxSegment): boolean => segment.left > 0 && segment.newestSeq < oldestSeq;
    while (this.#segments().some(isOld) && (await this.#dropOne("age", isOld)));
    while (this.#bytes() > this.#deps.limitBytes && (await this.#dropOne("overflow", () => true)));
    const inMemory = (segment: OutboxSegment): boolean => segment.isInMemory;
    while (this.#bytes(inMemory) > Math.min(memoryLimitBytes, this.#deps.limitBytes) && (await this.#dropOne("overflow", inMemory)));
    this.#trimCache();
  }

  /** ATTEMPTs go before FINALs. */
  async #dropOne(reason: DropReason, mayGo: (segment: OutboxSegment) => boolean): Promise<boolean> {
    const lost = (await this.#lanes.ATTEMPT.dropOldest(mayGo)) ?? (await this.#lanes.FINAL.dropOldest(mayGo));
    this.#count(reason, lost ?? 0);
    return lost !== null;
  }

  #count(reason: DropReason, lost: number): void {
    if (lost === 0) return;
    const isFirst = this.#dropped[reason] === 0;
    this.#dropped[reason] += lost;
    if (!isFirst) return;
    this.#deps.log.error({ reason, lost }, "dropping results from the outbox; outpost_agent_outbox_dropped_total counts them");
    this.#deps.onDrop(reason);
  }

  #trimCache(): void {
    const loaded = this.#segments().filter(({ isLoaded, isInMemory, isSealed }) => isLoaded && isSealed && !isInMemory);
    let bytes = loaded.reduce((sum, segment) => sum + segment.bytes, 0);
    for (const segment of loaded.toReversed()) {
      if (bytes <= cacheLimitBytes) return;
      segment.unload();
      bytes -= segment.bytes;
    }
  }

  #newPath(kind: OutboxEntry["kind"], seq: number): string | null {
    if (this.#folder === null || this.#brokenUntilMs !== null) return null;
    this.#fileCount += 1;
    return join(this.#folder.path, `${kind.toLowerCase()}-${seq}-${this.#deps.agentId.slice(0, 8)}-${this.#fileCount}.seg`);
  }

  #diskFailed(error: unknown): void {
    if (this.#brokenUntilMs === null) {
      this.#deps.log.warn(
        { folder: this.#deps.folder, reason: diskFailure(error) },
        "outbox cannot write to its folder, results wait in memory",
      );
    }
    this.#brokenUntilMs = this.#deps.clock.monotonicMs() + diskRestMs;
  }

  async #returnToDisk(isLastChance = false): Promise<void> {
    if (this.#brokenUntilMs === null || (!isLastChance && this.#deps.clock.monotonicMs() < this.#brokenUntilMs)) return;
    this.#brokenUntilMs = null;
    if (this.#folder === null) await this.#openFolder();
    try {
      await this.#folder?.ensure();
      for (const lane of Object.values(this.#lanes)) {
        for (const segment of await lane.leaveMemory()) await this.#persist(segment);
      }
    } catch (error) {
      this.#brokenUntilMs = this.#deps.clock.monotonicMs() + diskRestMs;
      return this.#deps.log.debug({ reason: diskFailure(error) }, "outbox folder still cannot be written");
    }
    if (this.#brokenUntilMs === null) this.#deps.log.info({ folder: this.#deps.folder }, "outbox is on disk again");
  }

  async #persist(segment: OutboxSegment): Promise<void> {
    const path = this.#newPath(segment.kind, segment.oldestSeq ?? segment.newestSeq);
    if (path === null) throw new Error("no folder");
    await segment.persist(path);
  }

  async #entriesArrived(): Promise<void> {
    this.#announce();
    await this.#keepBounds();
  }

  #announce(): void {
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers<void>();
    this.#tellArrival();
  }

  #segments(): readonly OutboxSegment[] {
    return [...this.#lanes.ATTEMPT.segments, ...this.#lanes.FINAL.segments];
  }

  #bytes(of: (segment: OutboxSegment) => boolean = () => true): number {
    return this.#segments().reduce((sum, segment) => (of(segment) ? sum + segment.bytes : sum), 0);
  }

  /** The wall clock at start, continued with the monotonic one: a clock that jumps must not age the outbox. */
  #nowMs(): number {
    return this.#startWallMs + this.#deps.clock.monotonicMs() - this.#startMonotonicMs;
  }
}

function jobOf({ json }: OutboxEntry): string {
  return (JSON.parse(json) as Pick<AttemptReport, "jobId">).jobId; // our own line
}
