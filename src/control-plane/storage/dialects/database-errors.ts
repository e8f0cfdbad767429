import { AppError } from "#domain/app-error.ts";

/** Primary SQLite result codes (sqlite.org/rescode.html). */
const sqliteConstraint = 19;
const sqliteFull = 13;
const sqliteUnavailable: Readonly<Record<number, string>> = {
  5: "is locked by another program",
  6: "is locked by another program",
  8: "cannot be written",
  10: "cannot be read or written",
  13: "has no space left on its disk",
  11: "is damaged",
  14: "cannot be opened",
  26: "is no SQLite file",
};
/** SQLITE_IOERR_SHMSIZE: its shared memory could not be made as large as it has to be. */
const noRoomForMemory = 4_874;
const uniqueViolations = new Set([1555, 2067, 2579]);

/** What a SQLite error means to callers: `unavailable` to try again, `conflict` for a taken key; anything else is a bug. */
export function sqliteError(message: string, errcode: number | undefined): Error {
  const primary = (errcode ?? 0) & 0xff;
  const cause = Object.assign(new Error(message), { errcode });
  const because = sqliteUnavailable[errcode === noRoomForMemory ? sqliteFull : primary];
  if (because) return new AppError("unavailable", `the database ${because}`, { cause });
  if (primary === sqliteConstraint && (uniqueViolations.has(errcode ?? 0) || message.includes("FOREIGN KEY"))) return conflict(cause);
  return cause;
}

/** What SQLite says of a file whose content it refuses (SQLITE_CORRUPT, SQLITE_NOTADB); null for any other error. */
export function damageToldBy(error: unknown): string | null {
  if (!(error instanceof AppError) || !(error.cause instanceof Error) || !("errcode" in error.cause)) return null;
  return [11, 26].includes(Number(error.cause.errcode) & 0xff) ? error.cause.message : null;
}

/** Whether the disk was full, of a system's error as of SQLite's. */
export function isFullDisk(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  if (!(cause instanceof Error)) return false;
  if ("code" in cause && (cause.code === "ENOSPC" || cause.code === "EDQUOT")) return true;
  const errcode = "errcode" in cause ? Number(cause.errcode) : 0;
  return errcode === noRoomForMemory || (errcode & 0xff) === sqliteFull;
}

/** PostgreSQL's classes (appendix A of its manual) and Node's socket errors that a later try may not meet. */
const postgresUnavailable = /^(08|53|57|58030|55P03|40|25006|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOST|EAI_)/;
/** What lasts until somebody does something. */
const operatorsProblems: Readonly<Record<string, string>> = {
  "25006": "is read-only: it is not the primary server, or was told so",
  "53100": "has no space left on its disk",
  "53300": "has no connection left: raise its max_connections",
};
const lostConnection =
  /connection (terminated|ended|timeout|timed out)|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/i;

/** The same for PostgreSQL. */
export function postgresError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "23505" || code === "23503") return conflict(error);
  if (postgresUnavailable.test(code) || lostConnection.test(error.message) || isLostWorker(error)) {
    return new AppError("unavailable", `the database ${operatorsProblems[code] ?? "cannot answer now"}`, { cause: error });
  }
  return error;
}

/** A worker that is lost in the middle of a transaction has no code of its own; Citus says where it noticed. */
function isLostWorker(error: Error): boolean {
  return "routine" in error && error.routine === "MarkRemoteTransactionFailed";
}

/** Whether the engine chose this transaction to give way: deadlock or serialization failure. It may be tried again at once. */
export function gaveWay(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof Error && "code" in cause && (cause.code === "40P01" || cause.code === "40001");
}

/** The partition key of a row that found no partition. What Citus copies to a worker fails there, and loses its code on the way here. */
export function missingPartition(error: unknown): number | undefined {
  const cause = error instanceof AppError ? error.cause : error;
  if (!(cause instanceof Error && "code" in cause && "detail" in cause && ["23514", "XX000"].includes(String(cause.code))))
    return undefined;
  const key = /started_at_us\) = \((\d+)\)/.exec(String(cause.detail))?.[1];
  return key === undefined ? undefined : Number(key);
}

function conflict(cause: Error): AppError {
  return new AppError("conflict", "it exists already or is still in use", { cause });
}
