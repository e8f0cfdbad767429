import type { Readable } from "node:stream";

/** A blob on its way in. */
export interface BlobUpload {
  readonly key: string;
  /** What `begin` answered. */
  readonly ref: string;
}

/** Parts come in order; all but the last have the same size. */
export interface BlobPart {
  /** From 0. */
  readonly number: number;
  readonly offset: number;
  readonly size: number;
}

/**
 * Keeps large files under keys: letters and digits, made by us. A blob is there whole or not at all; its parts may come from several
 * processes and after restarts. Everything here throws AppError unavailable where the store cannot do it now.
 */
export interface BlobStore {
  /** Begins to take a blob. @returns what the store wants to know again with each part */
  begin(key: string): Promise<string>;
  /**
   * Takes exactly `part.size` bytes; what comes again replaces what came before. Every chunk but the last is large (256 KB or more), and is done with
   * when the next one is asked for.
   *
   * @returns what `complete` needs of this part
   */
  putPart(upload: BlobUpload, part: BlobPart, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string>;
  /** Makes the blob readable and durable. Doing it again does no harm. @param tags of all parts, in order */
  complete(upload: BlobUpload, tags: readonly string[], size: number): Promise<void>;
  /** The bytes from `start` up to but without `end`. @throws {AppError} not_found */
  open(key: string, start: number, end: number): Promise<Readable>;
  /** Removes a blob, or what is there of its upload; nothing where there is nothing. */
  remove(upload: BlobUpload): Promise<void>;
}
