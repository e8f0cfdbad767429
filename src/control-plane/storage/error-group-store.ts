import type { Page } from "./page.ts";

/** Failures of one check for one reason. */
export interface ErrorGroupRow {
  readonly id: number;
  readonly checkUuid: string;
  /** Of the cleaned message, see `domain/error-message`. */
  readonly hash: string;
  readonly cleanedMessage: string;
  /** Of the latest result. */
  readonly rawMessage: string;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  readonly archived: boolean;
}

/** Groups are written with the results that fail (`ResultStore.ingest`) and removed with them (`ResultStore.prune`). */
export interface ErrorGroupStore {
  /** Last seen first; of one check or of all. */
  list(accountId: number, filter: { checkId?: number; page: number; limit: number }): Promise<Page<ErrorGroupRow>>;
  byId(accountId: number, id: number): Promise<ErrorGroupRow | undefined>;
  /** `untilNextEvent` false ends an archive of either kind. What is undefined stays. */
  archive(
    accountId: number,
    id: number,
    change: { untilNextEvent?: boolean | undefined; forEver?: boolean | undefined; nowMs: number },
  ): Promise<ErrorGroupRow | undefined>;
}
