import type { SQLInputValue } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { eachRow, type PackedRows } from "./packed-rows.ts";
import type { SqliteReply } from "./sqlite-messages.ts";
import type { SqliteThread } from "./sqlite-thread.ts";
import { isUnawaited, unawaited } from "./unawaited.ts";

/** Parameters for a statement that runs once per row: pass one `BulkRows` as the only parameter of a raw query. */
export class BulkRows {
  readonly rows: PackedRows;
  constructor(rows: PackedRows) {
    this.rows = rows;
  }
}

/**
 * Kysely on Node's own SQLite in another thread. `exclusive`: one holder of the connection at a time, so that nothing runs inside
 * somebody else's transaction; the lists' thread has no transactions and needs no turns.
 */
export function nodeSqliteDialect(thread: SqliteThread, exclusive: boolean): Dialect {
  return {
    createDriver: () => new NodeSqliteDriver(thread, exclusive),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

class NodeSqliteDriver implements Driver {
  readonly #connection: NodeSqliteConnection;
  readonly #exclusive: boolean;
  #turn: Promise<void> = Promise.resolve();
  #endTurn: () => void = () => undefined;

  constructor(thread: SqliteThread, exclusive: boolean) {
    this.#exclusive = exclusive;
    this.#connection = new NodeSqliteConnection(thread);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (!this.#exclusive) return this.#connection;
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    await before;
    this.#endTurn = resolve;
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    this.#connection.inTransaction = true;
    await this.#connection.executeQuery(unawaited(CompiledQuery.raw("begin immediate")));
  }

  async commitTransaction(): Promise<void> {
    await this.#connection.executeQuery(CompiledQuery.raw("commit"));
    this.#connection.inTransaction = false;
  }

  async rollbackTransaction(): Promise<void> {
    this.#connection.inTransaction = false;
    await this.#connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async releaseConnection(): Promise<void> {
    if (this.#exclusive) this.#endTurn();
  }

  /** Waits for whoever is in line. The thread belongs to who made it. */
  async destroy(): Promise<void> {
    await this.#turn;
  }
}

class NodeSqliteConnection implements DatabaseConnection {
  readonly #thread: SqliteThread;
  /** Somebody has one; only then may a statement wait for the next one. */
  inTransaction = false;

  constructor(thread: SqliteThread) {
    this.#thread = thread;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const [only] = query.parameters;
    const [parameters, more] = only instanceof BulkRows ? [[], only] : [query.parameters as readonly SQLInputValue[], {}];
    if (this.inTransaction && isUnawaited(query)) {
      this.#thread.runWithNext(query.sql, parameters, more);
      return { rows: [] };
    }
    const reply = await this.#thread.run(query.sql, parameters, more);
    return { rows: rowsOf(reply) as R[], numAffectedRows: BigInt(reply.changes) };
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error("lists are paged, never streamed");
  }
}

function rowsOf({ names = [], rows = [], numbers }: SqliteReply): readonly Record<string, unknown>[] {
  const rowOf = (values: readonly unknown[]): Record<string, unknown> => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index += 1) row[names[index] ?? ""] = values[index];
    return row;
  };
  if (numbers === undefined) return rows.map(rowOf);
  const all: Record<string, unknown>[] = [];
  eachRow(numbers, (values) => all.push(rowOf(values)));
  return all;
}
