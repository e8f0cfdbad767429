import { crossedThreshold, greatestThreshold, type SeenCertificate } from "#domain/alerting/seen-certificate.ts";
import { heldUntilMs } from "#domain/maintenance-effects.ts";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import type { RunFacts } from "./alert-rows.ts";
import { type AlertingCheck, alertingChecks } from "./alerting-checks.ts";
import { keptChannels, subscribers } from "./subscribers.ts";

/** A run that ended, with the certificate that it was shown. */
export interface CertifiedRun extends Omit<RunFacts, "errorGroup" | "errorMessage"> {
  readonly certificate: SeenCertificate;
  readonly locationId: number;
  readonly startedAtMs: number;
}

/** One channel that is to hear of one certificate. */
interface Notice {
  readonly run: CertifiedRun;
  readonly channelId: number;
  readonly threshold: number;
}

interface HeardNotice extends Notice {
  readonly check: AlertingCheck;
}

/** Rows of one statement: engines bound the number of parameters. */
const batchSize = 500;

/**
 * Alerts of certificates that expire, in the transaction that stores the runs: one for each channel, certificate and threshold, however many
 * checks see it. What is muted or silenced is told by the first run after that. Certificates that last cost nothing.
 *
 * @returns how many alerts came of them; whoever commits signals it
 */
export async function writeCertificateNotices(engine: Engine, trx: Trx, runs: readonly CertifiedRun[], nowMs: number): Promise<number> {
  const ending = runs.filter(({ certificate }) => certificate.daysRemaining <= greatestThreshold);
  if (ending.length === 0) return 0;
  const untold = await withoutTold(engine, trx, await wantedNotices(engine, trx, ending), nowMs);
  if (untold.length === 0) return 0;
  const heard = await heardOf(engine, trx, untold, nowMs);
  const channels = await keptChannels(engine, trx, heard);
  const notices = heard.filter(({ channelId }) => channels.has(channelId));
  return notices.length === 0 ? 0 : writeNotices(trx, notices, nowMs);
}

/** Each once, whichever of the checks comes first. */
async function wantedNotices(engine: Engine, trx: Trx, runs: readonly CertifiedRun[]): Promise<readonly Notice[]> {
  const ids = [...new Set(runs.map(({ checkId }) => checkId))];
  const checks = await trx.selectFrom("checks").select(["id as check_id", "group_id"]).where(engine.isAny("id", ids)).execute();
  const groups = new Map(checks.map((check) => [check.check_id, check.group_id]));
  const subscribed = await subscribers(engine, trx, checks);
  const notices = new Map<string, Notice>();
  for (const run of runs)
    for (const [channelId, switches] of subscribed(run.checkId, groups.get(run.checkId) ?? null)) {
      const threshold = crossedThreshold(switches, run.certificate.daysRemaining);
      if (threshold === null) continue;
      const notice = { run, channelId, threshold };
      if (!notices.has(keyOf(notice))) notices.set(keyOf(notice), notice);
    }
  return [...notices.values()];
}

function keyOf({ channelId, threshold, run }: Notice): string {
  return `${channelId} ${threshold} ${run.certificate.fingerprint}`;
}

/** How exactly it is known when a certificate was seen last: it need not be written with every run. */
const seenToMs = 86_400_000;

async function withoutTold(engine: Engine, trx: Trx, notices: readonly Notice[], nowMs: number): Promise<readonly Notice[]> {
  if (notices.length === 0) return notices;
  const rows = await trx
    .selectFrom("certificate_notices")
    .select(["channel_id", "fingerprint", "threshold", "seen_at"])
    .where(engine.isAny("channel_id", [...new Set(notices.map(({ channelId }) => channelId))]))
    .where(engine.isAny("fingerprint", [...new Set(notices.map(({ run }) => run.certificate.fingerprint))]))
    .execute();
  const told = new Set(rows.map((row) => `${row.channel_id} ${row.threshold} ${row.fingerprint}`));
  const faded = rows.filter((row) => row.seen_at <= nowMs - seenToMs).map((row) => row.fingerprint);
  if (faded.length > 0) await noteSeen(engine, trx, [...new Set(faded)], nowMs);
  return notices.filter((notice) => !told.has(keyOf(notice)));
}

