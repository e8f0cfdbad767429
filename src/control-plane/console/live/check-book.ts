import type { CheckIndexStore, CheckStandingStore, IndexedCheck } from "../../storage/storage.ts";
import { stateInList } from "../overview/filter.ts";
import { inListOrder } from "../overview/listing.ts";
import type { AccountReading } from "./live-view.ts";

export interface CheckBookDeps {
  readonly checkIndex: Pick<CheckIndexStore, "ofAccount">;
  readonly checkStandings: CheckStandingStore;
  readonly nowMs: () => number;
}

/** How often names, tags and what came late are read, which no newest result tells. */
const wholeMs = 10_000;
/** How far behind the last question the next one begins: processes' clocks differ, and what is being written is seen late. */
const overlapMs = 15_000;

/** An account's checks, kept up to date by asking only what changed. */
export class CheckBook {
  readonly #deps: CheckBookDeps;
  readonly #accountId: number;
  readonly #byId = new Map<number, IndexedCheck>();
  readonly #texts = new Map<number, string>();
  readonly #states = new Map<number, string>();
  #ordered: readonly number[] = [];
  #definitions = 0;
  #stateChanges = 0;
  #wholeAtMs = Number.NEGATIVE_INFINITY;
  #changed = new Set<number>();

  constructor(deps: CheckBookDeps, accountId: number) {
    this.#deps = deps;
    this.#accountId = accountId;
  }

  async read(): Promise<AccountReading> {
    const nowMs = this.#deps.nowMs();
    if (nowMs - this.#wholeAtMs >= wholeMs || nowMs < this.#wholeAtMs) await this.#readAll(nowMs);
    else await this.#readChanges(nowMs);
    return {
      nowMs,
      ordered: this.#ordered,
      byId: this.#byId,
      definitions: this.#definitions,
      states: this.#stateChanges,
      changed: this.#changed,
    };
  }

  /** What changed so far is known to all who look. Until then it is told again, as what it was told for may have failed. */
  forgetChanges(): void {
    this.#changed = new Set();
  }

  /** Names, tags and what else people change, too. */
  readWholeNext(): void {
    this.#wholeAtMs = Number.NEGATIVE_INFINITY;
  }

  async #readAll(nowMs: number): Promise<void> {
    const all = await this.#deps.checkIndex.ofAccount(this.#accountId);
    this.#wholeAtMs = nowMs;
    const known = new Set(all.map(({ id }) => id));
    const gone = [...this.#byId.keys()].filter((id) => !known.has(id));
    for (const book of [this.#byId, this.#texts, this.#states]) for (const id of gone) book.delete(id);
    const isOther = all.map((check) => this.#take(check, nowMs)).includes(true);
    if (!isOther && gone.length === 0) return;
    this.#ordered = inListOrder([...this.#byId.values()]).map(({ id }) => id);
    this.#definitions += 1;
  }

  async #readChanges(nowMs: number): Promise<void> {
    for (const { id, latest, totals } of await this.#deps.checkStandings.changedSince(this.#accountId, nowMs - overlapMs)) {
      const check = this.#byId.get(id);
      if (check !== undefined) this.#take({ ...check, latest, totals }, nowMs);
    }
  }

  /** @returns whether somebody changed it. What is as it was stays the same object. */
  #take(check: IndexedCheck, nowMs: number): boolean {
    const before = this.#byId.get(check.id);
    const state = stateInList(check, nowMs);
    if (this.#states.get(check.id) !== state) this.#stateChanges += 1;
    this.#states.set(check.id, state);
    const text = JSON.stringify(check);
    if (this.#texts.get(check.id) === text) return false;
    this.#texts.set(check.id, text);
    this.#byId.set(check.id, check);
    this.#changed.add(check.id);
    return before === undefined || definitionOf(before) !== definitionOf(check);
  }
}

function definitionOf({ uuid, type, name, activated, muted, tags, groupName }: IndexedCheck): string {
  return JSON.stringify([uuid, type, name, activated, muted, tags, groupName]);
}
