import type { CheckAlertType } from "#contract/check-alerts.ts";
import type { AlertDeliveryStore, DeliveryRecord } from "../../alert-delivery-store.ts";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import { subscribers } from "./subscribers.ts";
import { toldAlerts } from "./told-alerts.ts";

export function alertDeliveryStore(engine: Engine): AlertDeliveryStore {
  return {
    async expand(nowMs, limit, wants) {
      const due = engine.reads.selectFrom("alert_outbox").select("id").where("claimed_until_ms", "<=", nowMs).limit(1);
      if ((await due.executeTakeFirst()) === undefined) return [];
      return engine.transaction((trx) => expand(engine, trx, nowMs, limit, wants));
    },
    async backlog() {
      const [told, untold] = await Promise.all([
        engine.reads
          .selectFrom("alert_deliveries")
          .innerJoin("check_alerts", "check_alerts.id", "alert_id")
          .select((eb) => [eb.fn.countAll<number>().as("alerts"), eb.fn.min("created_at").as("oldest")])
          .executeTakeFirst(),
        engine.reads
          .selectFrom("alert_outbox")
          .select((eb) => [eb.fn.countAll<number>().as("alerts"), eb.fn.min("created_at").as("oldest")])
          .executeTakeFirst(),
      ]);
      const oldest = [told?.oldest, untold?.oldest].flatMap((atMs) => (atMs === null || atMs === undefined ? [] : [Number(atMs)]));
      return { waiting: Number(told?.alerts) + Number(untold?.alerts), oldestMs: oldest.length === 0 ? null : Math.min(...oldest) };
    },
    async waiting(nowMs) {
      const heads = await engine.reads
        .selectFrom("alert_deliveries")
        .select((eb) => [eb.fn.min("id").as("head"), eb.fn.countAll<number>().as("alerts")])
        .groupBy("channel_id")
        .execute();
      if (heads.length === 0) return [];
      const counts = new Map(heads.map(({ head, alerts }) => [Number(head), Number(alerts)]));
      const rows = await engine.reads
        .selectFrom("alert_deliveries")
        .select(["id", "channel_id", "account_id", "due_at", "attempts"])
        .where(engine.isAny("id", [...counts.keys()]))
        .where("claimed_until_ms", "<=", nowMs)
        .execute();
      return rows.map((row) => ({
        channelId: row.channel_id,
        accountId: row.account_id,
        alerts: counts.get(row.id) ?? 1,
        dueAtMs: row.due_at,
        isRepeated: row.attempts > 0,
      }));
    },
    claim: (channelId, count, nowMs, untilMs) => engine.transaction((trx) => claim(engine, trx, { channelId, count, nowMs, untilMs })),
    settle: (deliveryId, record, dueAtMs) => engine.transaction((trx) => settle(trx, deliveryId, record, dueAtMs)),
  };
}

async function expand(engine: Engine, trx: Trx, nowMs: number, limit: number, wants: Parameters<AlertDeliveryStore["expand"]>[2]) {
  const due = trx.selectFrom("alert_outbox").select(["id", "alert_id", "account_id", "check_id"]).where("claimed_until_ms", "<=", nowMs);
  const outbox = await engine.skipLocked(due.orderBy("id").limit(limit)).execute();
  if (outbox.length === 0) return [];
  const alerts = await trx
    .selectFrom("check_alerts")
    .innerJoin("checks", "checks.id", "check_alerts.check_id")
    .select(["check_alerts.id", "alert_type", "check_id", "group_id", "check_alerts.account_id"])
    .where(
      engine.isAny(
        "check_alerts.id",
        outbox.map((row) => row.alert_id),
      ),
    )
    .orderBy("check_alerts.id")
    .execute();
  const subscribed = await subscribers(engine, trx, alerts);
  const noticed = await noticedChannels(engine, trx, alerts);
  const rows = alerts.flatMap((alert) =>
    [...subscribed(alert.check_id, alert.group_id)]
      .filter(([, switches]) => wants(switches, { alertType: alert.alert_type }))
      .filter(([channelId]) => alert.alert_type !== "ALERT_SSL" || noticed.has(`${alert.id} ${channelId}`))
      .map(([channelId]) => [alert.account_id, channelId, alert.id, crypto.randomUUID(), nowMs, 0, 0]),
  );
  const columns = {
    account_id: "int8",
    channel_id: "int8",
    alert_id: "int8",
    delivery: "text",
    due_at: "int8",
    attempts: "int8",
    claimed_until_ms: "int8",
  } as const;
  if (rows.length > 0) await engine.insertMany(trx, "alert_deliveries", columns, rows, "on conflict do nothing");
  await trx
    .deleteFrom("alert_outbox")
    .where(
      engine.isAny(
        "id",
        outbox.map((row) => row.id),
      ),
    )
    .execute();
  return alerts.map((alert) => alert.alert_type);
}

