import type { CheckTypeName } from "#contract/primitives.ts";
import { type Page } from "./page.ts";
import type { SubscriptionsWanted } from "./subscriptions-wanted.ts";

/* Accounts, rows of keys, locations and checks, see `storage.ts`. */

/** What the store remembers of itself, by name. */
export interface MarkStore {
  /** Keeps the first value that is offered, also where several processes offer one at once. @returns what is kept */
  keep(name: string, value: string): Promise<string>;
  find(name: string): Promise<string | undefined>;
  replace(name: string, value: string): Promise<void>;
}

export interface AccountRow {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly runtimeId: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly alertSettings: Readonly<Record<string, unknown>>;
  readonly createdAtMs: number;
}

export interface AccountStore {
  create(account: { uuid: string; name: string; runtimeId: string; nowMs: number }): Promise<AccountRow>;
  list(): Promise<readonly AccountRow[]>;
  byUuid(uuid: string): Promise<AccountRow | undefined>;
  byId(id: number): Promise<AccountRow | undefined>;
  /** `change` sees what is stored, under a lock. */
  update(id: number, change: (before: AccountRow) => AccountChange): Promise<AccountRow | undefined>;
  /** Its keys, sign-ins, sessions, pages, triggers and pings stop, and it is as absent as a missing one. @returns hashes of its keys; undefined where there is none */
  remove(id: number, nowMs: number): Promise<readonly string[] | undefined>;
  /** Removes some of what removed accounts left, and each account last. @returns rows; 0 when nothing can go now */
  sweep(nowMs: number, limit: number): Promise<number>;
}

/** What is left out stays; the two objects replace. */
export type AccountChange = Partial<Pick<AccountRow, "name" | "runtimeId" | "settings" | "alertSettings">>;

export type KeyKind = "user" | "service" | "location";
export type Role = "OWNER" | "ADMIN" | "READ_WRITE" | "READ_RUN" | "READ_ONLY";

export interface KeyRow {
  readonly id: string;
  readonly kind: KeyKind;
  /** Null for a data center location's key. */
  readonly accountId: number | null;
  readonly locationId: number | null;
  readonly role: Role;
  readonly maskedKey: string;
  /** What it is for; empty for keys of locations. */
  readonly name: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number | null;
  /** At most a minute behind. */
  readonly lastUsedAtMs: number | null;
  /** From then on it is refused; null: never. */
  readonly expiresAtMs: number | null;
  /** In CIDR form; null: it may be used from anywhere. */
  readonly networks: readonly string[] | null;
  /** As `contract/key-scopes.ts` reads them; null: all that the role may. */
  readonly scopes: readonly string[] | null;
}

export interface LocationRow {
  readonly id: number;
  readonly uuid: string;
  /** Null for a data center location. */
  readonly accountId: number | null;
  /** The slug of a private location or the code of a data center: what results carry as runLocation. */
  readonly code: string;
  readonly name: string;
  readonly icon: string;
  readonly proxyUrl: string | null;
  /** How many hosts it admits agents from by itself; null: all. */
  readonly hostLimit: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number | null;
  readonly lastSeenAtMs: number | null;
}

export interface LocationStore {
  /** @throws {AppError} conflict when the account has the slug already */
  create(location: {
    accountId: number;
    uuid: string;
    code: string;
    name: string;
    icon: string;
    proxyUrl: string | null;
    /** null when absent */
    hostLimit?: number | null;
    nowMs: number;
  }): Promise<LocationRow>;
  list(accountId: number): Promise<readonly LocationRow[]>;
  byUuid(accountId: number, uuid: string): Promise<LocationRow | undefined>;
  byId(id: number): Promise<LocationRow | undefined>;
  /** The account's private locations by slug, and data centers by code. Unknown codes are left out. */
  byCodes(accountId: number, codes: readonly string[]): Promise<readonly LocationRow[]>;
  dataCenter(code: string): Promise<LocationRow | undefined>;
  /** Codes of the data centers that have a key, so that agents can serve them. */
  servedDataCenters(): Promise<readonly string[]>;
  update(
    accountId: number,
    uuid: string,
    change: { name: string; icon?: string | undefined; proxyUrl?: string | null; hostLimit?: number | null | undefined; nowMs: number },
  ): Promise<LocationRow | undefined>;
  /** The checks, by uuid, and the groups that name it, the oldest first; at most so many of each. */
  users(locationId: number, atMost: number): Promise<{ readonly checks: readonly string[]; readonly groups: readonly number[] }>;
  /** @throws {AppError} conflict when a check still names it */
  remove(accountId: number, uuid: string): Promise<boolean>;
  /** Appends one sample of the queue of each location that has checks or agents; older than `keepMs` goes. */
  sampleQueues(nowMs: number, keepMs: number): Promise<void>;
  queueHistory(
    locationId: number,
    fromMs: number,
    toMs: number,
  ): Promise<readonly { atMs: number; queueSize: number; oldestSeconds: number }[]>;
}

