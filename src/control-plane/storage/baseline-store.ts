import type { JobRefRow } from "./work-stores.ts";

/* Pictures that screenshots of browser checks are compared with, see `storage.ts`. */

/** A picture by the browser's major version, and the path that Playwright gave it. */
export interface BaselineName {
  readonly browser: number;
  readonly name: string;
}

/** One that is kept; it never changes, but another one may take its place. */
export interface KeptBaseline extends BaselineName {
  /** Epoch milliseconds. */
  readonly writtenAt: number;
}

/** Of the check of a job that the agent holds by this very lease. */
export interface BaselineAccess {
  readonly agentSession: number;
  readonly job: JobRefRow;
}

/** Of all pictures of a check together. */
export interface BaselineRoom {
  readonly pictures: number;
  readonly bytes: number;
}

/** What a job's screenshots are compared with. */
export interface BaselineList {
  /** Those of code under `browserOfCode`. */
  readonly baselines: readonly KeptBaseline[];
  /** Code has its pictures beside the script, or is to get them from this run. */
  readonly isCodeNamed: boolean;
}

export interface BaselineStore {
  /** @throws {AppError} conflict: the agent does not hold the job */
  list(of: BaselineAccess): Promise<BaselineList>;
  /** @throws {AppError} conflict: the agent does not hold the job; not_found */
  read(of: BaselineAccess, name: BaselineName): Promise<Uint8Array>;
  /**
   * Keeps a picture where there is none of its name: only a user's word replaces one. Of a test session none is kept, unless its client asked for them: they are then
   * pictures of code.
   *
   * @throws {AppError} conflict: the agent does not hold the job; too_large
   */
  keep(of: BaselineAccess, picture: BaselineName & { readonly body: Uint8Array }, most: BaselineRoom, nowMs: number): Promise<void>;
  /** So that the next run takes new ones. */
  forget(checkIds: readonly number[]): Promise<void>;
}