/** Whoever holds the rows notes the same. */
async function noteSeen(engine: Engine, trx: Trx, fingerprints: readonly string[], nowMs: number): Promise<void> {
  const seen = trx.selectFrom("certificate_notices").select(["channel_id", "fingerprint", "threshold"]);
  const rows = await engine.skipLocked(seen.where(engine.isAny("fingerprint", fingerprints))).execute();
  await engine.updateMany(
    trx,
    "certificate_notices",
    3,
    { channel_id: "int8", fingerprint: "text", threshold: "int8", seen_at: "int8" },
    rows.map((row) => [row.channel_id, row.fingerprint, row.threshold, nowMs]),
  );
}

/** Of checks that may be told of now. */
async function heardOf(engine: Engine, trx: Trx, notices: readonly Notice[], nowMs: number): Promise<readonly HeardNotice[]> {
  const ids = [...new Set(notices.map(({ run }) => run.checkId))];
  const checks = await alertingChecks(engine, trx, ids, { fromMs: nowMs, toMs: nowMs + 1 });
  return notices.flatMap((notice) => {
    const check = checks.get(notice.run.checkId);
    return check !== undefined && mayBeTold(check, nowMs) ? [{ ...notice, check }] : [];
  });
}

function mayBeTold({ alerting, silences, tags }: AlertingCheck, nowMs: number): boolean {
  return alerting.activated && !alerting.muted && heldUntilMs(silences, tags, nowMs) === null;
}

/** One alert for each check and certificate. Where another process tells a channel at this moment, it is not told again. */
async function writeNotices(trx: Trx, notices: readonly HeardNotice[], nowMs: number): Promise<number> {
  let count = 0;
  for (const [run, ofRun] of Map.groupBy(notices, (notice) => notice.run)) {
    const [first] = ofRun;
    if (first === undefined) continue;
    const alertId = await writeAlert(trx, first, nowMs);
    const isHeard = await claimNotices(trx, ofRun, alertId, nowMs);
    const outbox = { alert_id: alertId, account_id: first.check.accountId, check_id: run.checkId, created_at: nowMs };
    if (isHeard) await trx.insertInto("alert_outbox").values(outbox).execute();
    else await trx.deleteFrom("check_alerts").where("id", "=", alertId).execute();
    count += Number(isHeard);
  }
  return count;
}

/** @returns whether a channel is left that nobody else tells */
async function claimNotices(trx: Trx, notices: readonly Notice[], alertId: number, nowMs: number): Promise<boolean> {
  const rows = notices.map(({ channelId, threshold, run }) => ({
    channel_id: channelId,
    fingerprint: run.certificate.fingerprint,
    threshold,
    alert_id: alertId,
    seen_at: nowMs,
  }));
  let isHeard = false;
  for (let from = 0; from < rows.length; from += batchSize) {
    const insert = trx.insertInto("certificate_notices").values(rows.slice(from, from + batchSize));
    const written = await insert
      .onConflict((conflict) => conflict.doNothing())
      .returning("alert_id")
      .execute();
    isHeard ||= written.length > 0;
  }
  return isHeard;
}

async function writeAlert(trx: Trx, { run, check }: HeardNotice, nowMs: number): Promise<number> {
  const { certificate, locationId } = run;
  const place = await trx.selectFrom("locations").select("code").where("id", "=", locationId).executeTakeFirst();
  const { id } = await trx
    .insertInto("check_alerts")
    .values({
      account_id: check.accountId,
      check_id: check.id,
      name: check.name,
      alert_type: "ALERT_SSL",
      check_type: check.type,
      run_location: place?.code ?? "",
      response_time: Math.round(run.responseTimeMs),
      error: null,
      status_code: run.statusCode ? String(run.statusCode) : null,
      status_text: run.statusText,
      started_at: Math.floor(run.startedAtMs),
      created_at: nowMs,
      result_id: run.resultId,
      result_run_at: run.runAtMs,
      error_group: null,
      failing_since: null,
      failed_runs: 0,
      reminder: 0,
      certificate_domain: certificate.domain,
      certificate_days: certificate.daysRemaining,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}
