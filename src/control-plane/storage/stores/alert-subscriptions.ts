import { type Selectable, sql } from "kysely";
import { AppError } from "#domain/app-error.ts";
import { type InputProblem, invalidInput } from "#domain/invalid-input.ts";
import type { AlertSubscriptionStore, SubscriptionRow, SubscriptionTarget, TargetChoice } from "../alerting-stores.ts";
import type { Engine } from "../engine.ts";
import type { Tables, Trx } from "../schema.ts";
import type { ChannelChoice, SubscriptionsWanted } from "../subscriptions-wanted.ts";
import { changeDocument, insertDocument } from "./documents.ts";

export function alertSubscriptionStore(engine: Engine): AlertSubscriptionStore {
  return {
    ofChannels: (channelIds) => byChannel(engine, channelIds),
    ofChecks: (checkIds) => choicesBy(engine, "check_id", checkIds),
    ofGroups: (groupIds) => choicesBy(engine, "group_id", groupIds),
    createChannel: (channel, targets, atMost) =>
      engine.transaction(async (trx) => {
        await refuseMoreChannels(engine, trx, channel.accountId, atMost);
        engine.memory.forget("alert-channels");
        const row = await insertDocument(trx, channel);
        await replaceTargets(engine, trx, row, targets);
        return row;
      }),
    updateChannel: (accountId, address, change, targets, nowMs) =>
      engine.transaction(async (trx) => {
        engine.memory.forget("alert-channels");
        const row = await changeDocument(engine, trx, accountId, "alert-channel", address, change, nowMs);
        if (row && targets) await replaceTargets(engine, trx, row, targets);
        return row;
      }),
    subscribe: (accountId, channelId, choice) =>
      engine.transaction(async (trx) => {
        const [channel] = await channelsOf(engine, trx, accountId, [channelId]);
        if (channel === undefined) return undefined;
        const [subscription] = await resolved(engine, trx, accountId, [choice], () => "");
        if (subscription === undefined) throw new Error("a target was neither found nor refused");
        await insert(engine, trx, [{ channelId, ...subscription }]);
        const { checkId, groupId } = subscription;
        const row = await trx
          .selectFrom("alert_subscriptions")
          .selectAll()
          .where("channel_id", "=", channelId)
          .where(checkId === null ? "group_id" : "check_id", "=", checkId ?? groupId)
          .executeTakeFirstOrThrow();
        return subscriptionOf(row);
      }),
  };
}

/** Also the most deliveries that one alert of the account becomes. */
export async function channelCount(trx: Trx, accountId: number): Promise<number> {
  const row = await trx
    .selectFrom("documents")
    .select((eb) => eb.fn.countAll<number>().as("channels"))
    .where("account_id", "=", accountId)
    .where("kind", "=", "alert-channel")
    .executeTakeFirstOrThrow();
  return Number(row.channels);
}

/** Who makes one at this moment waits, so that two cannot both be the last. */
async function refuseMoreChannels(engine: Engine, trx: Trx, accountId: number, atMost: number): Promise<void> {
  await engine.lockRows(trx.selectFrom("accounts").select("id").where("id", "=", accountId)).execute();
  if ((await channelCount(trx, accountId)) < atMost) return;
  throw new AppError("conflict", `The account has ${atMost} alert channels, as many as there may be; delete one first`);
}

/**
 * Writes a check's side of the relation, together with the check.
 *
 * @throws {AppError} invalid_input for a channel that the account does not have
 */
export function writeCheckSubscriptions(
  engine: Engine,
  trx: Trx,
  { account_id: accountId, id, uuid }: { readonly account_id: number; readonly id: number; readonly uuid: string },
  wanted: SubscriptionsWanted,
): Promise<void> {
  return replaceChannels(engine, trx, accountId, { checkId: id, checkUuid: uuid, groupId: null }, wanted);
}

/** The same for a group. */
export function writeGroupSubscriptions(
  engine: Engine,
  trx: Trx,
  { accountId, id }: { readonly accountId: number; readonly id: number },
  wanted: SubscriptionsWanted,
): Promise<void> {
  return replaceChannels(engine, trx, accountId, { checkId: null, checkUuid: null, groupId: id }, wanted);
}

/** A target by its inside ids. */
interface Target {
  readonly checkId: number | null;
  readonly checkUuid: string | null;
  readonly groupId: number | null;
}

