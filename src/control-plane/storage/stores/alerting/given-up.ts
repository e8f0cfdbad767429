import type { ChannelNotice } from "#domain/alerting/channel-notice.ts";
import type { NextStep } from "#domain/alerting/delivery-plan.ts";
import { maxDigest } from "#domain/alerting/digest-plan.ts";
import { maxNames } from "#domain/alerting/notice-message.ts";
import type { AfterAttempt, DeliveryRecord, GivenUpFilter, GivenUpRow } from "../../alert-delivery-store.ts";
import type { Engine } from "../../engine.ts";
import type { Page } from "../../page.ts";
import type { Trx } from "../../schema.ts";
import { keptChannels, subscribers } from "./subscribers.ts";

/** Rows of one message. */
export interface Message {
  readonly channelId: number;
  readonly deliveryId: string;
  /** As they were claimed; undefined: however. */
  readonly attempts: number | undefined;
}

interface GivingUp extends Omit<AfterAttempt, "step"> {
  readonly record: DeliveryRecord;
  readonly waitMs: number;
  readonly step: Extract<NextStep, { readonly kind: "given_up" }>;
}

/** A channel that gave up is told of elsewhere once in so long, however many alerts it gives up. */
const toldEveryMs = 3_600_000;

/** Of a message what waited long enough, or all of it. */
export async function giveUp(
  engine: Engine,
  trx: Trx,
  { channelId, deliveryId }: Message,
  { record, waitMs, attempts, retryForMs, step }: GivingUp,
): Promise<void> {
  const rows = trx.deleteFrom("alert_deliveries").where("channel_id", "=", channelId).where("delivery", "=", deliveryId);
  const mine = rows.where("attempts", "=", attempts);
  const over = step.inMs === null ? mine : mine.where("since_ms", "<=", waitMs - retryForMs);
  const gone = await over.returning(["alert_id", "notice", "since_ms"]).execute();
  if (gone.length === 0) return;
  const { accountId, sentAtMs, result } = record;
  const shown = (instantMs: number): number => sentAtMs - (waitMs - instantMs);
  const alertIds = gone.flatMap((row) => row.alert_id ?? []);
  const checks = await checksOf(engine, trx, alertIds);
  const before = await trx
    .selectFrom("given_up_alerts")
    .select((eb) => eb.fn.max("given_up_at").as("last"))
    .where("channel_id", "=", channelId)
    .executeTakeFirst();
  const columns = {
    account_id: "int8",
    channel_id: "int8",
    alert_id: "int8",
    notice: "text",
    since_at: "int8",
    given_up_at: "int8",
    attempts: "int8",
    because: "text",
  } as const;
  const kept = new Set(checks.map(({ alertId }) => alertId));
  const entries = gone
    .filter((row) => row.alert_id === null || kept.has(row.alert_id))
    .map((row) => [accountId, channelId, row.alert_id, row.notice, shown(row.since_ms), sentAtMs, attempts, result]);
  if ((await keptChannels(engine, trx, [{ channelId }])).size === 0) return;
  await engine.insertMany(trx, "given_up_alerts", columns, entries);
  if (Number(before?.last ?? Number.NEGATIVE_INFINITY) > sentAtMs - toldEveryMs) return;
  const sinceMs = shown(Math.min(...gone.map((row) => row.since_ms)));
  await tellElsewhere(engine, trx, checks, { record, waitMs, sinceMs });
}

/** Those that are still there: they cannot be deleted until the transaction ends. */
async function checksOf(engine: Engine, trx: Trx, alertIds: readonly number[]) {
  const alerts = trx
    .selectFrom("check_alerts")
    .innerJoin("checks", "checks.id", "check_alerts.check_id")
    .select(["check_alerts.id as alertId", "check_alerts.check_id", "checks.group_id", "check_alerts.name"])
    .where(engine.isAny("check_alerts.id", alertIds));
  return engine.keepRows(alerts.orderBy("check_alerts.id")).execute();
}

interface Telling {
  readonly record: DeliveryRecord;
  readonly waitMs: number;
  readonly sinceMs: number;
}

