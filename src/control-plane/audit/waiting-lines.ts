import type { NotedEntry } from "../storage/audit-store.ts";

/** Entries that went lost, since the first of them. */
export interface LostEntries {
  readonly count: number;
  readonly sinceMs: number;
}

export interface TakenEntries {
  readonly entries: readonly NotedEntry[];
  /** What went lost before them; null: nothing. */
  readonly lost: LostEntries | null;
}

/** About ten megabytes. */
const most = 10_000;

/** Entries on their way out. Past `most` the oldest go, and are counted. */
export class WaitingLines {
  readonly #countLost: (entries: number) => void;
  #entries: NotedEntry[] = [];
  #lost: LostEntries | null = null;

  constructor(countLost: (entries: number) => void) {
    this.#countLost = countLost;
  }

  get count(): number {
    return this.#entries.length;
  }

  add(entry: NotedEntry): void {
    this.#entries.push(entry);
    this.#bound();
  }

  /** The oldest. */
  take(count: number): TakenEntries {
    const taken = { entries: this.#entries.splice(0, count), lost: this.#lost };
    this.#lost = null;
    return taken;
  }

  /** They did not go out. */
  putBack({ entries, lost }: TakenEntries): void {
    this.#entries = [...entries, ...this.#entries];
    this.#lost = together(lost, this.#lost);
    this.#bound();
  }

  #bound(): void {
    const over = this.#entries.splice(0, Math.max(0, this.#entries.length - most));
    const [first] = over;
    if (first === undefined) return;
    this.#lost = together(this.#lost, { count: over.length, sinceMs: first.atMs });
    this.#countLost(over.length);
  }
}

function together(one: LostEntries | null, other: LostEntries | null): LostEntries | null {
  if (one === null || other === null) return one ?? other;
  return { count: one.count + other.count, sinceMs: Math.min(one.sinceMs, other.sinceMs) };
}
