import type { ArtifactDeclaration } from "#contract/agent-artifacts.ts";
import type { AgentPlatform, AttemptReport, EvidenceFile, ReportAnswer } from "#contract/agent-protocol.ts";
import type { CheckGroupSettings } from "#contract/check-groups.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { LeaseLimits } from "#domain/lease.ts";
import type { Span } from "#domain/maintenance.ts";
import type { SlotState } from "#domain/schedule.ts";
import type { Gap } from "#domain/schedule-gaps.ts";
import type { CheckRow } from "./configuration-stores.ts";
import type { Page } from "./page.ts";
import type { TestSessionDefinition } from "./test-session-definition.ts";

/* The schedule, jobs, agents, results and sessions, see `storage.ts`. */

/** A check whose due time has come, as the scheduler sees it. */
export interface DueCheck extends SlotState {
  readonly checkId: number;
  readonly accountId: number;
  readonly periodMs: number;
  readonly phaseMs: number;
  readonly roundRobin: number;
  /** When maintenance windows pause it, from its planned slot until now. */
  readonly pauses: readonly Span[];
  readonly runParallel: boolean;
  readonly locationIds: readonly number[];
}

/** What the scheduler decided for one due check. `run` null: none begins. */
export interface Firing extends SlotState {
  readonly roundRobin: number;
  readonly run: { readonly dueMs: number; readonly locationIds: readonly number[] } | null;
  /** Slots that nobody ran. */
  readonly gaps: readonly Gap[];
}

export interface NewRun {
  readonly accountId: number;
  readonly checkId: number;
  /** `checkRunId`: epoch ms of the run's start. */
  readonly runAtMs: number;
  readonly source: string;
  readonly locationIds: readonly number[];
  /** Runs of the same group start at most `concurrency` at a time, in the order given; the others are held. Absent: at once. */
  readonly group?: { readonly id: number; readonly concurrency: number };
  readonly testSession?: number;
}

export interface ScheduleStore {
  /**
   * Claims checks due by `nowMs`, and those planned more than a period ahead because the clock was set back; lets `plan` decide for
   * each, and writes session, jobs, gaps and the next due time in one transaction. Any number of processes may call it. @returns how many
   * were claimed
   */
  fireDue(nowMs: number, limit: number, plan: (due: DueCheck) => Firing): Promise<number>;
  /** The earliest next due time of an activated check, or null. */
  nextDueMs(): Promise<number | null>;
  /** Starts runs that somebody triggered. @returns the sessions, in the order given */
  startRuns(runs: readonly NewRun[]): Promise<readonly SessionRow[]>;
}

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
  readonly group: CheckGroupSettings | null;
  readonly groupUuid: string | null;
  /** Of a job of a test session. */
  readonly testSession: TestSessionDefinition | null;
  /** Not of the schedule: somebody, or a program, waits for its result. */
  readonly isAwaited: boolean;
}

export interface LeaseRequest {
  readonly agentSession: number;
  readonly locationId: number;
  readonly checkTypes: readonly string[];
  /** Jobs of checks with scripts go only to an agent that has a sandbox and the check's runtime. */
  readonly runtimes: readonly string[];
  readonly max: number;
  readonly nowMs: number;
  readonly leaseMs: number;
}

export interface JobRefRow {
  readonly no: number;
  readonly fence: number;
}

/** The time is epoch milliseconds; null when nothing is queued. */
export interface QueueDepth {
  readonly locationId: number;
  readonly queued: number;
  readonly leased: number;
  readonly oldestDueMs: number | null;
}

export type MissedReason = "no_agent" | "no_capacity" | "expired" | "agent_lost" | "overlap";

