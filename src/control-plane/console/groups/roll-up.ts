import { mutedNow } from "#domain/muted-for.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import { stateInList, states } from "../overview/filter.ts";

type State = (typeof states)[number];

/** How the checks of a group stand together. */
export interface RollUp {
  readonly checks: number;
  readonly counts: ReadonlyMap<State, number>;
  /** Those that send no alerts now, whatever their state. */
  readonly muted: number;
  /** Of those that are active, what needs somebody first; `deactivated` where none is, null where there is no check. */
  readonly worst: State | null;
}

export const emptyRollUp: RollUp = { checks: 0, counts: new Map(), muted: 0, worst: null };

/** Counts checks one after another. */
export class Sums {
  readonly #counts = new Map<State, number>();
  #checks = 0;
  #muted = 0;

  add(check: IndexedCheck, state: State, nowMs: number): void {
    this.#checks += 1;
    this.#counts.set(state, (this.#counts.get(state) ?? 0) + 1);
    if (mutedNow(check, nowMs) !== null) this.#muted += 1;
  }

  rollUp(): RollUp {
    const worst = states.find((state) => this.#counts.has(state)) ?? null;
    return { checks: this.#checks, counts: this.#counts, muted: this.#muted, worst };
  }
}

/** By group, from all checks of an account in one pass; groups without checks are left out. */
export function rollUps(checks: readonly IndexedCheck[], nowMs: number): ReadonlyMap<number, RollUp> {
  const byGroup = new Map<number, Sums>();
  for (const check of checks) {
    if (check.ofGroup === null) continue;
    const { id } = check.ofGroup;
    let sums = byGroup.get(id);
    if (sums === undefined) byGroup.set(id, (sums = new Sums()));
    sums.add(check, stateInList(check, nowMs), nowMs);
  }
  return new Map([...byGroup].map(([id, sums]) => [id, sums.rollUp()]));
}

/** What needs somebody first: the order of lists of groups. Empty ones come last. */
export function rankOf({ worst }: RollUp): number {
  return worst === null ? states.length : states.indexOf(worst);
}
