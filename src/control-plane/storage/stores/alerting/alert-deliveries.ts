import type { SelectQueryBuilder } from "kysely";
import type { CheckAlertType } from "#contract/check-alerts.ts";
import { attemptsAlone } from "#domain/alerting/delivery-plan.ts";
import type { ToldNotice } from "#domain/alerting/digest-message.ts";
import { maxDigest } from "#domain/alerting/digest-plan.ts";
import type {
  AfterAttempt,
  AlertDeliveryStore,
  DeliveryRecord,
  ExpandedAlerts,
  ExpandLimits,
  ToldDelivery,
  WaitingChannel,
} from "../../alert-delivery-store.ts";
import type { Engine } from "../../engine.ts";
import type { Tables, Trx } from "../../schema.ts";
import { channelCount } from "../alert-subscriptions.ts";
import { giveUp, listGivenUp, type Message, sendAgain } from "./given-up.ts";
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
    waiting: (nowMs) => waiting(engine, engine.clock.waitMs(nowMs)),
    claim: (channelId, count, nowMs, untilMs) =>
      engine.transaction((trx) => claim(engine, trx, { channelId, count, waitMs: engine.clock.waitMs(nowMs), forMs: untilMs - nowMs })),
    told: (channelId, deliveryId) => told(engine, channelId, deliveryId),
    async renew(channelId, { deliveryId, attempts }, nowMs, untilMs) {
      const claimed = engine.db.updateTable("alert_deliveries").set({ claimed_until_ms: engine.clock.waitMs(nowMs) + untilMs - nowMs });
      const mine = claimed.where("channel_id", "=", channelId).where("delivery", "=", deliveryId).where("attempts", "=", attempts);
      return (await mine.executeTakeFirst()).numUpdatedRows > 0n;
    },
    settle: (deliveryId, record, after) => engine.transaction((trx) => settle(engine, trx, deliveryId, record, after)),
    givenUp: (accountId, filter) => listGivenUp(engine, accountId, filter),
    sendAgain: (accountId, channelId, nowMs) => engine.transaction((trx) => sendAgain(engine, trx, { accountId, channelId, nowMs })),
  };
}

async function waiting(engine: Engine, waitMs: number): Promise<readonly WaitingChannel[]> {
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
    .map(({ alert, channelId }) => [alert.account_id, channelId, alert.id, alert.created_at, crypto.randomUUID(), waitMs, 0, 0, waitMs]);
  const columns = {
    account_id: "int8",
    channel_id: "int8",
    alert_id: "int8",
    created_at: "int8",
    delivery: "text",
    due_at: "int8",
    attempts: "int8",
    claimed_until_ms: "int8",
    since_ms: "int8",
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
  const oldest = ofChannel.select(["id", "delivery", "attempts", "cuts", "due_at", "claimed_until_ms"]).limit(1);
  const [head] = await engine.lockRows(oldest).execute();
  if (head === undefined || head.claimed_until_ms > waitMs || head.due_at > waitMs) return undefined;
  const rows = await together(ofChannel.select(["id", "delivery", "since_ms"]), head, waitMs, count).execute();
  const attempts = head.attempts + 1;
  const cuts = head.cuts + 1;
  // Under its id a receiver may know a message that has less in it.
  const isJoined = head.attempts > 0 && rows.some(({ delivery }) => delivery !== head.delivery);
  const delivery = isJoined ? crypto.randomUUID() : head.delivery;
  await trx
    .updateTable("alert_deliveries")
    .set({ delivery, attempts, cuts, claimed_until_ms: waitMs + forMs })
    .where(
      engine.isAny(
        "id",
        rows.map((row) => row.id),
      ),
    )
    .execute();
  return { deliveryId: delivery, attempts, cuts, waitedMs: waitMs - Math.min(...rows.map((row) => row.since_ms)) };
}

type Waiting<O> = SelectQueryBuilder<Tables, "alert_deliveries", O>;

/** What goes in one message: what was tried together before, alone at first; or what is new. */
function together<O>(
  rows: Waiting<O>,
  head: { readonly attempts: number; readonly delivery: string },
  waitMs: number,
  count: number,
): Waiting<O> {
  if (head.attempts >= attemptsAlone) return rows.limit(maxDigest);
  if (head.attempts > 0) return rows.where("delivery", "=", head.delivery);
  return rows.where("attempts", "=", 0).where("due_at", "<=", waitMs).limit(count);
}

async function told(engine: Engine, channelId: number, deliveryId: string): Promise<ToldDelivery> {
  const rows = await rowsOf(engine.reads, channelId, deliveryId);
  const ids = rows.flatMap((row) => row.alert_id ?? []);
  const alerts = await toldAlerts(engine, engine.reads, ids);
  return { alerts, notices: rows.flatMap((row) => (row.notice === null ? [] : noticeOf(row.notice))) };
}

/** Written by `silences.ts`. */
function noticeOf(text: string): ToldNotice {
  return JSON.parse(text) as ToldNotice;
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

async function settle(engine: Engine, trx: Trx, deliveryId: string, record: DeliveryRecord, after: AfterAttempt | null): Promise<void> {
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
  const ofMessage = { channelId, deliveryId, attempts: after?.attempts };
  if (after === null || after.step.kind === "delivered") return void (await leave(trx, ofMessage).execute());
  const waitMs = engine.clock.waitMs(sentAtMs);
  if (after.step.kind === "given_up") await giveUp(engine, trx, ofMessage, { record, waitMs, ...after, step: after.step });
  const { inMs } = after.step;
  if (inMs === null) return;
  const left = trx.updateTable("alert_deliveries").set({ due_at: waitMs + inMs, claimed_until_ms: 0, cuts: 0 });
  await left.where("channel_id", "=", channelId).where("delivery", "=", deliveryId).where("attempts", "=", after.attempts).execute();
}

/** Where somebody else claimed it meanwhile, the rows are his. */
function leave(trx: Trx, { channelId, deliveryId, attempts }: Message) {
  const rows = trx.deleteFrom("alert_deliveries").where("channel_id", "=", channelId).where("delivery", "=", deliveryId);
  return attempts === undefined ? rows : rows.where("attempts", "=", attempts);
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
