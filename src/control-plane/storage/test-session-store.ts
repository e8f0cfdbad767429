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
}

/** A check that runs as somebody sent it, without being stored. */
export interface TrialCheck {
  /** Of the stored check that it would change; else one that only this run has. */
  readonly uuid: string;
  readonly type: CheckTypeName;
  readonly definition: CheckDefinition;
  readonly groupId: number | null;
  /** The id of the runtime that its scripts need; null without scripts. */
  readonly scriptRuntime: string | null;
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
    nowMs: number;
  }): Promise<TestSessionRow>;
  /** Runs a check once that is not stored. @param isStored whether its `uuid` is that of a stored check */
  createTrial(session: {
    accountId: number;
    locationId: number;
    definition: TestSessionDefinition;
    check: TrialCheck;
    isStored: boolean;
    nowMs: number;
  }): Promise<TestSessionRow>;
  byId(accountId: number, id: number): Promise<TestSessionRow | undefined>;
  /** The latest first. */
  list(accountId: number, filter: TestSessionFilter): Promise<{ items: readonly TestSessionRow<TestRun>[]; next: number | null }>;
  /** Of all runs, newest first, without details. */
  results(session: TestSessionRow): Promise<readonly ResultRow[]>;
  /** Of one run, newest first, with details. */
  resultsOfRun(session: TestSessionRow, run: TestSessionRow["runs"][number]): Promise<readonly ResultRow[]>;
  asset(session: TestSessionRow, result: Pick<ResultRow, "jobNo" | "attempt">, name: string): Promise<StoredAsset | undefined>;
}
