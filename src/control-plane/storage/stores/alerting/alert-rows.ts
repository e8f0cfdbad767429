import type { Alert } from "#domain/alerting/alert-state.ts";
import type { ScriptEnd } from "#domain/script-failure.ts";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import { messagesOf } from "../error-groups.ts";
import { flag, resultTypes } from "../results/result-rows.ts";
import { type AlertingCheck, nowhere } from "./alerting-checks.ts";
import { writeIncidents } from "./check-incidents.ts";
import { writeEpisodes, writtenColumns } from "./episode-rows.ts";
import { type NewAlert } from "./new-alert.ts";
import { scriptEnds } from "./script-ends.ts";

/** What is told of the run behind an alert. */
export interface RunFacts {
  readonly checkId: number;
  readonly resultId: number;
  readonly runAtMs: number;
  readonly responseTimeMs: number;
  readonly statusCode: number | null;
  /** Of an HTTP answer, where it is known. */
  readonly statusText: string | null;
  /** Null where it is not known, and of what is no script. */
  readonly scriptEnd: ScriptEnd | null;
  readonly errorMessage: string | null;
  readonly errorGroup: number | null;
}

/** Alerts of one statement: engines bound the number of parameters. */
const batchSize = 500;

/** Writes alerts, each of them into the outbox, and the incidents that they open and resolve. @param facts of runs that the caller has at hand */
export async function writeAlerts(engine: Engine, trx: Trx, alerts: readonly NewAlert[], facts: readonly RunFacts[]): Promise<void> {
  if (alerts.length === 0) return;
  const known = new Map(facts.map((one) => [keyOf(one), one]));
  const unknown = alerts.filter(({ check, alert }) => !known.has(keyOf({ checkId: check.id, resultId: alert.resultId })));
  for (const one of await storedFacts(engine, trx, unknown)) known.set(keyOf(one), one);
  const codes = await locationCodes(engine, trx, alerts);
  const rows = alerts.map(({ check, alert }) =>
    rowOf(check, alert, codes.get(alert.locationId) ?? "", known.get(keyOf({ checkId: check.id, resultId: alert.resultId }))),
  );
  const hosts = new Map(alerts.map(({ check }) => [check.id, check.host]));
  for (let from = 0; from < rows.length; from += batchSize) {
    const written = await trx
      .insertInto("check_alerts")
      .values(rows.slice(from, from + batchSize))
      .returning(writtenColumns)
      .execute();
    await writeEpisodes(engine, trx, written, hosts);
    await engine.insertMany(
      trx,
      "alert_outbox",
      { alert_id: "int8", account_id: "int8", check_id: "int8", created_at: "int8" },
      written.map((row) => [row.id, row.account_id, row.check_id, row.created_at]),
    );
  }
  await writeIncidents(engine, trx, alerts);
}

function keyOf({ checkId, resultId }: Pick<RunFacts, "checkId" | "resultId">): string {
  return `${checkId} ${resultId}`;
}

function rowOf(check: AlertingCheck, alert: Alert, code: string, run: RunFacts | undefined) {
  return {
    account_id: check.accountId,
    check_id: check.id,
    name: check.name,
    alert_type: alert.type,
    check_type: check.type,
    run_location: code,
    started_at: Math.floor(alert.startedAtMs),
    created_at: alert.atMs,
    failing_since: Math.floor(alert.sinceMs),
    failed_runs: alert.failedRuns,
    reminder: alert.reminder,
    ...(run === undefined ? noRun : runOf(run, alert)),
  };
}

/** Its results may be gone, and a heartbeat has none. */
const noRun = {
  response_time: 0,
  error: null,
  status_code: null,
  status_text: null,
  failed_step: null,
  has_screenshot: 0,
  result_id: null,
  result_run_at: null,
  error_group: null,
};

