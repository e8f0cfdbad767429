import type { BaselineAccess } from "./baseline-store.ts";

/* Projects of tests, see `storage.ts`. Their bytes are in the blob store; here is what is known of them. */

/** What was found in a bundle that came whole. */
export interface BundleFacts {
  readonly sha256: string;
  readonly size: number;
  readonly files: number;
  readonly unpackedSize: number;
}

export interface CodeBundleRow extends BundleFacts {
  /** In the blob store. */
  readonly key: string;
  readonly storedAtMs: number;
  readonly usedAtMs: number;
}

/** One to remove from the blob store. */
export interface LeftBundle {
  readonly key: string;
  /** What the blob store called the upload; empty before its first byte. */
  readonly ref: string;
}

/** Of all bundles of an account together, those under way included. */
export interface BundleRoom {
  readonly bundles: number;
  readonly bytes: number;
  readonly underWay: number;
}

export interface CodeBundleStore {
  /** One is about to come. @throws {AppError} conflict: no room; rate_limited: too many are under way */
  begin(accountId: number, key: string, most: BundleRoom, nowMs: number): Promise<void>;
  /** What the blob store calls the upload. */
  begun(key: string, ref: string): Promise<void>;
  /** It is whole. @throws {AppError} conflict: its account is gone meanwhile */
  stored(key: string, facts: BundleFacts, nowMs: number): Promise<void>;
  /** The one with these bytes that is whole, and from now on used at `nowMs`. */
  find(accountId: number, sha256: string, nowMs: number): Promise<CodeBundleRow | undefined>;
  /** The same, for the agent that runs a check of the bundle's account. @throws {AppError} conflict: the agent does not hold the job */
  findFor(of: BaselineAccess, sha256: string, nowMs: number): Promise<CodeBundleRow | undefined>;
  list(
    accountId: number,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ items: readonly CodeBundleRow[]; total: number }>;
  /**
   * Bundles to remove: not whole since before `openSinceMs`, or whole, not used since `unusedSinceMs` and named by no check. Nobody finds them any
   * more once they are told here.
   */
  leftBehind(
    bounds: { readonly openSinceMs: number; readonly unusedSinceMs: number; readonly nowMs: number },
    limit: number,
  ): Promise<readonly LeftBundle[]>;
  /** Forgets one, after the blob store did. */
  forget(key: string): Promise<void>;
}
