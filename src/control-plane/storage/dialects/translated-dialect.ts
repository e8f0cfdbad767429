import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from "kysely";

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
  const inner = (connection: DatabaseConnection): DatabaseConnection =>
    connection instanceof TranslatedConnection ? connection.inner : connection;
  const guard = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw translate(error);
    }
  };
  return {
    init: (options) => guard(driver.init(options)),
    acquireConnection: async (options) => new TranslatedConnection(await guard(driver.acquireConnection(options)), guard),
    beginTransaction: (connection, settings) => guard(driver.beginTransaction(inner(connection), settings)),
    commitTransaction: (connection) => guard(driver.commitTransaction(inner(connection))),
    rollbackTransaction: (connection) => guard(driver.rollbackTransaction(inner(connection))),
    releaseConnection: (connection, options) => guard(driver.releaseConnection(inner(connection), options)),
    destroy: (options) => guard(driver.destroy(options)),
  };
}

class TranslatedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #guard: <T>(work: Promise<T>) => Promise<T>;

  constructor(inner: DatabaseConnection, guard: <T>(work: Promise<T>) => Promise<T>) {
    this.inner = inner;
    this.#guard = guard;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#guard(this.inner.executeQuery<R>(query));
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.inner.streamQuery<R>(query, chunkSize);
  }
}
