import { AppError, hasCode } from "#domain/app-error.ts";
import type { ControlPlaneConfig } from "../config.ts";
import { openingProblem } from "../storage/dialects/opening-problem.ts";
import { examinePostgres, examineSqlite, type StoreExamination } from "../storage/examine-store.ts";
import type { Examined, Finding } from "./finding.ts";

const about = "database";
const oldestServer = 15;

/** The findings, and the store where all else can be held against it; null where it cannot be read. */
export interface ExaminedDatabase extends Examined {
  readonly store: StoreExamination | null;
  /** Nothing was made yet. */
  readonly isNew: boolean;
}

/** Whether the database answers, is whole, has the schema of this program and can be written. */
export async function examineDatabase({ databaseUrl, dataDir }: ControlPlaneConfig): Promise<ExaminedDatabase> {
  try {
    return databaseUrl === null ? await sqlite(dataDir) : await postgres(databaseUrl.reveal());
  } catch (error) {
    const text = databaseUrl === null ? unreadable(error, dataDir) : serverProblem(error, databaseUrl.reveal());
    if (text === null) throw error;
    return unusable({ about, verdict: "fail", text, next: "nothing else of the store could be examined; put this right first" });
  }
}

async function sqlite(dataDir: string): Promise<ExaminedDatabase> {
  const found = await examineSqlite(dataDir, Date.now);
  if (found === null) {
    const text = `there is no SQLite file in ${dataDir} yet; the first start makes it`;
    return { findings: [{ about, verdict: "ok", text }], store: null, isNew: true };
  }
  if ("damage" in found)
    return unusable({ about, verdict: "fail", text: found.damage, next: "docs/operations/upgrade.md says how to restore" });
  const whole = found.isWhole ? "whole" : "not read through, as it is larger than 4 GB";
  return judged(found, `the SQLite file in ${dataDir} is ${whole}`, null);
}

async function postgres(databaseUrl: string): Promise<ExaminedDatabase> {
  if (!/^postgres(ql)?:\/\//.test(databaseUrl) || URL.parse(databaseUrl) === null) {
    const next = "special characters of user and password are percent-encoded: @ is %40, / is %2F";
    return unusable({ about, verdict: "fail", text: "DATABASE_URL is no postgres:// URL", next });
  }
  const found = await examinePostgres(databaseUrl, Date.now);
  return judged(found, `PostgreSQL ${found.server ?? ""} answers`, databaseUrl);
}

function judged(store: StoreExamination, answers: string, databaseUrl: string | null): ExaminedDatabase {
  const clocks = store.aheadMs === null ? [] : [{ whose: "the database's", aheadMs: store.aheadMs }];
  return { findings: [verdictOf(store, answers, databaseUrl)], clocks, store, isNew: store.schema === 0 };
}

function verdictOf({ server, schema, neededSchema, writeFailure }: StoreExamination, answers: string, databaseUrl: string | null): Finding {
  if (server !== null && Number.parseInt(server, 10) < oldestServer)
    return { about, verdict: "fail", text: `${answers}, which is too old`, next: `upgrade it to PostgreSQL ${oldestServer} or newer` };
  if (schema > neededSchema) {
    const text = `its schema has version ${schema}, and this Outpost knows only ${neededSchema}`;
    return { about, verdict: "fail", text, next: "start the newer Outpost that made it, or restore a backup" };
  }
  if (schema === 0) return { about, verdict: "ok", text: `${answers}; it is empty, and the first start makes the tables` };
  if (schema < neededSchema) {
    const text = `${answers}, with schema version ${schema}; this Outpost needs ${neededSchema}`;
    return { about, verdict: "warn", text, next: "back it up; then outpost migrate, or the next start, brings it up to date" };
  }
  if (writeFailure === null) return { about, verdict: "ok", text: `${answers}, has schema version ${schema} and can be written` };
  const problem = (databaseUrl === null ? null : openingProblem(writeFailure, databaseUrl)) ?? writeFailure.message;
  const next =
    databaseUrl === null ? "give the file to the control plane's user" : "grant this user all rights on the tables of its schema";
  return { about, verdict: "fail", text: `${answers}, but cannot be written: ${problem}`, next };
}

function unusable(finding: Finding): ExaminedDatabase {
  return { findings: [finding], store: null, isNew: false };
}

function unreadable(error: unknown, dataDir: string): string | null {
  return error instanceof AppError ? `the SQLite file in ${dataDir} cannot be used: ${error.message}` : null;
}

function serverProblem(error: unknown, databaseUrl: string): string | null {
  return (
    openingProblem(error, databaseUrl) ??
    (hasCode(error, "unavailable") ? `the database cannot be used: ${(error as Error).message}` : null)
  );
}