/** The whole wire object that the user configured, without read-only fields. */
export type CheckDefinition = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly activated: boolean;
  readonly muted: boolean;
  readonly tags: readonly string[];
  readonly frequency: number;
  readonly frequencyOffset: number;
  readonly runParallel: boolean;
};

/** When a check runs. `periodMs` 0: never by schedule. */
export interface CheckSchedule {
  readonly periodMs: number;
  readonly phaseMs: number;
  readonly nextDueMs: number | null;
}

/** The secret part of the address of pings, as their heartbeat is found by it. */
export interface PingToken {
  /** Under the pepper: what is stored. */
  readonly hash: string;
  /** As an earlier release stored it; null where it stored none like this. Never written. */
  readonly open: string | null;
}

/** When a heartbeat expects its pings, and where. */
export interface HeartbeatSettings {
  /** Null: the one stays that is stored. */
  readonly token: PingToken | null;
  readonly periodMs: number;
  readonly graceMs: number;
}

export interface CheckRow {
  readonly id: number;
  readonly uuid: string;
  readonly accountId: number;
  readonly type: CheckTypeName;
  /** What it was told itself; see `domain/effective-check` for what its group makes of it. */
  readonly definition: CheckDefinition;
  /** Both it and its group are. */
  readonly activated: boolean;
  /** Null for a check in no group. */
  readonly groupId: number | null;
  /** Where it runs: its own, or its group's. */
  readonly locationIds: readonly number[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number | null;
}

export interface CheckStatusRow {
  readonly checkUuid: string;
  readonly name: string;
  readonly hasFailures: boolean;
  readonly hasErrors: boolean;
  readonly isDegraded: boolean;
  readonly longestRunMs: number | null;
  readonly shortestRunMs: number | null;
  readonly lastRunLocation: string | null;
  readonly lastCheckRunId: string | null;
  readonly sslDaysRemaining: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number | null;
}

export interface CheckFilter {
  readonly page: number;
  readonly limit: number;
  readonly type?: CheckTypeName;
  /** A check must carry all of them. */
  readonly tags?: readonly string[];
  readonly search?: string;
  readonly urlPattern?: string;
  readonly status?: "passing" | "failing" | "degraded";
}

/** What is written of a check, whether it is new or known. */
interface CheckWrite {
  readonly definition: CheckDefinition;
  readonly locationIds: readonly number[];
  readonly schedule: CheckSchedule;
  readonly heartbeat?: HeartbeatSettings;
  readonly subscriptions?: SubscriptionsWanted;
  readonly nowMs: number;
}

export interface CheckStore {
  create(check: CheckWrite & { readonly uuid: string; readonly accountId: number; readonly type: CheckTypeName }): Promise<CheckRow>;
  update(accountId: number, uuid: string, change: CheckWrite): Promise<CheckRow | undefined>;
  byUuid(accountId: number, uuid: string): Promise<CheckRow | undefined>;
  list(accountId: number, filter: CheckFilter): Promise<Page<CheckRow>>;
  /** Every check of the account, or of one group of it, that is activated and so is its group; for triggers. */
  activated(accountId: number, groupId?: number): Promise<readonly CheckRow[]>;
  /** Offsets in use for one frequency and how many checks have each, for spreading new ones. */
  offsets(frequency: number): Promise<ReadonlyMap<number, number>>;
  /** The check, its results, jobs, sessions (ended as cancelled) and status go together. */
  remove(accountId: number, uuid: string, nowMs: number): Promise<boolean>;
  /**
   * Mutes checks of the account until then, whatever their definitions say; null: no longer. Unknown ones are left out.
   *
   * @returns the uuids of those that there are
   */
  muteUntil(accountId: number, uuids: readonly string[], untilMs: number | null, nowMs: number): Promise<readonly string[]>;
  statuses(accountId: number): Promise<readonly CheckStatusRow[]>;
  status(accountId: number, uuid: string): Promise<CheckStatusRow | undefined>;
}