function runOf(run: RunFacts, { locationId, type }: Alert) {
  const hasResult = locationId !== nowhere;
  // A run that recovered may hold the errors of tests that passed on a retry: nothing failed that is worth a word.
  const end = type === "ALERT_RECOVERY" || type === "ALERT_DEGRADED_RECOVERY" ? null : run.scriptEnd;
  return {
    response_time: Math.round(run.responseTimeMs),
    error: run.errorMessage,
    status_code: run.statusCode ? String(run.statusCode) : null,
    status_text: run.statusText,
    failed_step: end?.step ?? null,
    has_screenshot: end?.hasScreenshot === true ? 1 : 0,
    result_id: hasResult ? run.resultId : null,
    result_run_at: hasResult ? run.runAtMs : null,
    error_group: run.errorGroup,
  };
}

/** Of runs that came before: reminders and what time brought about tell of these. */
async function storedFacts(engine: Engine, trx: Trx, alerts: readonly NewAlert[]): Promise<readonly RunFacts[]> {
  const ofRuns = alerts.filter(({ alert }) => alert.locationId !== nowhere);
  if (ofRuns.length === 0) return [];
  const starts = ofRuns.map(({ alert }) => Math.round(alert.startedAtMs * 1_000));
  const rows = await trx
    .selectFrom("results")
    .select(["check_id", "id", "run_at", "rt_us", "status", "error_group", "started_at_us", "detail_pack"])
    .where(engine.isAny("check_id", [...new Set(ofRuns.map(({ check }) => check.id))]))
    .where(engine.isAny("started_at_us", starts))
    .where("started_at_us", ">=", Math.min(...starts))
    .where("started_at_us", "<=", Math.max(...starts))
    .execute();
  const messages = await messagesOf(engine, trx, [...new Set(rows.flatMap((row) => row.error_group ?? []))]);
  const types = new Map(ofRuns.map(({ check }) => [check.id, check.type]));
  const told = new Set(ofRuns.map(({ alert }) => alert.resultId));
  const runs = rows.flatMap(({ id, check_id, started_at_us: startedAtUs, detail_pack: pack }) => {
    const type = types.get(check_id);
    return type === undefined || !told.has(id) ? [] : [{ resultId: id, checkId: check_id, type, startedAtUs, pack }];
  });
  const ends = await scriptEnds(engine, trx, runs);
  return rows.map((row) => ({
    checkId: row.check_id,
    resultId: row.id,
    runAtMs: row.run_at,
    responseTimeMs: row.rt_us / 1_000,
    statusCode: row.status,
    statusText: null,
    scriptEnd: ends.get(row.id) ?? null,
    errorMessage: messages.get(row.error_group ?? 0) ?? null,
    errorGroup: row.error_group,
  }));
}

async function locationCodes(engine: Engine, trx: Trx, alerts: readonly NewAlert[]): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(alerts.map(({ alert }) => alert.locationId))];
  const rows = await trx.selectFrom("locations").select(["id", "code"]).where(engine.isAny("id", ids)).execute();
  return new Map(rows.map((row) => [row.id, row.code]));
}

/** When the newest run started that said something of its target, by check and location; `but` leaves out what this transaction wrote. */
export async function newestRuns(
  engine: Engine,
  trx: Trx,
  checkIds: readonly number[],
  { afterUs, untilUs }: { readonly afterUs: number; readonly untilUs: number },
  but: readonly number[],
): Promise<readonly { readonly checkId: number; readonly locationId: number; readonly startedAtUs: number; readonly resultId: number }[]> {
  const own = new Set(but);
  const rows = await trx
    .selectFrom("results")
    .select(["check_id", "location_id", "started_at_us", "id", "flags"])
    .where(engine.isAny("check_id", checkIds))
    .where("started_at_us", ">=", afterUs)
    // What started later than now did so before the wall clock was set back, and is old.
    .where("started_at_us", "<=", untilUs)
    .where("type", "=", resultTypes.indexOf("FINAL"))
    .orderBy("started_at_us")
    .execute();
  return rows
    .filter((row) => !own.has(row.id) && (row.flags & (flag.cancelled | flag.agentSide)) === 0)
    .map((row) => ({ checkId: row.check_id, locationId: row.location_id, startedAtUs: row.started_at_us, resultId: row.id }));
}