/** For each check the first other channel that follows it; one notice for each such channel. */
async function tellElsewhere(
  engine: Engine,
  trx: Trx,
  checks: Awaited<ReturnType<typeof checksOf>>,
  { record, waitMs, sinceMs }: Telling,
): Promise<void> {
  const { channelId, accountId, sentAtMs: atMs, result: because, config, channelType } = record;
  const subscribed = await subscribers(engine, trx, checks);
  const told = checks.flatMap((check) => {
    const others = [...subscribed(check.check_id, check.group_id)].flatMap(([id, { sendFailure }]) =>
      sendFailure && id !== channelId ? id : [],
    );
    return others.length === 0 ? [] : { channelId: Math.min(...others), check };
  });
  const kept = await keptChannels(engine, trx, told);
  const byChannel = Map.groupBy(
    told.filter((one) => kept.has(one.channelId)),
    (one) => one.channelId,
  );
  const { name = channelType } = config;
  for (const [id, ofChannel] of byChannel) {
    const names = new Map(ofChannel.map(({ check }) => [check.check_id, check.name]));
    const notice: ChannelNotice = {
      kind: "CHANNEL_GAVE_UP",
      channel: { id: channelId, name: String(name) },
      because,
      sinceMs,
      atMs,
      checks: [...names.values()].slice(0, maxNames),
      checkCount: names.size,
    };
    await trx
      .insertInto("alert_deliveries")
      .values({
        ...waitingNow(waitMs),
        account_id: accountId,
        channel_id: id,
        alert_id: null,
        notice: JSON.stringify(notice),
        created_at: atMs,
      })
      .execute();
  }
}

function waitingNow(waitMs: number) {
  return { delivery: crypto.randomUUID(), due_at: waitMs, attempts: 0, claimed_until_ms: 0, since_ms: waitMs, cuts: 0 };
}

export async function listGivenUp(
  { reads }: Engine,
  accountId: number,
  { channelId, page, limit }: GivenUpFilter,
): Promise<Page<GivenUpRow>> {
  const ofAccount = reads.selectFrom("given_up_alerts").where("given_up_alerts.account_id", "=", accountId);
  const chosen = channelId === undefined ? ofAccount : ofAccount.where("channel_id", "=", channelId);
  const [{ total }, rows] = await Promise.all([
    chosen.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
    chosen
      .leftJoin("check_alerts", "check_alerts.id", "given_up_alerts.alert_id")
      .leftJoin("checks", "checks.id", "check_alerts.check_id")
      .selectAll("given_up_alerts")
      .select(["check_alerts.created_at as alert_at", "alert_type", "checks.uuid as check_uuid", "check_alerts.name"])
      .orderBy("given_up_alerts.id", "desc")
      .limit(limit)
      .offset((page - 1) * limit)
      .execute(),
  ]);
  const items = rows.map(({ alert_id: id, alert_at: createdAtMs, alert_type: alertType, check_uuid: checkUuid, name, ...row }) => ({
    id: row.id,
    channelId: row.channel_id,
    alert:
      id === null || createdAtMs === null || alertType === null || checkUuid === null || name === null
        ? null
        : { id, createdAtMs, alertType, checkUuid, name },
    sinceMs: row.since_at,
    givenUpAtMs: row.given_up_at,
    attempts: row.attempts,
    because: row.because,
  }));
  return { items, total: Number(total) };
}

interface SendingAgain {
  readonly accountId: number;
  readonly channelId: number;
  readonly nowMs: number;
}

export async function sendAgain(engine: Engine, trx: Trx, { accountId, channelId, nowMs }: SendingAgain): Promise<number | undefined> {
  const channel = trx.selectFrom("documents").select("id").where("id", "=", channelId).where("account_id", "=", accountId);
  if ((await engine.keepRows(channel.where("kind", "=", "alert-channel")).execute()).length === 0) return undefined;
  const ofChannel = trx.selectFrom("given_up_alerts").selectAll().where("channel_id", "=", channelId).orderBy("id").limit(maxDigest);
  const rows = await engine.lockRows(ofChannel).execute();
  const waitMs = engine.clock.waitMs(nowMs);
  for (const { alert_id, notice } of rows)
    await trx
      .insertInto("alert_deliveries")
      .values({ ...waitingNow(waitMs), account_id: accountId, channel_id: channelId, alert_id, notice, created_at: nowMs })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  await trx
    .deleteFrom("given_up_alerts")
    .where(
      engine.isAny(
        "id",
        rows.map(({ id }) => id),
      ),
    )
    .execute();
  return rows.length;
}
