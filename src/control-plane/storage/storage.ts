import type { AttemptReport, ReportAnswer } from "#contract/agent-protocol.ts";
import type { CheckTypeName } from "#contract/primitives.ts";

/**
 * What the control plane keeps, on whichever engine. Everything above this file talks to these interfaces;
 * only `control-plane.ts` chooses the engine. Instants are epoch milliseconds, ids inside are integers, and the
 * account is part of every look-up that a user can cause: a foreign object is as absent as a missing one.
 */
export interface Storage {
  readonly accounts: AccountStore;
  readonly keys: KeyStore;
  readonly locations: LocationStore;
  readonly checks: CheckStore;
  readonly schedule: ScheduleStore;
  readonly jobs: JobStore;
  readonly agents: AgentStore;
  readonly results: ResultStore;
  readonly sessions: SessionStore;
  /** Tells other parts of this process, and with PostgreSQL other processes, that something waits for them. */
  readonly signals: StorageSignals;
  close(): Promise<void>;
}

export interface StorageSignals {
  /** Jobs became due at these locations. Returns the unsubscriber. */
  onJobs(listener: (locationIds: readonly number[]) => void): () => void;
  /** Sessions ended. */
  onSessionsEnded(listener: (sessionNos: readonly number[]) => void): () => void;
  /** A check was written, so the next due time may be earlier. */
  onScheduleChanged(listener: () => void): () => void;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

// ---- accounts, keys, locations ------------------------------------------------------------------------------

export interface AccountRow {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly runtimeId: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly alertSettings: Readonly<Record<string, unknown>>;
}

export interface AccountStore {
  create(account: { uuid: string; name: string; runtimeId: string; nowMs: number }): Promise<AccountRow>;
  list(): Promise<readonly AccountRow[]>;
  byUuid(uuid: string): Promise<AccountRow | undefined>;
  byId(id: number): Promise<AccountRow | undefined>;
}

export type KeyKind = "user" | "service" | "location";
export type Role = "OWNER" | "ADMIN" | "READ_WRITE" | "READ_RUN" | "READ_ONLY";

export interface KeyRow {
  readonly id: string;
  readonly kind: KeyKind;
  /** Null for a user key (it names its account in a header) and for a data center location's key. */
  readonly accountId: number | null;
  readonly locationId: number | null;
  readonly role: Role;
  readonly maskedKey: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number | null;
}

export interface KeyStore {
  create(key: Omit<KeyRow, "updatedAtMs"> & { readonly hash: string }): Promise<void>;
  byHash(hash: string): Promise<KeyRow | undefined>;
  ofLocation(locationId: number): Promise<readonly KeyRow[]>;
  /** @returns whether there was one */
  remove(locationId: number, keyId: string): Promise<boolean>;
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
  readonly createdAtMs: number;
  readonly updatedAtMs: number | null;
  readonly lastSeenAtMs: number | null;
}

export interface LocationStore {
  /** @throws {AppError} conflict when the account has the slug already */
  create(location: { accountId: number; uuid: string; code: string; name: string; icon: string; proxyUrl: string | null; nowMs: number }): Promise<LocationRow>;
  list(accountId: number): Promise<readonly LocationRow[]>;
  byUuid(accountId: number, uuid: string): Promise<LocationRow | undefined>;
  byId(id: number): Promise<LocationRow | undefined>;
  /** The account's private locations by slug, and data centers by code. Unknown codes are left out. */
  byCodes(accountId: number, codes: readonly string[]): Promise<readonly LocationRow[]>;
  dataCenter(code: string): Promise<LocationRow | undefined>;
  update(accountId: number, uuid: string, change: { name: string; icon?: string; proxyUrl?: string | null; nowMs: number }): Promise<LocationRow | undefined>;
  /** @throws {AppError} conflict when a check still names it */
  remove(accountId: number, uuid: string): Promise<boolean>;
  /** Appends one sample of the queue of each location that has checks or agents; older than `keepMs` goes. */
  sampleQueues(nowMs: number, keepMs: number): Promise<void>;
  queueHistory(locationId: number, fromMs: number, toMs: number): Promise<readonly { atMs: number; queueSize: number; oldestSeconds: number }[]>;
}

// ---- checks and their schedule ------------------------------------------------------------------------------

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

export interface CheckRow {
  readonly id: number;
  readonly uuid: string;
  readonly accountId: number;
  readonly type: CheckTypeName;
  readonly definition: CheckDefinition;
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
  readonly tags?: readonly string[];
  readonly search?: string;
  readonly urlPattern?: string;
  readonly status?: "passing" | "failing" | "degraded";
}

export interface CheckStore {
  create(check: { uuid: string; accountId: number; type: CheckTypeName; definition: CheckDefinition; locationIds: readonly number[]; schedule: CheckSchedule; nowMs: number }): Promise<CheckRow>;
  update(accountId: number, uuid: string, change: { definition: CheckDefinition; locationIds: readonly number[]; schedule: CheckSchedule; nowMs: number }): Promise<CheckRow | undefined>;
  byUuid(accountId: number, uuid: string): Promise<CheckRow | undefined>;
  list(accountId: number, filter: CheckFilter): Promise<Page<CheckRow>>;
  /** Every check of the account that is activated; for triggers by tag. */
  activated(accountId: number): Promise<readonly CheckRow[]>;
  /** Offsets in use for one frequency, for spreading new ones. */
  offsets(frequency: number): Promise<readonly number[]>;
  /** The check, its results, jobs, sessions (ended as cancelled) and status go together. */
  remove(accountId: number, uuid: string): Promise<boolean>;
  statuses(accountId: number): Promise<readonly CheckStatusRow[]>;
  status(accountId: number, uuid: string): Promise<CheckStatusRow | undefined>;
}

/** A check whose due time has come, as the scheduler sees it. */
export interface DueCheck {
  readonly checkId: number;
  readonly accountId: number;
  readonly periodMs: number;
  readonly phaseMs: number;
  readonly nextDueMs: number;
  readonly lastFireMs: number | null;
  readonly roundRobin: number;
  readonly runParallel: boolean;
  readonly locationIds: readonly number[];
}

/** What the scheduler decided for one due check. `run` null: only the next due time moves. */
export interface Firing {
  readonly nextDueMs: number;
  readonly roundRobin: number;
  readonly run: { readonly dueMs: number; readonly locationIds: readonly number[] } | null;
}

export interface NewRun {
  readonly accountId: number;
  readonly checkId: number;
  /** `checkRunId`: epoch ms of the run's start. */
  readonly runAtMs: number;
  readonly source: string;
  readonly locationIds: readonly number[];
}

export interface ScheduleStore {
  /**
   * Claims checks due by `nowMs`, lets `plan` decide for each, and writes session, jobs and the next due time in
   * one transaction. Any number of processes may call it. @returns how many were claimed
   */
  fireDue(nowMs: number, limit: number, plan: (due: DueCheck) => Firing): Promise<number>;
  /** The earliest next due time of an activated check, or null. */
  nextDueMs(): Promise<number | null>;
  /** Starts a run that somebody triggered. @returns the sessions, in the order given */
  startRuns(runs: readonly NewRun[]): Promise<readonly SessionRow[]>;
}

// ---- jobs ---------------------------------------------------------------------------------------------------

export interface LeasedJobRow {
  readonly no: number;
  readonly fence: number;
  readonly attempt: number;
  readonly dueAtMs: number;
  readonly leasedAtMs: number;
  readonly runAtMs: number;
  readonly sessionNo: number;
  readonly locationId: number;
  readonly failedAttempts: number;
  /** When the first attempt of the run started, or null. */
  readonly firstStartedAtMs: number | null;
  readonly accountUuid: string;
  readonly accountRuntimeId: string;
  readonly check: CheckRow;
}

export interface LeaseRequest {
  readonly agentSession: number;
  readonly locationId: number;
  readonly checkTypes: readonly string[];
  readonly max: number;
  readonly nowMs: number;
  readonly leaseMs: number;
}

export interface JobRefRow {
  readonly no: number;
  readonly fence: number;
}

export type MissedReason = "no_agent" | "no_capacity" | "expired" | "agent_lost";

export interface JobStore {
  /** Oldest due first; each lease counts the fence up. */
  lease(request: LeaseRequest): Promise<readonly LeasedJobRow[]>;
  /** Acknowledges and extends; says which are lost and which somebody cancelled. */
  extend(agentSession: number, jobs: readonly JobRefRow[], nowMs: number, leaseMs: number): Promise<{ extended: readonly number[]; lost: readonly number[]; cancel: readonly number[] }>;
  /** Puts jobs back as they were before the lease; the attempt is not used up. */
  release(agentSession: number, jobs: readonly JobRefRow[], nowMs: number): Promise<readonly number[]>;
  /**
   * Ends leases and waits that are over, by the rules of `domain/lease`: requeues jobs, writes the lost attempt as
   * an ATTEMPT result and MISSED results for jobs that end. `graceUntilMs`: before it no lease ends, so that a
   * restarted control plane does not end them all. @returns locations that have jobs again
   */
  reap(nowMs: number, settings: ReapSettings): Promise<{ requeued: number; missed: number }>;
  /** Marks a session's jobs as cancelled: queued ones end at once, leased ones at their next heartbeat. */
  cancel(sessionNo: number, nowMs: number): Promise<void>;
  /** Queued jobs by location, for metrics. */
  queueDepths(nowMs: number): Promise<readonly { locationId: number; queued: number; leased: number; oldestDueMs: number | null }[]>;
}

export interface ReapSettings {
  readonly queueWaitMs: number;
  readonly acknowledgeMs: number;
  readonly maxLostLeases: number;
  readonly graceUntilMs: number;
  readonly limit: number;
}

// ---- agents -------------------------------------------------------------------------------------------------

export interface AgentSessionRow {
  readonly id: number;
  readonly agentId: string;
  readonly locationId: number;
  readonly accountId: number | null;
  readonly name: string;
  readonly version: string;
  readonly checkTypes: readonly string[];
  readonly openedAtMs: number;
  readonly lastSeenAtMs: number;
  readonly lastExecutedAtMs: number | null;
  readonly expiresAtMs: number;
  readonly state: "running" | "draining";
}

export interface AgentStore {
  open(session: {
    tokenHash: string; agentId: string; locationId: number; accountId: number | null; name: string; version: string;
    checkTypes: readonly string[]; runtimes: readonly string[]; sandboxLevel: number;
    capabilities: Readonly<Record<string, boolean | string>>; nowMs: number; expiresAtMs: number;
  }): Promise<AgentSessionRow>;
  byTokenHash(hash: string, nowMs: number): Promise<AgentSessionRow | undefined>;
  /** Updates last contact of session and location, and what the heartbeat told. */
  seen(id: number, told: { nowMs: number; state: "running" | "draining"; outboxDepth: number; eventLoopDelayMs: number }): Promise<void>;
  /** Agents of these locations seen since then, newest first. */
  ofLocations(locationIds: readonly number[], sinceMs: number): Promise<readonly AgentSessionRow[]>;
}

// ---- results and sessions -----------------------------------------------------------------------------------

export type ResultType = "FINAL" | "ATTEMPT" | "MISSED";

export interface ResultRow {
  readonly checkId: number;
  readonly type: CheckTypeName;
  readonly resultType: ResultType;
  readonly jobNo: number;
  readonly attempt: number;
  readonly sessionNo: number;
  readonly runAtMs: number;
  readonly locationCode: string;
  readonly startedAtMs: number;
  readonly stoppedAtMs: number;
  readonly createdAtMs: number;
  readonly responseTimeMs: number;
  readonly statusCode: number | null;
  readonly hasFailures: boolean;
  readonly hasErrors: boolean;
  readonly isDegraded: boolean;
  readonly isCancelled: boolean;
  readonly overMaxResponseTime: boolean;
  readonly agentSide: boolean;
  readonly missedReason: MissedReason | null;
  readonly queuedMs: number;
  readonly loopDelayMs: number;
  /** What failed; with the details only. */
  readonly errorMessage: string | null;
  /** The check type's member, or null when details were not asked for or are no longer kept. */
  readonly detail: unknown;
}

export interface ResultFilter {
  readonly checkId: number;
  readonly limit: number;
  readonly resultTypes: readonly ResultType[];
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly locationCode?: string;
  readonly hasFailures?: boolean;
  readonly withDetails: boolean;
}

export interface ResultStore {
  /** One transaction for the batch; answered in order, by the rules of `domain/lease`. */
  ingest(agentSession: AgentSessionRow, reports: readonly AttemptReport[], nowMs: number): Promise<readonly ReportAnswer[]>;
  /** Newest first, after the cursor. A cursor that does not decode is an AppError invalid_input. */
  list(filter: ResultFilter & { readonly cursor?: string }): Promise<{ items: readonly ResultRow[]; nextCursor: string | null }>;
  page(filter: ResultFilter & { readonly page: number }): Promise<Page<ResultRow>>;
  /** `id` is the result's UUID, see `domain/ids`. */
  byId(checkId: number, id: string): Promise<ResultRow | undefined>;
  ofSession(session: SessionRow): Promise<readonly ResultRow[]>;
  /**
   * Deletes results, details and sessions that started before, and what removed checks left: at most about `limit` results in one
   * call, in short transactions (PostgreSQL drops whole days). @returns whether there may be more to delete
   */
  prune(olderThanMs: number, limit: number): Promise<{ deleted: number; more: boolean }>;
}

export interface SessionRow {
  readonly no: number;
  readonly accountId: number;
  readonly checkId: number;
  readonly checkUuid: string;
  readonly checkType: CheckTypeName;
  readonly checkName: string;
  readonly runAtMs: number;
  readonly source: string;
  readonly locationCodes: readonly string[];
  readonly status: string;
  readonly stoppedAtMs: number | null;
}

export interface SessionStore {
  byNo(accountId: number, no: number): Promise<SessionRow | undefined>;
}
