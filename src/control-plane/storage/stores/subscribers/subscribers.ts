import type { Kysely } from "kysely";
import type { StatusPageIncidentDefinition } from "#domain/incidents.ts";
import type { StatusPageDefinition, SubscriptionDefinition } from "#domain/status-pages.ts";
import type { DocumentRow, NewDocument } from "../../document-store.ts";
import type { Engine } from "../../engine.ts";
import type { Tables, Trx } from "../../schema.ts";
import type { ClaimedMail, FollowedPage, NewSubscription, SubscriberStore } from "../../subscriber-store.ts";
import { documentOf, insertMissing } from "../documents.ts";
import { followersOf } from "./follower-list.ts";
import { nameOf } from "./follower-name.ts";
import { expandNews, newsIn } from "./incident-news.ts";
import { affectedServices, announceMaintenance, maintenanceTold, windowsOf } from "./maintenance-news.ts";

const kind = "status-page-subscription";

export function subscriberStore(engine: Engine): SubscriberStore {
  const { reads } = engine;
  return {
    subscribe: (subscriptions, nowMs) => engine.transaction((trx) => subscribe(engine, trx, subscriptions, nowMs)),
    askAgain: (subscription, askedBeforeMs, nowMs) =>
      engine.transaction((trx) => askAgain(engine, trx, subscription, askedBeforeMs, nowMs)),
    find: (uuid) => find(reads, uuid),
    ofPage: (accountId, pageUuid, filter) => followersOf(reads, accountId, pageUuid, filter),
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
    announce: (nowMs) => announceMaintenance(engine, nowMs),
    async claim(nowMs, untilMs, limit) {
      const waitMs = engine.clock.waitMs(nowMs);
      const due = await reads.selectFrom("subscriber_mails").select("id").where("due_at", "<=", waitMs).limit(1).executeTakeFirst();
      return due === undefined ? [] : engine.transaction((trx) => claim(engine, trx, nowMs, untilMs, limit));
    },
    async settle(mailId, dueAtMs, nowMs) {
      if (dueAtMs === null) await engine.db.deleteFrom("subscriber_mails").where("id", "=", mailId).execute();
      else
        await engine.db
          .updateTable("subscriber_mails")
          .set({ due_at: engine.clock.waitMs(nowMs) + dueAtMs - nowMs })
          .where("id", "=", mailId)
          .execute();
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

async function find(db: Kysely<Tables>, uuid: string): Promise<FollowedPage | undefined> {
  const row = await db.selectFrom("documents").selectAll().where("kind", "=", kind).where("uuid", "=", uuid).executeTakeFirst();
  const page = await db
    .selectFrom("documents")
    .select("definition")
    .where("id", "=", row?.parent_id ?? 0)
    .executeTakeFirst();
  return row && page && { subscription: documentOf<SubscriptionDefinition>(row), page: namesOf(page.definition) };
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

async function subscribe(engine: Engine, trx: Trx, subscriptions: readonly NewSubscription[], nowMs: number): Promise<number> {
  const rows = await insertMissing(
    trx,
    subscriptions.map((one) => documentFor(one, nowMs)),
  );
  for (const { id, is_open: isOpen } of rows) if (isOpen === 1) await ask(engine, trx, id, nowMs);
  return rows.length;
}

function ask(engine: Engine, trx: Trx, subscriptionId: number, nowMs: number) {
  const mail = {
    subscription_id: subscriptionId,
    delivery: crypto.randomUUID(),
    created_at: nowMs,
    due_at: engine.clock.waitMs(nowMs),
    attempts: 0,
  };
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
  await ask(engine, trx, row.id, nowMs);
}

async function claim(engine: Engine, trx: Trx, nowMs: number, untilMs: number, limit: number): Promise<readonly ClaimedMail[]> {
  const waitMs = engine.clock.waitMs(nowMs);
  const due = trx.selectFrom("subscriber_mails").selectAll().where("due_at", "<=", waitMs).orderBy("due_at").orderBy("id").limit(limit);
  const rows = await engine.skipLocked(due).execute();
  const ids = rows.map(({ id }) => id);
  await trx
    .updateTable("subscriber_mails")
    .set((eb) => ({ due_at: waitMs + untilMs - nowMs, attempts: eb("attempts", "+", 1) }))
    .where(engine.isAny("id", ids))
    .execute();
  const documents = await documentsOf(engine, trx, rows);
  const context = { documents, serviceNames: await serviceNames(engine, trx, documents), nowMs };
  const mails = rows.map((row) => mailOf(row, context));
  const gone = ids.filter((_id, index) => mails[index] === undefined);
  if (gone.length > 0) await trx.deleteFrom("subscriber_mails").where(engine.isAny("id", gone)).execute();
  return mails.filter((mail) => mail !== undefined);
}

interface MailRow {
  readonly id: number;
  readonly subscription_id: number;
  readonly incident_id: number | null;
  readonly update_uuid: string | null;
  readonly window_id: number | null;
  readonly news: string | null;
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
    windows: await windowsOf(
      engine,
      trx,
      mails.map((mail) => mail.window_id),
    ),
  };
}

async function serviceNames(engine: Engine, trx: Trx, { incidents, windows, pages }: Documents) {
  const affected = [...windows.values()].flatMap(({ window }) => [...pages.values()].flatMap((page) => affectedServices(window, page)));
  const uuids = [...new Set([...[...incidents.values()].flatMap(({ definition }) => definition.serviceIds), ...affected])];
  if (uuids.length === 0) return new Map<string, string>();
  const rows = await trx
    .selectFrom("documents")
    .select(["uuid", "definition"])
    .where("kind", "=", "status-page-service")
    .where(engine.isAny("uuid", uuids))
    .execute();
  return new Map(rows.map(({ uuid, definition }) => [uuid, (JSON.parse(definition) as { readonly name: string }).name]));
}

interface Context {
  readonly documents: Documents;
  readonly serviceNames: ReadonlyMap<string, string>;
  readonly nowMs: number;
}

/** Undefined where there is nothing to say any more. */
function mailOf(row: MailRow, context: Context): ClaimedMail | undefined {
  const subscription = context.documents.subscriptions.get(row.subscription_id);
  const page = context.documents.pages.get(subscription?.parentId ?? 0);
  if (subscription === undefined || page === undefined) return undefined;
  const told = toldBy(row, subscription, page, context);
  if (told === undefined) return undefined;
  const { name, url } = page.definition.settings;
  return {
    id: row.id,
    deliveryId: row.delivery,
    attempts: row.attempts + 1,
    createdAtMs: row.created_at,
    subscription: { uuid: subscription.uuid, address: subscription.definition.address },
    page: { name, url },
    ...told,
  };
}

/** Undefined where the update was deleted, the maintenance called off, or the address confirmed by another mail. */
function toldBy(
  row: MailRow,
  subscription: DocumentRow<SubscriptionDefinition>,
  page: DocumentRow<StatusPageDefinition>,
  { documents, serviceNames: names, nowMs }: Context,
): Pick<ClaimedMail, "news" | "maintenance"> | undefined {
  if (row.incident_id !== null) {
    const incident = documents.incidents.get(row.incident_id);
    const news = incident && newsIn(incident, row.update_uuid ?? "", names);
    return news && { news, maintenance: null };
  }
  if (row.window_id !== null) {
    const window = documents.windows.get(row.window_id);
    const maintenance = window && maintenanceTold(window, page, row.news ?? "", names, nowMs);
    return maintenance && { news: null, maintenance };
  }
  return subscription.definition.status === "VERIFIED" ? undefined : { news: null, maintenance: null };
}

function namesOf(definition: string): { readonly name: string; readonly url: string } {
  const { name, url } = (JSON.parse(definition) as StatusPageDefinition).settings;
  return { name, url };
}
