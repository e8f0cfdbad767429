import type { SQLInputValue } from "node:sqlite";
import type { PlacedDetail } from "../engine.ts";
import type { PackedRows } from "./packed-rows.ts";

/** One statement for a SQLite thread. With `rows` it runs once per row, and only the number of changes comes back. */
export interface SqliteRequest {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
  readonly rows?: PackedRows;
  /** No reply: its failure is that of all that come after it, until `rollback`. */
  readonly isUnawaited?: true;
  /** The statement reads packs of details: number, dictionary, body. What comes back is the number of each of these results and its bytes. */
  readonly details?: readonly PlacedDetail[];
}

export interface SqliteReply {
  readonly id: number;
  /** Names once, then values by position: half the cost of objects on their way between threads. */
  readonly names?: readonly string[];
  readonly rows?: readonly (readonly unknown[])[];
  /** Instead of `rows`, where there are many and all are numbers and bytes, and for details. */
  readonly numbers?: PackedRows;
  readonly changes: number;
  readonly error?: undefined | { readonly message: string; readonly errcode: number | undefined };
}

export interface SqliteThreadOptions {
  readonly path: string;
  /** The lists' thread: opens the file read-only. */
  readonly readOnly: boolean;
}
