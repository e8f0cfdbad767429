import { describe, expect, it } from "vitest";
import { AppError } from "#domain/app-error.ts";
import { gaveWay, missingPartition, postgresError, sqliteError } from "../../../src/control-plane/storage/dialects/database-errors.ts";

const withCode = (code: string, message = "x", detail?: string) => Object.assign(new Error(message), { code, detail });
const codeOf = (error: unknown) => (error instanceof AppError ? error.code : "a bug");

describe("errors of the engines", () => {
  it.each([
    [5, "database is locked", "unavailable"],
    [261, "busy recovery", "unavailable"],
    [13, "disk is full", "unavailable"],
    [10, "disk I/O error", "unavailable"],
    [778, "ioerr write", "unavailable"],
    [14, "cannot open", "unavailable"],
    [26, "file is not a database", "unavailable"],
    [11, "malformed", "unavailable"],
    [2067, "UNIQUE constraint failed: x", "conflict"],
    [1555, "UNIQUE constraint failed: x", "conflict"],
    [787, "FOREIGN KEY constraint failed", "conflict"],
    [1299, "NOT NULL constraint failed", "a bug"],
    [1, "no such table", "a bug"],
    [undefined, "?", "a bug"],
  ] as const)("SQLite's %s (%s) is %s", (errcode, message, expected) => {
    expect(codeOf(sqliteError(message, errcode))).toBe(expected);
  });

  it.each([
    ["23505", "unique", "conflict"],
    ["23503", "foreign key", "conflict"],
    ["08006", "connection failure", "unavailable"],
    ["57P01", "shutdown", "unavailable"],
    ["53100", "disk full", "unavailable"],
    ["25006", "read only", "unavailable"],
    ["40P01", "deadlock", "unavailable"],
    ["55P03", "lock timeout", "unavailable"],
    ["ECONNREFUSED", "connect", "unavailable"],
    ["EAI_AGAIN", "resolve", "unavailable"],
    ["", "Connection terminated unexpectedly", "unavailable"],
    ["", "timeout exceeded when trying to connect", "unavailable"],
    ["42P01", "no such table", "a bug"],
    ["23502", "not null", "a bug"],
  ])("PostgreSQL's %s (%s) is %s", (code, message, expected) => {
    expect(codeOf(postgresError(withCode(code, message)))).toBe(expected);
  });

  it("says what only operators can change", () => {
    expect((postgresError(withCode("25006")) as Error).message).toBe(
      "the database is read-only: it is not the primary server, or was told so",
    );
    expect((postgresError(withCode("08006")) as Error).message).toBe("the database cannot answer now");
  });

  it("knows what may be tried again at once", () => {
    expect(gaveWay(postgresError(withCode("40P01")))).toBe(true);
    expect(gaveWay(postgresError(withCode("40001")))).toBe(true);
    expect(gaveWay(postgresError(withCode("57P01")))).toBe(false);
    expect(gaveWay(undefined)).toBe(false);
  });

  it("reads the instant that has no partition", () => {
    expect(
      missingPartition(
        withCode("23514", "no partition", "Partition key of the failing row contains (started_at_us) = (1795000000000001)."),
      ),
    ).toBe(1_795_000_000_000_001);
    expect(missingPartition(withCode("23514", "check constraint"))).toBeUndefined();
    expect(missingPartition(new Error("x"))).toBeUndefined();
  });
});