async function replaceChannels(
  engine: Engine,
  trx: Trx,
  accountId: number,
  target: Target,
  { named, joining }: SubscriptionsWanted,
): Promise<void> {
  const chosen = new Map((named ?? []).map(({ alertChannelId, activated }) => [alertChannelId, activated]));
  await refuseUnknownChannels(engine, trx, accountId, named ?? [], [...chosen.keys()]);
  if (joining) for (const id of await joiningChannels(engine, trx, accountId, joining)) if (!chosen.has(id)) chosen.set(id, true);
  // What is new has none to delete.
  if (named && joining === undefined) {
    const others = trx
      .deleteFrom("alert_subscriptions")
      .where(target.checkId === null ? "group_id" : "check_id", "=", target.checkId ?? target.groupId)
      .where((eb) => eb.not(engine.isAny("channel_id", [...chosen.keys()])));
    await engine.send(trx, others);
  }
  await insert(
    engine,
    trx,
    [...chosen].toSorted(([a], [b]) => a - b).map(([channelId, activated]) => ({ channelId, ...target, activated })),
  );
}

async function refuseUnknownChannels(
  engine: Engine,
  trx: Trx,
  accountId: number,
  named: readonly ChannelChoice[],
  ids: readonly number[],
): Promise<void> {
  const known = new Set(await channelsOf(engine, trx, accountId, ids));
  refuse(
    named.flatMap(({ alertChannelId }, index) =>
      known.has(alertChannelId)
        ? []
        : [
            {
              path: `alertChannelSubscriptions[${index}].alertChannelId`,
              message: `names no alert channel of this account; received ${alertChannelId}`,
            },
          ],
    ),
  );
}

async function channelsOf(engine: Engine, trx: Trx, accountId: number, ids: readonly number[]): Promise<readonly number[]> {
  const kept = await engine.memory.recall("alert-channels", `kept:${accountId}`, async () => new Set<number>());
  const unknown = ids.filter((id) => !kept.has(id));
  if (unknown.length > 0) {
    const rows = await engine.keepRows(channelsIn(trx, accountId).select("id").where(engine.isAny("id", unknown))).execute();
    for (const { id } of rows) kept.add(id);
  }
  return ids.filter((id) => kept.has(id));
}

/** They are kept, for one that goes at this moment must not make the writing fail. */
function joiningChannels(engine: Engine, trx: Trx, accountId: number, joining: "all" | "automatic"): Promise<readonly number[]> {
  return engine.memory.recall("alert-channels", `${joining}:${accountId}`, async () => {
    if (joining === "all") return (await engine.keepRows(channelsIn(trx, accountId).select("id")).execute()).map(({ id }) => id);
    // Few join by themselves: the others are not read. The text is as `JSON.stringify` writes it.
    const likely = channelsIn(trx, accountId).select(["id", "definition"]).where("definition", "like", '%"autoSubscribe":true%');
    return (await engine.keepRows(likely).execute()).flatMap(({ id, definition }) => (joinsByItself(definition) ? [id] : []));
  });
}

function joinsByItself(definition: string): boolean {
  return (JSON.parse(definition) as { readonly autoSubscribe?: unknown }).autoSubscribe === true;
}

function channelsIn(trx: Trx, accountId: number) {
  return trx.selectFrom("documents").where("account_id", "=", accountId).where("kind", "=", "alert-channel").orderBy("id");
}

async function replaceTargets(
  engine: Engine,
  trx: Trx,
  channel: { readonly id: number; readonly accountId: number },
  choices: readonly TargetChoice[],
): Promise<void> {
  const rows = await resolved(engine, trx, channel.accountId, choices, (index) => `subscriptions[${index}].`);
  const ids = (column: "checkId" | "groupId"): number[] => rows.flatMap((row) => row[column] ?? []);
  await trx
    .deleteFrom("alert_subscriptions")
    .where("channel_id", "=", channel.id)
    .where((eb) =>
      eb.and([
        eb.or([eb("check_id", "is", null), eb.not(engine.isAny("check_id", ids("checkId")))]),
        eb.or([eb("group_id", "is", null), eb.not(engine.isAny("group_id", ids("groupId")))]),
      ]),
    )
    .execute();
  await insert(
    engine,
    trx,
    rows.map((row) => ({ channelId: channel.id, ...row })),
  );
}

