import type { HeldWindow } from "#domain/check-notices.ts";
import type { IndexedCheck } from "./check-index-store.ts";

/** What is around a check, whatever its runs were. */
export interface CheckSituation {
  /** The next slot of its schedule; null: none runs it. */
  readonly nextDueMs: number | null;
  /** Where it runs, and when an agent was heard of there last; null: never. */
  readonly places: readonly { readonly name: string; readonly lastSeenAtMs: number | null }[];
  /** Maintenance windows that hold for it now, or when it is due next. */
  readonly windows: readonly HeldWindow[];
  /** The name of the project whose code owns it; null: none does. */
  readonly codeProject: string | null;
}

/** A location of a check. The same object for all checks of it. */
export interface CheckPlace {
  readonly code: string;
  readonly name: string;
}

type Tagged = Pick<IndexedCheck, "id" | "tags">;

export interface CheckSituationStore {
  /** By id; those that are gone are left out. A few statements, however many they are. @param nowMs on the wall clock */
  ofChecks(checks: readonly Tagged[], nowMs: number): Promise<ReadonlyMap<number, CheckSituation>>;
  /** Where each check of an account runs, by its id; those that run nowhere, as heartbeats, are left out. */
  placesOf(accountId: number): Promise<ReadonlyMap<number, readonly CheckPlace[]>>;
  /** When maintenance windows pause or silence a check, at some time from the first to the second; the earliest first. */
  maintenance(check: Tagged, fromMs: number, toMs: number): Promise<readonly HeldWindow[]>;
}
