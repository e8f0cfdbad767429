import type { CheckGroupSettings } from "#contract/check-groups.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { Page } from "./page.ts";
import type { SubscriptionsWanted } from "./subscriptions-wanted.ts";

export interface CheckGroupRow {
  readonly id: number;
  readonly uuid: string;
  readonly accountId: number;
  /** Values of secret variables are sealed. */
  readonly settings: CheckGroupSettings;
  /** Of its `locations` and `privateLocations`, in their order. */
  readonly locationIds: readonly number[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number | null;
}

export interface CheckGroupFilter {
  readonly page: number;
  readonly limit: number;
  /** A group must carry all of them. */
  readonly tags?: readonly string[];
  /** A group must have one of them. */
  readonly names?: readonly string[];
}

/** A check of a group, as far as the group's lists tell it. */
export interface GroupedCheck {
  readonly uuid: string;
  readonly type: CheckTypeName;
}

type GroupChange = Pick<CheckGroupRow, "settings" | "locationIds">;

export interface NewCheckGroup extends GroupChange {
  /** Absent: a random one. */
  readonly uuid?: string;
  readonly accountId: number;
  readonly subscriptions: SubscriptionsWanted;
  readonly nowMs: number;
}

/** Groups of checks. They are documents, whose checks name them in a column. */
export interface CheckGroupStore {
  /** @throws {AppError} invalid_input for a subscription to a channel that the account does not have */
  create(group: NewCheckGroup): Promise<CheckGroupRow>;
  /** Oldest first. */
  list(accountId: number, filter: CheckGroupFilter): Promise<Page<CheckGroupRow>>;
  byId(accountId: number, id: number): Promise<CheckGroupRow | undefined>;
  /** Those of the numbers that exist. */
  byIds(accountId: number, ids: readonly number[]): Promise<readonly CheckGroupRow[]>;
  /**
   * `change` sees what is stored, under a lock. What follows for the group's checks (whether and where they run) is written with it.
   *
   * @throws {AppError} invalid_input when an activated check would be left without any location, and as `create`
   */
  update(
    accountId: number,
    id: number,
    change: (before: CheckGroupRow) => GroupChange & Pick<NewCheckGroup, "subscriptions">,
    nowMs: number,
  ): Promise<CheckGroupRow | undefined>;
  /** @throws {AppError} conflict when it still has checks */
  remove(accountId: number, id: number): Promise<boolean>;
  /** Oldest first. */
  checks(accountId: number, id: number, page: { readonly page: number; readonly limit: number }): Promise<Page<GroupedCheck>>;
  check(accountId: number, id: number, checkUuid: string): Promise<GroupedCheck | undefined>;
}
