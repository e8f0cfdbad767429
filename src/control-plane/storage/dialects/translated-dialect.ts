import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from "kysely";
import { isUnawaited } from "./unawaited.ts";

/** The same dialect, with every error passed through `translate` first. */
export function translatedDialect(dialect: Dialect, translate: (error: unknown) => unknown): Dialect {
  return {
    createDriver: () => translatedDriver(dialect.createDriver(), translate),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}

function translatedDriver(driver: Driver, translate: (error: unknown) => unknown): Driver {
  const guard: Guard = async (work, connection) => {
    try {
      return await work;
    } catch (error) {
      throw translate(connection?.failure ?? error);
    }
  };
  return {
    init: (options) => guard(driver.init(options)),
    acquireConnection: async (options) => new TranslatedConnection(await guard(driver.acquireConnection(options)), guard),
    async beginTransaction(connection, settings) {
      if (!(connection instanceof TranslatedConnection)) return guard(driver.beginTransaction(connection, settings));
      connection.begin();
      connection.sendAlong(driver.beginTransaction(connection.inner, settings));
    },
    async commitTransaction(connection) {
      if (!(connection instanceof TranslatedConnection)) return guard(driver.commitTransaction(connection));
      await guard(driver.commitTransaction(connection.inner), connection);
      connection.end();
    },
    async rollbackTransaction(connection) {
      if (!(connection instanceof TranslatedConnection)) return guard(driver.rollbackTransaction(connection));
      connection.end();
      await guard(driver.rollbackTransaction(connection.inner));
    },
    releaseConnection: (connection, options) =>
      guard(driver.releaseConnection(connection instanceof TranslatedConnection ? connection.inner : connection, options)),
    destroy: (options) => guard(driver.destroy(options)),
  };
}

/** @param connection whose statements before may have failed, unseen */
type Guard = <T>(work: Promise<T>, connection?: TranslatedConnection) => Promise<T>;

class TranslatedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #guard: Guard;
  #inTransaction = false;
  /** Of a statement that nobody waited for: what PostgreSQL says of those after it only is that the transaction is aborted. */
  failure: unknown;

  constructor(inner: DatabaseConnection, guard: Guard) {
    this.inner = inner;
    this.#guard = guard;
  }

  begin(): void {
    this.#inTransaction = true;
    this.failure = undefined;
  }

  end(): void {
    this.#inTransaction = false;
    this.failure = undefined;
  }

  /** Its failure is that of the statement after it: they are answered in order. */
  sendAlong(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.failure ??= error;
    });
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const work = this.inner.executeQuery<R>(query);
    if (!this.#inTransaction || !isUnawaited(query)) return this.#guard(work, this);
    this.sendAlong(work);
    return { rows: [] };
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.inner.streamQuery<R>(query, chunkSize);
  }
}
