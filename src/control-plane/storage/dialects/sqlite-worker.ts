import { DatabaseSync, type StatementSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { packText, unpackText } from "../details/compression.ts";
import { detailsIn } from "../details/detail-packs.ts";
import type { PlacedDetail } from "../engine.ts";
import { eachRow, memoryOf, type PackedRows, packPlain, packRows } from "./packed-rows.ts";
import type { SqliteReply, SqliteRequest, SqliteThreadOptions } from "./sqlite-messages.ts";

/*
 * The thread that holds a SQLite connection. It imports only relative files, so that it starts without the `source` condition.
 *
 * `synchronous = normal`: a commit is in the operating system's hands, so SIGKILL of the process loses nothing. That a power cut takes
 * none back is the work of `sqlite-log.ts`, which syncs for many at once and outside this thread.
 */
const writerPragmas = [
  "busy_timeout = 5000",
  "page_size = 8192",
  "auto_vacuum = incremental",
  "journal_mode = wal",
  "synchronous = normal",
  "wal_autocheckpoint = 4000",
  "cache_size = -24576",
  "foreign_keys = on",
  "temp_store = memory",
];
const readerPragmas = ["busy_timeout = 5000", "cache_size = -24576", "temp_store = memory"];
const keptStatements = 500;
/** From so many rows on it is looked whether they are all numbers and bytes. */
const manyRows = 50;

interface Prepared {
  readonly statement: StatementSync;
  /** Of its columns; none when it returns no rows. */
  readonly names: readonly string[];
}

function start(): void {
  const { path, readOnly } = workerData as SqliteThreadOptions;
  const db = new DatabaseSync(path, { readOnly });
  for (const pragma of readOnly ? readerPragmas : writerPragmas) db.exec(`pragma ${pragma}`);
  const dictionary = dictionaries(db);
  db.function("packed", { deterministic: true }, (text, id) => packText(String(text), dictionary(Number(id))));
  const connection: Connection = { db, statements: new Map(), dictionary, failure: undefined };
  parentPort?.on("message", (requests: readonly SqliteRequest[] | "close") => {
    if (requests !== "close") return send(requests.flatMap((request) => answer(connection, request) ?? []));
    db.close();
    parentPort?.close();
  });
}

function send(replies: readonly SqliteReply[]): void {
  parentPort?.postMessage(
    replies,
    replies.flatMap(({ numbers }) => (numbers ? memoryOf(numbers) : [])),
  );
}

interface Connection {
  readonly db: DatabaseSync;
  readonly statements: Map<string, Prepared>;
  readonly dictionary: (id: number) => Uint8Array;
  /** Of a statement that nobody waits for: its transaction cannot go on. */
  failure: SqliteReply["error"];
}

/** Dictionaries of details by their number in the table, each read once. */
function dictionaries(db: DatabaseSync): (id: number) => Uint8Array {
  const bodies = new Map<number, Uint8Array>();
  return (id) => {
    const known = bodies.get(id);
    if (known) return known;
    const body = db.prepare("select body from dictionaries where id = ?").get(id)?.["body"] as Uint8Array;
    bodies.set(id, body);
    return body;
  };
}

/** Nothing of a statement that nobody waits for. */
function answer(connection: Connection, request: SqliteRequest): SqliteReply | undefined {
  if (request.sql === "rollback") connection.failure = undefined;
  const reply = connection.failure === undefined ? ran(connection, request) : failed(request, connection.failure);
  if (request.isUnawaited !== true) return reply;
  connection.failure = reply.error;
  return undefined;
}

function failed({ id }: SqliteRequest, error: SqliteReply["error"]): SqliteReply {
  return { id, changes: 0, error };
}

function ran({ db, statements, dictionary }: Connection, request: SqliteRequest): SqliteReply {
  try {
    // After a full disk SQLite may have rolled back by itself.
    if (request.sql === "rollback" && !db.isTransaction) return { id: request.id, changes: 0 };
    const { statement, names } = prepared(db, statements, request.sql);
    if (request.rows) return { id: request.id, changes: runAll(statement, request.rows) };
    if (names.length > 0) {
      // `setReturnArrays` makes them arrays, which the type of `all` does not know.
      const rows = statement.all(...request.parameters) as unknown as readonly unknown[][];
      if (request.details) {
        const packs = rows as unknown as readonly PackRow[];
        return { id: request.id, names, numbers: unpacked(packs, request.details, dictionary), changes: packs.length };
      }
      const numbers = rows.length < manyRows ? undefined : packPlain(rows);
      return { id: request.id, names, ...(numbers ? { numbers } : { rows }), changes: rows.length };
    }
    // Each page is a step of this pragma, though it has no columns: `run` ends after the first.
    if (request.sql.startsWith("pragma incremental_vacuum")) return { id: request.id, changes: statement.all().length };
    return { id: request.id, changes: Number(statement.run(...request.parameters).changes) };
  } catch (error) {
    return failed(request, { message: String((error as Error).message), errcode: (error as { errcode?: number }).errcode });
  }
}

type PackRow = readonly [id: number, dictionary: number, body: Uint8Array];

/** The details of these results; a pack that has several of them is unpacked once. */
function unpacked(packs: readonly PackRow[], wanted: readonly PlacedDetail[], dictionary: (id: number) => Uint8Array): PackedRows {
  const texts = new Map(packs.map(([pack, dictionaryId, body]) => [pack, unpackText(body, dictionary(dictionaryId))]));
  return packRows([...detailsIn(texts, wanted)], { textColumns: [], byteColumns: [1] });
}

function runAll(statement: StatementSync, rows: PackedRows): number {
  let changes = 0;
  eachRow(rows, (row) => {
    changes += Number(statement.run(...row).changes);
  });
  return changes;
}

function prepared(db: DatabaseSync, statements: Map<string, Prepared>, sql: string): Prepared {
  const known = statements.get(sql);
  if (known) return known;
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  const fresh = { statement, names: statement.columns().map((column) => column.name) };
  const oldest = statements.keys().next();
  if (statements.size >= keptStatements && !oldest.done) statements.delete(oldest.value);
  statements.set(sql, fresh);
  return fresh;
}

start();
