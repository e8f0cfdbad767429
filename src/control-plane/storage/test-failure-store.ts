import type { Page } from "./page.ts";

/* Failures of test sessions for one reason, and analyses of failures. */

export interface TestFailureGroupRow {
  readonly id: number;
  readonly hash: string;
  /** The uuid of the project of code; null where none is named. */
  readonly projectUuid: string | null;
  readonly environments: readonly string[];
  readonly cleanedMessage: string;
  readonly rawMessage: string;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  readonly archived: boolean;
}

export interface TestFailure {
  readonly hash: string;
  readonly cleanedMessage: string;
  readonly rawMessage: string;
  readonly seenMs: number;
}

export interface TestFailureStore {
  /** Last seen first. */
  list(accountId: number, filter: { page: number; limit: number; projectUuid?: string }): Promise<Page<TestFailureGroupRow>>;
  byId(accountId: number, id: number): Promise<TestFailureGroupRow | undefined>;
  archive(
    accountId: number,
    id: number,
    change: { untilNextEvent?: boolean | undefined; forEver?: boolean | undefined; nowMs: number },
  ): Promise<TestFailureGroupRow | undefined>;
  /** Test sessions whose failures nobody has read, the oldest first. */
  unread(after: number, limit: number): Promise<readonly { readonly id: number; readonly accountId: number }[]>;
  /** Takes the failures of a test session in, once. */
  read(
    session: { readonly id: number; readonly accountId: number; readonly projectUuid: string | null; readonly environment: string | null },
    failures: readonly TestFailure[],
  ): Promise<void>;
  /** Those that nothing failed like since. @returns how many went */
  prune(beforeMs: number, limit: number): Promise<number>;
}

export interface AnalysisRow {
  readonly uuid: string;
  readonly errorGroupId: number | null;
  readonly testFailureGroupId: number | null;
  readonly userContext: string;
  readonly status: "PENDING" | "COMPLETED" | "FAILED";
  /** JSON with what made it; null before it is completed. */
  readonly completed: { readonly provider: string; readonly model: string; readonly durationMs: number; readonly analysis: unknown } | null;
  readonly createdAtMs: number;
}

/** What is asked for and what came of it; whoever analyses takes the pending ones. */
export interface AnalysisStore {
  /** @returns the one of the group that is pending, where there is one */
  request(
    accountId: number,
    of: Pick<AnalysisRow, "errorGroupId" | "testFailureGroupId">,
    analysis: Pick<AnalysisRow, "uuid" | "userContext" | "createdAtMs">,
  ): Promise<AnalysisRow>;
  find(accountId: number, uuid: string): Promise<AnalysisRow | undefined>;
  /** Completed ones, the latest first. */
  ofGroup(accountId: number, of: Pick<AnalysisRow, "errorGroupId" | "testFailureGroupId">): Promise<readonly AnalysisRow[]>;
  end(uuid: string, status: "COMPLETED" | "FAILED", completed: AnalysisRow["completed"]): Promise<void>;
}
