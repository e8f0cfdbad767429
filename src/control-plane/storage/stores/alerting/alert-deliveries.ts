import type { CheckAlertType } from "#contract/check-alerts.ts";
import type { LocationNotice } from "#domain/alerting/notice-message.ts";
import type { AlertDeliveryStore, DeliveryRecord, ExpandedAlerts, ExpandLimits, ToldDelivery } from "../../alert-delivery-store.ts";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import { channelCount } from "../alert-subscriptions.ts";
import { keptChannels, subscribers } from "./subscribers.ts";
import { toldAlerts } from "./told-alerts.ts";

export function alertDeliveryStore(engine: Engine): AlertDeliveryStore {
  return {
    async expand(nowMs, limits, wants) {
      const waitMs = engine.clock.waitMs(nowMs);
      const due = engine.reads.selectFrom("alert_outbox").where("claimed_until_ms", "<=", waitMs);
      const accounts = await due.select("account_id").distinct().orderBy("account_id").execute();
      const expanded: ExpandedAlerts[] = [];
      for (const { account_id: accountId } of accounts)
        expanded.push(await engine.transaction((trx) => expand(engine, trx, { accountId, waitMs, limits, wants })));
      return { types: expanded.flatMap(({ types }) => types), isMore: expanded.some(({ isMore }) => isMore) };
    },
    async backlog() {
      const [told, untold] = await Promise.all([
        engine.reads
          .selectFrom("alert_deliveries")
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
      const waitMs = engine.clock.waitMs(nowMs);
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
        .where("claimed_until_ms", "<=", waitMs)
        .orderBy("due_at")
        .orderBy("id")
        .execute();
      return rows.map((row) => ({
        channelId: row.channel_id,
        accountId: row.account_id,
        alerts: counts.get(row.id) ?? 1,
        dueInMs: row.due_at - waitMs,
        isRepeated: row.attempts > 0,
      }));
    },
    claim: (channelId, count, nowMs, untilMs) =>
      engine.transaction((trx) => claim(engine, trx, { channelId, count, waitMs: engine.clock.waitMs(nowMs), forMs: untilMs - nowMs })),
    told: (channelId, deliveryId) => told(engine, channelId, deliveryId),
    settle: (deliveryId, record, dueAtMs) => engine.transaction((trx) => settle(engine, trx, deliveryId, record, dueAtMs)),
  };
}

interface Expansion {
  readonly accountId: number;
  readonly waitMs: number;
  readonly limits: ExpandLimits;
  readonly wants: Parameters<AlertDeliveryStore["expand"]>[2];
}

async function expand(engine: Engine, trx: Trx, { accountId, waitMs, limits, wants }: Expansion): Promise<ExpandedAlerts> {
  // One process at a time: what another one takes out meanwhile is older, and has to be told before.
  await engine.lockRows(trx.selectFrom("accounts").select("id").where("id", "=", accountId)).execute();
  const due = trx
    .selectFrom("alert_outbox")
    .select(["id", "alert_id"])
    .where("account_id", "=", accountId)
    .where("claimed_until_ms", "<=", waitMs);
  const perAlert = Math.max(1, await channelCount(trx, accountId));
  const limit = Math.max(1, Math.min(limits.alerts, Math.floor(limits.deliveries / perAlert)));
  const outbox = await engine.lockRows(due.orderBy("id").limit(limit)).execute();
  const ids = outbox.map((row) => row.alert_id);
  const stored = trx
    .selectFrom("check_alerts")
    .innerJoin("checks", "checks.id", "check_alerts.check_id")
    .select(["check_alerts.id", "alert_type", "check_id", "group_id", "check_alerts.account_id", "check_alerts.created_at"])
    .where(engine.isAny("check_alerts.id", ids));
  const alerts = await engine.keepRows(stored.orderBy("check_alerts.id")).execute();
  const subscribed = await subscribers(engine, trx, alerts);
  const noticed = await noticedChannels(engine, trx, alerts);
  const wanted = alerts.flatMap((alert) =>
    [...subscribed(alert.check_id, alert.group_id)]
      .filter(([, switches]) => wants(switches, { alertType: alert.alert_type }))
      .filter(([channelId]) => alert.alert_type !== "ALERT_SSL" || noticed.has(`${alert.id} ${channelId}`))
      .map(([channelId]) => ({ alert, channelId })),
  );
  const kept = await keptChannels(engine, trx, wanted);
  const rows = wanted
    .filter(({ channelId }) => kept.has(channelId))
    .map(({ alert, channelId }) => [alert.account_id, channelId, alert.id, alert.created_at, crypto.randomUUID(), waitMs, 0, 0]);
  const columns = {
    account_id: "int8",
    channel_id: "int8",
    alert_id: "int8",
    created_at: "int8",
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
  return { types: alerts.map((alert) => alert.alert_type), isMore: outbox.length === limit };
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
  readonly waitMs: number;
  readonly forMs: number;
}

async function claim(engine: Engine, trx: Trx, { channelId, count, waitMs, forMs }: Claim) {
  const ofChannel = trx.selectFrom("alert_deliveries").where("channel_id", "=", channelId).orderBy("id");
  const oldest = ofChannel.select(["id", "delivery", "attempts", "due_at", "claimed_until_ms"]).limit(1);
  const [head] = await engine.lockRows(oldest).execute();
  if (head === undefined || head.claimed_until_ms > waitMs || head.due_at > waitMs) return undefined;
  const together = ofChannel.select("id");
  const rows = await (head.attempts > 0
    ? together.where("delivery", "=", head.delivery)
    : together.where("attempts", "=", 0).where("due_at", "<=", waitMs).limit(count)
  ).execute();
  const attempts = head.attempts + 1;
  await trx
    .updateTable("alert_deliveries")
    .set({ delivery: head.delivery, attempts, claimed_until_ms: waitMs + forMs })
    .where(
      engine.isAny(
        "id",
        rows.map((row) => row.id),
      ),
    )
    .execute();
  return { deliveryId: head.delivery, attempts };
}

async function told(engine: Engine, channelId: number, deliveryId: string): Promise<ToldDelivery> {
  const rows = await rowsOf(engine.reads, channelId, deliveryId);
  const ids = rows.flatMap((row) => row.alert_id ?? []);
  const alerts = await toldAlerts(engine, engine.reads, ids);
  return { alerts, notices: rows.flatMap((row) => (row.notice === null ? [] : noticeOf(row.notice))) };
}

/** Written by `silences.ts`. */
function noticeOf(text: string): LocationNotice {
  return JSON.parse(text) as LocationNotice;
}

const notificationColumns = {
  account_id: "int8",
  check_alert_id: "int8",
  notice: "text",
  channel_id: "int8",
  channel_type: "text",
  status: "text",
  config: "text",
  result: "text",
  check_result: "text",
  sent_at: "int8",
} as const;

async function settle(engine: Engine, trx: Trx, deliveryId: string, record: DeliveryRecord, dueAtMs: number | null): Promise<void> {
  const { accountId, channelId, channelType, status, result, sentAtMs } = record;
  const config = JSON.stringify(record.config);
  const told = await toldRows(engine, trx, channelId, deliveryId);
  const resultIds = new Map(record.alerts.map(({ id, checkResultId }) => [id, checkResultId]));
  await engine.insertMany(
    trx,
    "alert_notifications",
    notificationColumns,
    told.map((row) => {
      const checkResult = resultIds.get(row.alert_id ?? 0) ?? "";
      return [accountId, row.alert_id, row.notice, channelId, channelType, status, config, result, checkResult, sentAtMs];
    }),
  );
  if (dueAtMs === null)
    await trx.deleteFrom("alert_deliveries").where("channel_id", "=", channelId).where("delivery", "=", deliveryId).execute();
  else
    await trx
      .updateTable("alert_deliveries")
      .set({ due_at: engine.clock.waitMs(sentAtMs) + dueAtMs - sentAtMs, claimed_until_ms: 0 })
      .where("channel_id", "=", channelId)
      .where("delivery", "=", deliveryId)
      .execute();
}

function rowsOf(db: Engine["reads"] | Trx, channelId: number, deliveryId: string) {
  return db
    .selectFrom("alert_deliveries")
    .select(["alert_id", "notice"])
    .where("channel_id", "=", channelId)
    .where("delivery", "=", deliveryId)
    .orderBy("id")
    .execute();
}

/** Alerts go with their check, also while they are told. Those that are left cannot be deleted until the transaction ends. */
async function toldRows(engine: Engine, trx: Trx, channelId: number, deliveryId: string) {
  const rows = await rowsOf(trx, channelId, deliveryId);
  const ids = rows.flatMap((row) => row.alert_id ?? []);
  const alerts = trx.selectFrom("check_alerts").select("id").where(engine.isAny("id", ids)).orderBy("id");
  const left = new Set((await engine.keepRows(alerts).execute()).map(({ id }) => id));
  return rows.filter((row) => row.alert_id === null || left.has(row.alert_id));
}
