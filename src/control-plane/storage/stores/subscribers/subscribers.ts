import type { StatusPageIncidentDefinition } from "#domain/incidents.ts";
import type { StatusPageDefinition, SubscriptionDefinition } from "#domain/status-pages.ts";
import type { NewDocument } from "../../document-store.ts";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import type { ClaimedMail, NewSubscription, SubscriberStore } from "../../subscriber-store.ts";
import { documentOf, insertMissing } from "../documents.ts";
import { expandNews, newsIn } from "./incident-news.ts";

const kind = "status-page-subscription";

export function subscriberStore(engine: Engine): SubscriberStore {
  const { reads } = engine;
  return {
    subscribe: (subscriptions, nowMs) => engine.transaction((trx) => subscribe(trx, subscriptions, nowMs)),
    askAgain: (subscription, askedBeforeMs, nowMs) =>
      engine.transaction((trx) => askAgain(engine, trx, subscription, askedBeforeMs, nowMs)),
    async find(uuid) {
      const row = await reads.selectFrom("documents").selectAll().where("kind", "=", kind).where("uuid", "=", uuid).executeTakeFirst();
      const page = await reads
        .selectFrom("documents")
        .select("definition")
        .where("id", "=", row?.parent_id ?? 0)
        .executeTakeFirst();
      return row && page && { subscription: documentOf<SubscriptionDefinition>(row), page: namesOf(page.definition) };
    },
    verify: (uuid, nowMs) =>
      engine.transaction(async (trx) => {
        const wanted = trx.selectFrom("documents").selectAll().where("kind", "=", kind).where("uuid", "=", uuid);
        const row = await engine.lockRows(wanted).executeTakeFirst();
        if (row === undefined || row.is_open === 0) return row !== undefined;
        const definition: SubscriptionDefinition = { ...documentOf<SubscriptionDefinition>(row).definition, status: "VERIFIED" };
        await trx
          .updateTable("documents")
          .set({ definition: JSON.stringify(definition), is_open: 0, updated_at: nowMs })
          .where("id", "=", row.id)
          .execute();
        return true;
      }),
    async end(uuid) {
      const { numDeletedRows } = await engine.db
        .deleteFrom("documents")
        .where("kind", "=", kind)
        .where("uuid", "=", uuid)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async expand(nowMs) {
      const waits = await reads.selectFrom("incident_news").select("id").limit(1).executeTakeFirst();
      return waits === undefined ? 0 : engine.transaction((trx) => expandNews(engine, trx, nowMs));
    },
    async claim(nowMs, untilMs, limit) {
      const due = await reads.selectFrom("subscriber_mails").select("id").where("due_at", "<=", nowMs).limit(1).executeTakeFirst();
      return due === undefined ? [] : engine.transaction((trx) => claim(engine, trx, nowMs, untilMs, limit));
    },
    async settle(mailId, dueAtMs) {
      if (dueAtMs === null) await engine.db.deleteFrom("subscriber_mails").where("id", "=", mailId).execute();
      else await engine.db.updateTable("subscriber_mails").set({ due_at: dueAtMs }).where("id", "=", mailId).execute();
    },
    async forgetUnconfirmed(askedBeforeMs) {
      const { numDeletedRows } = await engine.db
        .deleteFrom("documents")
        .where("kind", "=", kind)
        .where("is_open", "=", 1)
        .where((eb) => eb.fn.coalesce("updated_at", "created_at"), "<", askedBeforeMs)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function documentFor({ accountId, pageId, address, isVerified }: NewSubscription, nowMs: number): NewDocument<SubscriptionDefinition> {
  return {
    accountId,
    kind,
    parentId: pageId,
    name: nameOf(pageId, address),
    definition: { type: "EMAIL", address, status: isVerified ? "VERIFIED" : "PENDING" },
    open: !isVerified,
    nowMs,
  };
}

function nameOf(pageId: number, address: string): string {
  return `${pageId}:${address.toLowerCase()}`;
}

async function subscribe(trx: Trx, subscriptions: readonly NewSubscription[], nowMs: number): Promise<number> {
  const rows = await insertMissing(
    trx,
    subscriptions.map((one) => documentFor(one, nowMs)),
  );
  for (const { id, is_open: isOpen } of rows) if (isOpen === 1) await ask(trx, id, nowMs);
  return rows.length;
}

function ask(trx: Trx, subscriptionId: number, nowMs: number) {
  const mail = { subscription_id: subscriptionId, delivery: crypto.randomUUID(), created_at: nowMs, due_at: nowMs, attempts: 0 };
  return trx.insertInto("subscriber_mails").values(mail).execute();
}

async function askAgain(engine: Engine, trx: Trx, one: NewSubscription, askedBeforeMs: number, nowMs: number): Promise<void> {
  const open = trx
    .selectFrom("documents")
    .select("id")
    .where("account_id", "=", one.accountId)
    .where("kind", "=", kind)
    .where("name", "=", nameOf(one.pageId, one.address))
    .where("is_open", "=", 1)
    .where((eb) => eb.fn.coalesce("updated_at", "created_at"), "<=", askedBeforeMs);
  const row = await engine.lockRows(open).executeTakeFirst();
  if (row === undefined) return;
  await trx.updateTable("documents").set({ updated_at: nowMs }).where("id", "=", row.id).execute();
  await ask(trx, row.id, nowMs);
}

async function claim(engine: Engine, trx: Trx, nowMs: number, untilMs: number, limit: number): Promise<readonly ClaimedMail[]> {
  const due = trx.selectFrom("subscriber_mails").selectAll().where("due_at", "<=", nowMs).orderBy("due_at").orderBy("id").limit(limit);
  const rows = await engine.skipLocked(due).execute();
  const ids = rows.map(({ id }) => id);
  await trx
    .updateTable("subscriber_mails")
    .set((eb) => ({ due_at: untilMs, attempts: eb("attempts", "+", 1) }))
    .where(engine.isAny("id", ids))
    .execute();
  const documents = await documentsOf(engine, trx, rows);
  const names = await serviceNames(engine, trx, [...documents.incidents.values()]);
  const mails = rows.map((row) => mailOf(row, documents, names));
  const gone = ids.filter((_id, index) => mails[index] === undefined);
  if (gone.length > 0) await trx.deleteFrom("subscriber_mails").where(engine.isAny("id", gone)).execute();
  return mails.filter((mail) => mail !== undefined);
}

interface MailRow {
  readonly id: number;
  readonly subscription_id: number;
  readonly incident_id: number | null;
  readonly update_uuid: string | null;
  readonly delivery: string;
  readonly created_at: number;
  readonly attempts: number;
}

type Documents = Awaited<ReturnType<typeof documentsOf>>;

/** What the mails are about, each read once. */
async function documentsOf(engine: Engine, trx: Trx, mails: readonly MailRow[]) {
  const read = async <D>(ids: readonly (number | null)[]) => {
    const numbers = [...new Set(ids.filter((id) => id !== null))];
    const rows = await trx.selectFrom("documents").selectAll().where(engine.isAny("id", numbers)).execute();
    return new Map(rows.map((row) => [row.id, documentOf<D>(row)]));
  };
  const subscriptions = await read<SubscriptionDefinition>(mails.map((mail) => mail.subscription_id));
  return {
    subscriptions,
    pages: await read<StatusPageDefinition>([...subscriptions.values()].map(({ parentId }) => parentId)),
    incidents: await read<StatusPageIncidentDefinition>(mails.map((mail) => mail.incident_id)),
  };
}

async function serviceNames(engine: Engine, trx: Trx, incidents: readonly { readonly definition: StatusPageIncidentDefinition }[]) {
  const uuids = incidents.flatMap(({ definition }) => definition.serviceIds);
  if (uuids.length === 0) return new Map<string, string>();
  const rows = await trx
    .selectFrom("documents")
    .select(["uuid", "definition"])
    .where("kind", "=", "status-page-service")
    .where(engine.isAny("uuid", uuids))
    .execute();
  return new Map(rows.map(({ uuid, definition }) => [uuid, (JSON.parse(definition) as { readonly name: string }).name]));
}

/** Undefined where there is nothing to say any more: the update was deleted, or the address was confirmed by another mail. */
function mailOf(row: MailRow, { subscriptions, pages, incidents }: Documents, names: ReadonlyMap<string, string>): ClaimedMail | undefined {
  const subscription = subscriptions.get(row.subscription_id);
  const page = pages.get(subscription?.parentId ?? 0);
  if (subscription === undefined || page === undefined) return undefined;
  const incident = incidents.get(row.incident_id ?? 0);
  const news = incident && newsIn(incident, row.update_uuid ?? "", names);
  if (row.incident_id === null ? subscription.definition.status === "VERIFIED" : news === undefined) return undefined;
  const { name, url } = page.definition.settings;
  return {
    id: row.id,
    deliveryId: row.delivery,
    attempts: row.attempts + 1,
    createdAtMs: row.created_at,
    subscription: { uuid: subscription.uuid, address: subscription.definition.address },
    page: { name, url },
    news: news ?? null,
  };
}

function namesOf(definition: string): { readonly name: string; readonly url: string } {
  const { name, url } = (JSON.parse(definition) as StatusPageDefinition).settings;
  return { name, url };
}
