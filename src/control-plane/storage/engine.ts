import type { Compilable, Expression, Kysely, RawBuilder, SelectQueryBuilder, SqlBool } from "kysely";
import type { WaitClock } from "./installation-clock.ts";
import type { Memory } from "./memory.ts";
import type { Tables, Trx } from "./schema.ts";

/** What PostgreSQL has to know about a column of bulk rows; SQLite ignores it. */
export type BulkType = "int8" | "text" | "float8" | "bytea";
export type BulkColumns = Readonly<Record<string, BulkType>>;
export type BulkValue = number | string | Uint8Array | null;

/** Numbers from the first up to but without the second. */
export type NumberRange = readonly [from: number, to: number];

/** A JSON text to compress; `startedAtUs` finds its partition, and the check its node. */
export interface DetailText {
  readonly id: number;
  readonly checkId: number;
  readonly startedAtUs: number;
  readonly text: string;
}

/** Where the detail of a result is, see `details/detail-packs.ts`. */
export interface PlacedDetail {
  readonly id: number;
  readonly checkId: number;
  readonly pack: number;
}

/** Where the engines differ. Everything else is one set of queries. */
export interface Engine {
  /** `citus`: PostgreSQL with its history spread over several servers. */
  readonly kind: "sqlite" | "postgres" | "citus";
  /** What waits end by. */
  readonly clock: WaitClock;
  /** Of the joint transaction that is open around a call. */
  readonly memory: Memory;
  /** Writes, and reads that must be part of them. */
  readonly db: Kysely<Tables>;
  /** Reads that wait for no write. What a finished write stored is visible here. */
  readonly reads: Kysely<Tables>;
  /** Everything or nothing. May run `work` again when the engine asked it to give way, so `work` has no effects elsewhere. */
  transaction<T>(work: (trx: Trx) => Promise<T>): Promise<T>;
  /** Rows in one statement; `rows` in the order of `columns`. `suffix`: an `on conflict` clause. */
  insertMany(trx: Trx, table: keyof Tables, columns: BulkColumns, rows: readonly (readonly BulkValue[])[], suffix?: string): Promise<void>;
  /** Sets the other columns where the first `keys` columns match. */
  updateMany(trx: Trx, table: keyof Tables, keys: number, columns: BulkColumns, rows: readonly (readonly BulkValue[])[]): Promise<void>;
  /** A statement of a transaction whose answer nobody needs; so do the two above. See `dialects/unawaited.ts`. */
  send(trx: Trx, query: Compilable): Promise<void>;
  /** Reads rows of numbers without an object for each: `each` gets the columns in this order, in an array that is used again. */
  eachNumbers(query: Compilable, columns: readonly string[], each: (row: readonly (number | null)[]) => void): Promise<void>;
  /** `column = any(values)`, as one parameter however many there are. */
  isAny(column: string | Expression<unknown>, values: readonly number[] | readonly string[]): Expression<SqlBool>;
  /**
   * What stands after `from`: of a table the rows `h` whose id lies in one of the ranges, found by the index, beside that range's `r.no`, from 0.
   * One parameter or two, however many ranges there are.
   */
  rowsInRanges(table: string, ranges: readonly NumberRange[]): RawBuilder<unknown>;
  /** Aggregate: the values of a column of bytes, one after another, in the same order for every column of one query. */
  concatenated(column: string): RawBuilder<Uint8Array>;
  /** The JSON object in a column of text without one of its members, as text: what is large stays in the database. */
  jsonWithout(column: string, member: string): RawBuilder<string>;
  /** Rows that another transaction holds are left out. SQLite has one writer. */
  skipLocked<O>(query: SelectQueryBuilder<Tables, keyof Tables, O>): SelectQueryBuilder<Tables, keyof Tables, O>;
  /** Rows that another transaction holds are waited for. Others may begin to refer to them meanwhile, so few wait for each other. */
  lockRows<O>(query: SelectQueryBuilder<Tables, keyof Tables, O>): SelectQueryBuilder<Tables, keyof Tables, O>;
  /** The same, and who begins to refer to them waits, too. */
  lockReferredRows<O>(query: SelectQueryBuilder<Tables, keyof Tables, O>): SelectQueryBuilder<Tables, keyof Tables, O>;
  /** Rows that are about to be referred to: they cannot be deleted any more, and one whose deletion is under way is left out. */
  keepRows<O>(query: SelectQueryBuilder<Tables, keyof Tables, O>): SelectQueryBuilder<Tables, keyof Tables, O>;
  nextSessionNumbers(trx: Trx, count: number): Promise<readonly number[]>;
  /** Makes PostgreSQL's partitions for these instants ahead; a transaction that meets a missing one makes it too. */
  prepareDays(startedAtUs: readonly number[]): Promise<void>;
  insertDetails(trx: Trx, packs: readonly DetailText[]): Promise<void>;
  /** JSON in UTF-8 by result, of results that started in this time. @param trx of who asks within one, for its connection */
  details(results: readonly PlacedDetail[], fromUs: number, toUs: number, trx?: Trx): Promise<ReadonlyMap<number, Buffer>>;
  /**
   * PostgreSQL drops whole days of results, and of what belongs to them, that ended before; SQLite has none and answers 0.
   * @returns days dropped
   */
  dropDaysBefore(before: { readonly resultsUs: number; readonly detailsUs: number }): Promise<number>;
  /** Gives freed pages back to the file system, some at a time. @returns whether there are more */
  compact(): Promise<boolean>;
  close(): Promise<void>;
}
