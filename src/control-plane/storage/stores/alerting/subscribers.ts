import type { ChannelSwitches } from "#domain/alerting/channel-switches.ts";
import type { CertificateSwitches } from "#domain/alerting/seen-certificate.ts";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";

/** What a channel wants to hear of. */
export type SubscribedChannel = ChannelSwitches & CertificateSwitches;

/** Channels of a check with their switches: what it says of a channel itself counts before what its group says. */
export async function subscribers(
  engine: Engine,
  trx: Trx,
  alerts: readonly { readonly check_id: number; readonly group_id: number | null }[],
): Promise<(checkId: number, groupId: number | null) => ReadonlyMap<number, SubscribedChannel>> {
  const checkIds = [...new Set(alerts.map((alert) => alert.check_id))];
  const groupIds = [...new Set(alerts.flatMap((alert) => alert.group_id ?? []))];
  const rows = await trx
    .selectFrom("alert_subscriptions")
    .innerJoin("documents", "documents.id", "alert_subscriptions.channel_id")
    .select(["channel_id", "check_id", "group_id", "activated", "documents.definition"])
    .where((eb) => eb.or([engine.isAny("check_id", checkIds), engine.isAny("alert_subscriptions.group_id", groupIds)]))
    .orderBy("channel_id")
    .execute();
  // Written by the resource of channels.
  const known = rows.map((row) => ({ ...row, switches: JSON.parse(row.definition) as SubscribedChannel }));
  return (checkId, groupId) => {
    const ofGroup = known.filter((row) => groupId !== null && row.group_id === groupId);
    const own = known.filter((row) => row.check_id === checkId);
    const channels = new Map([...ofGroup, ...own].map((row) => [row.channel_id, row]));
    return new Map([...channels].flatMap(([id, { activated, switches }]) => (activated === 1 ? [[id, switches] as const] : [])));
  };
}

/** Of the channels that are to be told, those that are still there. They cannot be deleted until the transaction ends. */
export async function keptChannels(
  engine: Engine,
  trx: Trx,
  told: readonly { readonly channelId: number }[],
): Promise<ReadonlySet<number>> {
  const ids = [...new Set(told.map(({ channelId }) => channelId))];
  const rows = await engine.keepRows(trx.selectFrom("documents").select("id").where(engine.isAny("id", ids)).orderBy("id")).execute();
  return new Set(rows.map((row) => row.id));
}
