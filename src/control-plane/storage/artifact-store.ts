import type { ArtifactDeclaration } from "#contract/agent-artifacts.ts";
import type { AgentSessionRow } from "./work-stores.ts";

/* Files of results in the blob store, see `storage.ts`. The bytes themselves are elsewhere; here is what is known of them. */

/** What an agent announced, with the number of its job. */
export interface DeclaredArtifact extends Omit<ArtifactDeclaration, "jobId"> {
  readonly jobNo: number;
}

export interface ArtifactRow extends Pick<ArtifactDeclaration, "name" | "type" | "contentType" | "size" | "sha256"> {
  readonly key: string;
  /** What the blob store called the upload; null before its first byte. */
  readonly ref: string | null;
  readonly createdAtMs: number;
  readonly isStored: boolean;
}

/** A part that came. */
export interface ArtifactPart {
  readonly size: number;
  /** What the blob store wants to know of it. */
  readonly tag: string;
}

/** Above which nothing more may be under way. */
export interface UploadBounds {
  readonly ofLocation: number;
  readonly bytesOfLocation: number;
  readonly bytesOfAccount: number;
  /** Files of one result, also those that came with it. */
  readonly ofResult: number;
}

export interface NewUpload {
  readonly declared: DeclaredArtifact;
  /** Taken where there is none of this name yet. */
  readonly key: string;
  readonly bounds: UploadBounds;
  readonly nowMs: number;
}

export interface ArtifactStore {
  /**
   * The upload of a file; made where there is none.
   *
   * @throws {AppError} conflict: no such result of the agent's location, or another file has the name; rate_limited: bounds
   */
  declare(agent: AgentSessionRow, upload: NewUpload): Promise<ArtifactRow>;
  /** Of the agent's own location. */
  byKey(agent: AgentSessionRow, key: string): Promise<ArtifactRow | undefined>;
  /** Keeps what the blob store calls the upload; the first one stays. @returns what is kept, or undefined when the upload is gone */
  begun(key: string, ref: string): Promise<string | undefined>;
  /** The parts that came, in order from the first, up to the first one that is missing. */
  parts(key: string): Promise<readonly ArtifactPart[]>;
  addPart(key: string, number: number, part: ArtifactPart): Promise<void>;
  /** Its result has the file from now on. @throws {AppError} conflict when the result, or what belongs to it, is gone */
  stored(key: string, nowMs: number): Promise<void>;
  /** Forgets a blob, after the blob store did. */
  forget(key: string): Promise<void>;
  /** Blobs to remove: not stored since before that, or stored and named by no result any more. Oldest first. */
  leftBehind(beforeMs: number, limit: number): Promise<readonly ArtifactRow[]>;
}
