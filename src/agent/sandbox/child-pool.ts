import { AppError } from "#domain/app-error.ts";
import type { AgentClock } from "../host/clock.ts";

/** A process that is started before it is needed, for one use. */
export interface WaitingChild {
  /** Null once it waits; else why it does not. */
  ready(): Promise<string | null>;
  /** Whether it is of no use any more. */
  readonly hasExited: boolean;
  /** It does not keep this process alive while it waits. */
  unref(): void;
  kill(): void;
  /** Ends it, and waits until nothing of it is left. */
  close(): Promise<unknown>;
}

export interface PoolDeps<C extends WaitingChild> {
  /** At most so many wait, of all runtimes together. */
  readonly most: number;
  readonly clock: AgentClock;
  /** A child has a way into the network of its own, which has to be opened first. */
  readonly start: (runtimeId: string) => Promise<C>;
}

/** A runtime without scripts for this long keeps no children, ms. */
const lateMs = 5 * 60_000;

interface Warm<C> {
  readonly child: Promise<C>;
  /** Null, or why it does not wait for scripts. */
  readonly ready: Promise<string | null>;
}

/**
 * Children that wait for scripts, for each runtime as many as it lately needed at the same time: for scripts each of them holds some 45 MB. A new one
 * is started when a phase has ended, so that it takes no time from one that runs.
 */
export class ChildPool<C extends WaitingChild> {
  readonly #deps: PoolDeps<C>;
  readonly #warm = new Map<string, Warm<C>[]>();
  readonly #used = new Map<string, { running: number; peak: number; lastMs: number }>();
  /** Not ready yet, and waited for. */
  readonly #starting = new Set<Promise<C>>();
  readonly #closing = new Set<Promise<unknown>>();
  #isClosed = false;
  #tidy: NodeJS.Timeout | undefined;

  constructor(deps: PoolDeps<C>) {
    this.#deps = deps;
  }

  /** Children that wait. */
  get warm(): number {
    return [...this.#warm.values()].reduce((count, list) => count + list.length, 0);
  }

  /** A ready child. @throws {AppError} unavailable when none starts */
  async take(runtimeId: string): Promise<C> {
    const use = this.#used.get(runtimeId) ?? { running: 0, peak: 0, lastMs: 0 };
    this.#used.set(runtimeId, use);
    use.running += 1;
    use.peak = Math.max(use.peak, use.running);
    use.lastMs = this.#deps.clock.monotonicMs();
    for (let warm = this.#next(runtimeId); warm !== undefined; warm = this.#next(runtimeId)) {
      if ((await warm.ready) === null && !(await warm.child).hasExited) return warm.child;
      this.#discard(warm.child);
    }
    const { child, ready } = this.#started(runtimeId);
    this.#starting.add(child);
    const problem = await ready;
    this.#starting.delete(child);
    if (problem === null) return child;
    this.#discard(child);
    this.#release(use);
    throw new AppError("unavailable", `no process starts on runtime ${runtimeId}: ${problem}`);
  }

  /** Ends a child that `take` gave, and starts what is missing. */
  give(runtimeId: string, child: C): void {
    this.#discard(Promise.resolve(child));
    const use = this.#used.get(runtimeId);
    if (use !== undefined) this.#release(use);
    setImmediate(() => this.#fill(runtimeId)); // a start takes milliseconds, and the run that ended here goes on first
  }

  /** Ends those that wait or start, and waits until all that were given back are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#tidy);
    for (const { child } of [...this.#warm.values()].flat()) this.#discard(child);
    for (const child of this.#starting)
      child.then(
        (one) => one.kill(),
        () => {},
      );
    this.#warm.clear();
    while (this.#closing.size > 0) await Promise.all(this.#closing);
  }

  #next(runtimeId: string): Warm<C> | undefined {
    return this.#warm.get(runtimeId)?.shift();
  }

  #release(use: { running: number }): void {
    use.running -= 1;
  }

  #started(runtimeId: string): Warm<C> {
    const child = this.#deps.start(runtimeId);
    const ready = child.then(
      (one) => one.ready(),
      (error: unknown) => (error instanceof Error ? error.message : "it does not start"),
    );
    return { child, ready };
  }

  #fill(runtimeId: string): void {
    const use = this.#used.get(runtimeId);
    if (this.#isClosed || use === undefined) return;
    const list = this.#warm.get(runtimeId) ?? [];
    this.#warm.set(runtimeId, list);
    while (list.length < use.peak - use.running && this.#room(runtimeId)) {
      const warm = this.#started(runtimeId);
      warm.child.then(
        (child) => child.unref(),
        () => {},
      ); // its failure is told by `ready`
      list.push(warm);
    }
    clearTimeout(this.#tidy);
    this.#tidy = setTimeout(() => this.#endUnused(), lateMs).unref();
  }

  /** The runtime that was used longest ago makes room. */
  #room(runtimeId: string): boolean {
    if (this.warm < this.#deps.most) return true;
    const others = [...this.#used].filter(([id]) => id !== runtimeId && (this.#warm.get(id)?.length ?? 0) > 0);
    const [oldest] = others.toSorted(([, a], [, b]) => a.lastMs - b.lastMs)[0] ?? [];
    const warm = oldest === undefined ? undefined : this.#next(oldest);
    if (warm === undefined) return false;
    this.#discard(warm.child);
    return true;
  }

  /** Most children are needed for a rush only: what was needed lately counts anew from here. */
  #endUnused(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const [runtimeId, use] of this.#used) {
      use.peak = nowMs - use.lastMs < lateMs ? Math.max(1, use.running) : use.running;
      const list = this.#warm.get(runtimeId) ?? [];
      for (const { child } of list.splice(use.peak)) this.#discard(child);
    }
    if (this.warm > 0) this.#tidy = setTimeout(() => this.#endUnused(), lateMs).unref();
  }

  #discard(child: Promise<C>): void {
    const closing = child
      .then(
        (one) => one.close(),
        () => {},
      )
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
