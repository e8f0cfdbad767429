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
    .select(["channel_id", "check_id", "group_id", "activated"])
    .where((eb) => eb.or([engine.isAny("check_id", checkIds), engine.isAny("group_id", groupIds)]))
    .orderBy("channel_id")
    .execute();
  const switches = await switchesOf(engine, trx, [...new Set(rows.map((row) => row.channel_id))]);
  const [byCheck, byGroup] = [Map.groupBy(rows, (row) => row.check_id), Map.groupBy(rows, (row) => row.group_id)];
  return (checkId, groupId) => {
    const ofGroup = groupId === null ? [] : (byGroup.get(groupId) ?? []);
    const channels = new Map([...ofGroup, ...(byCheck.get(checkId) ?? [])].map((row) => [row.channel_id, row.activated === 1]));
    return new Map(
      [...channels].flatMap(([id, isActivated]) => {
        const known = switches.get(id);
        return isActivated && known !== undefined ? [[id, known] as const] : [];
      }),
    );
  };
}

/** Of each channel once, and without its template: thousands of checks may be told to the same ones. */
async function switchesOf(engine: Engine, trx: Trx, channelIds: readonly number[]): Promise<ReadonlyMap<number, SubscribedChannel>> {
  const rows = await trx
    .selectFrom("documents")
    .select(["id", engine.jsonWithout("definition", "config").as("switches")])
    .where(engine.isAny("id", channelIds))
    .execute();
  // Written by the resource of channels.
  return new Map(rows.map((row) => [row.id, JSON.parse(row.switches) as SubscribedChannel]));
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