/** Targets by inside ids, each once. @param prefixOf what stands before the name of an entry's field in an error */
async function resolved(
  engine: Engine,
  trx: Trx,
  accountId: number,
  choices: readonly TargetChoice[],
  prefixOf: (index: number) => string,
): Promise<readonly (Target & { readonly activated: boolean })[]> {
  const uuids = choices.flatMap(({ target }) => ("checkUuid" in target ? target.checkUuid : []));
  const groups = choices.flatMap(({ target }) => ("groupId" in target ? target.groupId : []));
  const checks =
    uuids.length === 0
      ? []
      : await engine
          .keepRows(
            trx
              .selectFrom("checks")
              .select(["id", "uuid"])
              .where("account_id", "=", accountId)
              .where(engine.isAny("uuid", uuids))
              .orderBy("id"),
          )
          .execute();
  const documents = trx.selectFrom("documents").select("id").where("account_id", "=", accountId).where("kind", "=", "check-group");
  const known = groups.length === 0 ? [] : await engine.keepRows(documents.where(engine.isAny("id", groups)).orderBy("id")).execute();
  const checkIds = new Map(checks.map(({ id, uuid }) => [uuid, id]));
  const groupIds = new Set(known.map(({ id }) => id));
  const found = (target: SubscriptionTarget): Target | undefined => {
    if ("groupId" in target) return groupIds.has(target.groupId) ? { checkId: null, checkUuid: null, groupId: target.groupId } : undefined;
    const checkId = checkIds.get(target.checkUuid);
    return checkId === undefined ? undefined : { checkId, checkUuid: target.checkUuid, groupId: null };
  };
  refuse(choices.flatMap(({ target }, index) => (found(target) ? [] : [missing(target, prefixOf(index))])));
  const rows = choices.flatMap(({ target, activated }) => {
    const one = found(target);
    return one ? [{ ...one, activated }] : [];
  });
  return [...new Map(rows.map((row) => [`${row.checkId}/${row.groupId}`, row])).values()];
}

function missing(target: SubscriptionTarget, prefix: string): InputProblem {
  return "groupId" in target
    ? { path: `${prefix}groupId`, message: `names no check group of this account; received ${target.groupId}` }
    : { path: `${prefix}checkId`, message: `names no check of this account; received ${target.checkUuid}` };
}

const columns = { channel_id: "int8", check_id: "int8", check_uuid: "text", group_id: "int8", activated: "int8" } as const;

/** Made or changed. All rows are of checks or all of groups, or they come in two statements: each conflicts with one key only. */
async function insert(
  engine: Engine,
  trx: Trx,
  rows: readonly (Target & { readonly channelId: number; readonly activated: boolean })[],
): Promise<void> {
  // Writers of both sides meet here: all go in one order, so that none waits for one that waits for it.
  const inOrder = rows.toSorted(
    (a, b) => a.channelId - b.channelId || (a.checkId ?? 0) - (b.checkId ?? 0) || (a.groupId ?? 0) - (b.groupId ?? 0),
  );
  for (const key of ["check", "group"] as const) {
    await engine.insertMany(
      trx,
      "alert_subscriptions",
      columns,
      inOrder
        .filter((row) => row[`${key}Id`] !== null)
        .map((row) => [row.channelId, row.checkId, row.checkUuid, row.groupId, Number(row.activated)]),
      `on conflict (channel_id, ${key}_id) do update set activated = excluded.activated`,
    );
  }
}

function refuse(problems: readonly InputProblem[]): void {
  if (problems.length > 0) throw invalidInput(problems);
}

/** A channel may have thousands: they come as one text per channel, which is several times as quick as a row each. */
async function byChannel(engine: Engine, channelIds: readonly number[]): ReturnType<AlertSubscriptionStore["ofChannels"]> {
  if (channelIds.length === 0) return new Map();
  const text = sql`id || ',' || coalesce(check_uuid, '') || ',' || coalesce(cast(group_id as text), '') || ',' || activated`;
  const rows = await engine.reads
    .selectFrom("alert_subscriptions")
    .select(["channel_id", sql<string>`string_agg(${text}, ';' order by id)`.as("list")])
    .where(engine.isAny("channel_id", channelIds))
    .groupBy("channel_id")
    .execute();
  return new Map(
    rows.map(({ channel_id: channelId, list }) => [channelId, list.split(";").map((fields) => subscriptionIn(channelId, fields))]),
  );
}

function subscriptionIn(channelId: number, fields: string): SubscriptionRow {
  const [id, checkUuid = "", groupId = "", activated] = fields.split(",");
  return {
    id: Number(id),
    channelId,
    checkUuid: checkUuid === "" ? null : checkUuid,
    groupId: groupId === "" ? null : Number(groupId),
    activated: activated === "1",
  };
}

async function choicesBy(
  engine: Engine,
  column: "check_id" | "group_id",
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly ChannelChoice[]>> {
  if (ids.length === 0) return new Map();
  const rows = await engine.reads
    .selectFrom("alert_subscriptions")
    .selectAll()
    .where(engine.isAny(column, ids))
    .orderBy("channel_id")
    .execute();
  const choices = new Map<number, ChannelChoice[]>();
  for (const row of rows) {
    const id = row[column] ?? 0;
    choices.getOrInsertComputed(id, () => []).push({ alertChannelId: row.channel_id, activated: row.activated === 1 });
  }
  return choices;
}

function subscriptionOf(row: Selectable<Tables["alert_subscriptions"]>): SubscriptionRow {
  return { id: row.id, channelId: row.channel_id, checkUuid: row.check_uuid, groupId: row.group_id, activated: row.activated === 1 };
}
