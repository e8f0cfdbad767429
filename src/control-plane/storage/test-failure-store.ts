import type { Page } from "./page.ts";

/* Failures of test sessions for one reason. */

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
