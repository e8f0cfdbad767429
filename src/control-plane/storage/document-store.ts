import type { KindName } from "#contract/kinds.ts";
import type { Page } from "./page.ts";

/** Kinds that are kept as documents; the others have tables of their own (ADR 13). */
export type DocumentKind = Exclude<KindName, "account" | "private-location" | "check">;

/**
 * Who hears of a write: `runs` remember what they need of an account, `alerts` that something silenced are looked at again, `subscribers` of
 * status pages are told.
 */
export const wakes: Readonly<Record<DocumentKind, "runs" | "alerts" | "subscribers" | null>> = {
  "alert-channel": null,
  "check-group": null,
  "client-certificate": "runs",
  dashboard: null,
  "deployment-trigger": null,
  incident: null,
  maintenance: "alerts",
  "maintenance-window": "alerts",
  snippet: "runs",
  "status-page": null,
  "status-page-incident": "subscribers",
  "status-page-service": null,
  "status-page-subscription": null,
  trigger: null,
  variable: "runs",
};

/** A configured object that is read and written whole. `D` is what its resource stores; the store does not look into it. */
export interface DocumentRow<D = unknown> {
  readonly id: number;
  readonly uuid: string;
  readonly accountId: number;
  readonly kind: DocumentKind;
  /** Unique among those of its kind in the account; null where names may repeat. */
  readonly name: string | null;
  readonly parentId: number | null;
  readonly definition: D;
  readonly createdAtMs: number;
  readonly updatedAtMs: number | null;
}

export interface NewDocument<D = unknown> {
  readonly accountId: number;
  readonly kind: DocumentKind;
  readonly definition: D;
  /** Absent: a random one. */
  readonly uuid?: string;
  readonly name?: string | null;
  /** It goes when its parent goes. */
  readonly parentId?: number;
  /** Names that one document of the whole installation can have. */
  readonly claims?: readonly string[];
  /** Whether it still waits for something, so that lists can ask for those only; false when absent. */
  readonly open?: boolean;
  readonly nowMs: number;
}

/** What is left out of `name`, `claims` and `open` stays. */
export interface DocumentChange<D = unknown> {
  readonly definition: D;
  readonly name?: string | null;
  readonly claims?: readonly string[];
  readonly open?: boolean;
}

/** By its number, its uuid or its name. */
export type DocumentAddress = { readonly id: number } | { readonly uuid: string } | { readonly name: string };

export interface DocumentFilter {
  readonly parentId?: number;
  /** Beginning at 1; absent: all. */
  readonly page?: number;
  readonly limit?: number;
  readonly newestFirst?: boolean;
  /** Only what comes after this number in the order of the list. */
  readonly after?: number;
  /** Only those that still wait for something. */
  readonly open?: true;
}

/** Objects of an account that users configure. Foreign ones are as absent as missing ones. */
export interface DocumentStore {
  /** @throws {AppError} conflict when the name or a claim is taken; `attributes.taken` says which */
  create<D>(document: NewDocument<D>): Promise<DocumentRow<D>>;
  list<D>(accountId: number, kind: DocumentKind, filter?: DocumentFilter): Promise<Page<DocumentRow<D>>>;
  find<D>(accountId: number, kind: DocumentKind, address: DocumentAddress): Promise<DocumentRow<D> | undefined>;
  /** Those of the numbers that exist. */
  byIds<D>(accountId: number, kind: DocumentKind, ids: readonly number[]): Promise<readonly DocumentRow<D>[]>;
  /** Those of the uuids that exist. */
  byUuids<D>(accountId: number, kind: DocumentKind, uuids: readonly string[]): Promise<readonly DocumentRow<D>[]>;
  /** Of any account. */
  byClaim<D>(kind: DocumentKind, claim: string): Promise<DocumentRow<D> | undefined>;
  /**
   * Replaces the definition, and the name and claims where given. `change` sees what is stored, under a lock.
   *
   * @throws {AppError} conflict as `create`
   */
  update<D>(
    accountId: number,
    kind: DocumentKind,
    address: DocumentAddress,
    change: (before: DocumentRow<D>) => DocumentChange<D>,
    nowMs: number,
  ): Promise<DocumentRow<D> | undefined>;
  /** With its children and claims. @returns whether there was one */
  remove(accountId: number, kind: DocumentKind, address: DocumentAddress): Promise<boolean>;
}