/** Which channels alerts of certificates are for, whatever else they are subscribed to. */
async function noticedChannels(engine: Engine, trx: Trx, alerts: readonly { readonly id: number; readonly alert_type: CheckAlertType }[]) {
  const ids = alerts.flatMap(({ id, alert_type: type }) => (type === "ALERT_SSL" ? [id] : []));
  if (ids.length === 0) return new Set<string>();
  const rows = await trx
    .selectFrom("certificate_notices")
    .select(["alert_id", "channel_id"])
    .where(engine.isAny("alert_id", ids))
    .execute();
  return new Set(rows.map((row) => `${row.alert_id} ${row.channel_id}`));
}

interface Claim {
  readonly channelId: number;
  readonly count: number;
  readonly nowMs: number;
  readonly untilMs: number;
}

async function claim(engine: Engine, trx: Trx, { channelId, count, nowMs, untilMs }: Claim) {
  const ofChannel = trx.selectFrom("alert_deliveries").where("channel_id", "=", channelId).orderBy("id");
  const oldest = ofChannel.select(["id", "delivery", "attempts", "due_at", "claimed_until_ms"]).limit(1);
  const [head] = await engine.lockRows(oldest).execute();
  if (head === undefined || head.claimed_until_ms > nowMs || head.due_at > nowMs) return undefined;
  const together = ofChannel.select(["id", "alert_id"]);
  const rows = await (head.attempts > 0
    ? together.where("delivery", "=", head.delivery)
    : together.where("attempts", "=", 0).where("due_at", "<=", nowMs).limit(count)
  ).execute();
  const attempts = head.attempts + 1;
  await trx
    .updateTable("alert_deliveries")
    .set({ delivery: head.delivery, attempts, claimed_until_ms: untilMs })
    .where(
      engine.isAny(
        "id",
        rows.map((row) => row.id),
      ),
    )
    .execute();
  return {
    deliveryId: head.delivery,
    attempts,
    alerts: await toldAlerts(
      engine,
      trx,
      rows.map((row) => row.alert_id),
    ),
  };
}

async function settle(trx: Trx, deliveryId: string, record: DeliveryRecord, dueAtMs: number | null): Promise<void> {
  const { accountId, channelId, channelType, status, result, sentAtMs } = record;
  const config = JSON.stringify(record.config);
  // Alerts go with their check, also while they are told.
  const still = new Set(
    (
      await trx
        .selectFrom("alert_deliveries")
        .select("alert_id")
        .where("channel_id", "=", channelId)
        .where("delivery", "=", deliveryId)
        .execute()
    ).map((row) => row.alert_id),
  );
  for (const { id, checkResultId } of record.alerts.filter((alert) => still.has(alert.id)))
    await trx
      .insertInto("alert_notifications")
      .values({
        account_id: accountId,
        check_alert_id: id,
        channel_id: channelId,
        channel_type: channelType,
        status,
        config,
        result,
        check_result: checkResultId,
        sent_at: sentAtMs,
      })
      .execute();
  if (dueAtMs === null)
    await trx.deleteFrom("alert_deliveries").where("channel_id", "=", channelId).where("delivery", "=", deliveryId).execute();
  else
    await trx
      .updateTable("alert_deliveries")
      .set({ due_at: dueAtMs, claimed_until_ms: 0 })
      .where("channel_id", "=", channelId)
      .where("delivery", "=", deliveryId)
      .execute();
}