export interface JobStore {
  /** Oldest due first; each lease counts the fence up. */
  lease(request: LeaseRequest): Promise<readonly LeasedJobRow[]>;
  /** Acknowledges and extends; says which are lost and which somebody cancelled. */
  extend(
    agentSession: number,
    jobs: readonly JobRefRow[],
    nowMs: number,
    leaseMs: number,
  ): Promise<{ extended: readonly number[]; lost: readonly number[]; cancel: readonly number[] }>;
  /** How far a job is, as text that means nothing here; forgotten where the agent has it not any more. */
  tell(agentSession: number, job: JobRefRow, progress: string): Promise<void>;
  /** What was told of jobs that run, by their numbers. */
  progress(nos: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Puts jobs back as they were before the lease; the attempt is not used up. */
  release(agentSession: number, jobs: readonly JobRefRow[], nowMs: number): Promise<readonly number[]>;
  /**
   * Ends leases and waits that are over, by the rules of `domain/lease`: requeues jobs, writes the lost attempt as
   * an ATTEMPT result and MISSED results for jobs that end. `graceUntilMs`: before it no lease ends, so that a
   * restarted control plane does not end them all. @returns locations that have jobs again
   */
  reap(nowMs: number, settings: ReapSettings): Promise<{ requeued: number; missed: number }>;
  /** Marks a session's jobs, or only those named, as cancelled: queued ones end at once, leased ones at their next heartbeat. */
  cancel(sessionNo: number, nowMs: number, only?: ReadonlySet<number>): Promise<void>;
  /** Jobs by location, of those that have any. */
  queueDepths(nowMs: number): Promise<readonly QueueDepth[]>;
  /** The same with the location's code, also for empty queues of locations that a check or an agent names. For metrics. */
  locationQueues(nowMs: number): Promise<readonly (QueueDepth & { code: string })[]>;
}

export interface ReapSettings extends LeaseLimits {
  readonly graceUntilMs: number;
  readonly limit: number;
}

export interface AgentSessionRow {
  readonly id: number;
  readonly agentId: string;
  readonly locationId: number;
  readonly accountId: number | null;
  readonly keyId: string;
  readonly name: string;
  readonly version: string;
  readonly checkTypes: readonly string[];
  readonly runtimes: readonly string[];
  readonly openedAtMs: number;
  readonly lastSeenAtMs: number;
  readonly lastExecutedAtMs: number | null;
  readonly expiresAtMs: number;
  readonly state: "running" | "draining";
  readonly sandboxLevel: number;
  readonly capabilities: Readonly<Record<string, boolean | string>>;
  /** Results that wait in the agent, after its latest heartbeat. */
  readonly outboxDepth: number;
  readonly eventLoopDelayMs: number;
  /** As its latest heartbeat told; null where none did. */
  readonly clockAheadMs: number | null;
  readonly platform: AgentPlatform | null;
}

/** What a heartbeat tells of its agent. */
export interface AgentContact extends Pick<AgentSessionRow, "state" | "outboxDepth" | "eventLoopDelayMs" | "clockAheadMs"> {
  readonly nowMs: number;
}

/** Who opens a session, and in whose name he may. */
export interface SessionClaim {
  /** Where it came from. */
  readonly network: string;
  /** Null: it proves nothing, as agents of earlier releases. */
  readonly proofHash: string | null;
  /** Whoever was heard of since then runs: only with the same proof a session is opened in his name. */
  readonly aliveSinceMs: number;
}

export interface AgentStore {
  /** Of several at once in one name one is opened. @throws {AppError} conflict where another agent of this id runs */
  open(
    session: Partial<SessionClaim> & {
      tokenHash: string;
      agentId: string;
      locationId: number;
      accountId: number | null;
      /** Of the location's key that opened it. */
      keyId: string;
      name: string;
      version: string;
      checkTypes: readonly string[];
      runtimes: readonly string[];
      sandboxLevel: number;
      capabilities: Readonly<Record<string, boolean | string>>;
      platform?: AgentPlatform | undefined;
      nowMs: number;
      expiresAtMs: number;
    },
  ): Promise<AgentSessionRow>;
  byTokenHash(hash: string, nowMs: number): Promise<AgentSessionRow | undefined>;
  /** Updates last contact of session and location, and what the heartbeat told. */
  seen(id: number, told: AgentContact): Promise<void>;
  /** Agents of these locations seen since then, newest first. A session that runs no checks is none. */
  ofLocations(locationIds: readonly number[], sinceMs: number): Promise<readonly AgentSessionRow[]>;
}

export type AssetType = ArtifactDeclaration["type"];

/** A file of a result, to be stored or downloaded. */
export interface NewAsset extends Pick<EvidenceFile, "name" | "contentType"> {
  readonly type: AssetType;
  readonly body: Uint8Array;
}

/** A stored file of a result, without what is in it. */
export type ResultAssetRow = Omit<NewAsset, "body">;

/** A file of a result as it is stored: here, or in the blob store. */
export type StoredAsset = NewAsset | (ResultAssetRow & { readonly blob: { readonly key: string; readonly size: number } });

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
  /** It was stored after a newer one of its check and location. */
  readonly isLate: boolean;
  readonly missedReason: MissedReason | null;
  readonly queuedMs: number;
  readonly loopDelayMs: number;
  /** The first is what the result says; a suite may have others, of its other tests. */
  readonly errorGroupIds: readonly number[];
  /** What failed; with the details only. */
  readonly errorMessage: string | null;
  /** The check type's member as JSON in UTF-8, or null when details were not asked for or are no longer kept. */
  readonly detailJson: Buffer | null;
  /** By name. */
  readonly assets: readonly ResultAssetRow[];
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
  ingest(agentSession: AgentSessionRow, reports: Iterable<AttemptReport>, nowMs: number): Promise<readonly ReportAnswer[]>;
  /** Newest first, after the cursor. A cursor that does not decode is an AppError invalid_input. */
  list(filter: ResultFilter & { readonly cursor?: string }): Promise<{ items: readonly ResultRow[]; nextCursor: string | null }>;
  page(filter: ResultFilter & { readonly page: number }): Promise<Page<ResultRow>>;
  /** `id` is the result's UUID, see `domain/ids`. */
  byId(checkId: number, id: string): Promise<ResultRow | undefined>;
  /** MISSED runs of a check whose date is in the time, by the location's code. */
  countMissed(checkId: number, fromMs: number, toMs: number): Promise<readonly { readonly locationCode: string; readonly runs: number }[]>;
  /** One file of a result; undefined when there is none of this name. */
  asset(checkId: number, id: string, name: string): Promise<StoredAsset | undefined>;
  /** Newest first, without details. */
  ofSession(session: SessionRow): Promise<readonly ResultRow[]>;
  /**
   * Deletes results that started in whole hours from before, sessions from before, details and files of results that stay but are older
   * than `detailsOlderThanMs`, and what removed checks left: at most about `limit` of each in one call, in short transactions
   * (PostgreSQL drops whole days). Rollups of what goes are brought up to date first. @returns whether there may be more to delete
   */
  prune(olderThanMs: number, limit: number, detailsOlderThanMs?: number): Promise<{ deleted: number; more: boolean }>;
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
