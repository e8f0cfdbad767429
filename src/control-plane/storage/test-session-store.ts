import type { CheckGroupSettings } from "#contract/check-groups.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { SessionStatus } from "#domain/session-status.ts";
import type { TestSessionStatus } from "#domain/test-session-status.ts";
import type { CheckDefinition } from "./configuration-stores.ts";
import { type TestSessionDefinition } from "./test-session-definition.ts";
import type { ResultRow, StoredAsset } from "./work-stores.ts";

/** A check as it was when the session began. */
export interface TestedCheck {
  readonly id: number;
  /** Null for one that was never stored. */
  readonly uuid: string | null;
  readonly type: CheckTypeName;
  readonly name: string;
  /** As the client that started it names its run. */
  readonly clientRunId?: string | undefined;
  /** Where the client has its code. */
  readonly filePath?: string | null | undefined;
}

/** A check that runs as somebody sent it, without being stored. */
export interface TrialCheck {
  /** Of the stored check that it would change; else one that only this run has. */
  readonly uuid: string;
  readonly type: CheckTypeName;
  readonly definition: CheckDefinition;
  readonly groupId: number | null;
  /** The group that came with it; its secrets are sealed for a group of this UUID. */
  readonly group?: { readonly uuid: string; readonly settings: CheckGroupSettings } | undefined;
  /** The id of the runtime that its scripts need; null without scripts. */
  readonly scriptRuntime: string | null;
}

/** A picture of code: where it stands in the project, and by what key it is downloaded. */
export interface CodePicture {
  readonly path: string;
  readonly key: string;
}

export interface Trial extends Pick<TestedCheck, "clientRunId" | "filePath"> {
  readonly check: TrialCheck;
  /** Whether its `uuid` is that of a stored check. */
  readonly isStored: boolean;
}

/** A check's part of a test session. That of a check which was removed meanwhile was cancelled. */
export interface TestRun {
  readonly jobNo: number;
  readonly status: SessionStatus;
  readonly stoppedAtMs: number | null;
}

export interface TestSessionRow<Run extends TestRun = TestRun & { readonly check: TestedCheck }> {
  readonly id: number;
  readonly accountId: number;
  readonly name: string;
  readonly locationCode: string;
  /** Null at a data center. */
  readonly privateLocationUuid: string | null;
  readonly startedAtMs: number;
  readonly definition: TestSessionDefinition;
  readonly runs: readonly Run[];
}

/** What is to be seen of a run without reading its results. */
export interface RunPulse {
  readonly testSession: number;
  readonly jobNo: number;
  /** An agent took it. False again once its job is gone. */
  readonly hasBegun: boolean;
  /** Which attempt it is; null once its job is gone. */
  readonly attempt: number | null;
  readonly hasEnded: boolean;
}

export interface TestSessionFilter {
  readonly limit: number;
  /** Only older ones than this one. */
  readonly before?: number | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly statuses: readonly TestSessionStatus[];
  /** Empty: of any. */
  readonly branches: readonly string[];
  /** In any case. */
  readonly text?: string | undefined;
}

/**
 * Test sessions with their results, which no other store shows: they stand apart from those of their checks. Removed as results are
 * (`ResultStore.prune`).
 */
export interface TestSessionStore {
  /** Starts one run of each check. */
  create(session: {
    accountId: number;
    locationId: number;
    name: string;
    definition: TestSessionDefinition;
    checks: readonly TestedCheck[];
    suite?: string | null;
    nowMs: number;
  }): Promise<TestSessionRow>;
  /** Runs checks once that are not stored. */
  createTrials(session: {
    accountId: number;
    locationId: number;
    name: string;
    definition: TestSessionDefinition;
    trials: readonly Trial[];
    suite?: string | null;
    nowMs: number;
  }): Promise<TestSessionRow>;
  byId(accountId: number, id: number): Promise<TestSessionRow | undefined>;
  /** How far their runs are, in the order of the runs: one query however many there are. */
  pulses(ids: readonly number[]): Promise<readonly RunPulse[]>;
  /** Pictures that runs took anew for their code, by the numbers of the jobs. */
  pictures(session: TestSessionRow): Promise<ReadonlyMap<number, readonly CodePicture[]>>;
  /** The test session of which the job is a run. */
  ofJob(accountId: number, jobNo: number): Promise<TestSessionRow | undefined>;
  /** Those since then that clients follow under these names. */
  ofSuites(suites: readonly string[], sinceMs: number): Promise<readonly { id: number; accountId: number; suite: string }[]>;
  /** The latest first. */
  list(accountId: number, filter: TestSessionFilter): Promise<{ items: readonly TestSessionRow<TestRun>[]; next: number | null }>;
  /** Of all runs, newest first, without details. */
  results(session: TestSessionRow): Promise<readonly ResultRow[]>;
  /** Of one run, newest first, with details. */
  resultsOfRun(session: TestSessionRow, run: TestSessionRow["runs"][number]): Promise<readonly ResultRow[]>;
  asset(session: TestSessionRow, result: Pick<ResultRow, "jobNo" | "attempt">, name: string): Promise<StoredAsset | undefined>;
}
