import { type Kysely, sql } from "kysely";
import { type AnnouncedWindow, isShownOn, type MaintenanceNews, maintenanceNews, maintenanceTelling } from "#domain/maintenance-news.ts";
import type { StatusPageDefinition } from "#domain/status-pages.ts";
import type { DocumentRow } from "../../document-store.ts";
import type { Engine } from "../../engine.ts";
import type { Tables, Trx } from "../../schema.ts";
import type { MaintenanceTold } from "../../subscriber-store.ts";
import { documentOf } from "../documents.ts";
import { changedMaintenances } from "../maintenance-effects.ts";
import { followersOf } from "./followers.ts";

/** Until when all is told, in epoch milliseconds. */
const toldMark = "maintenance told until";
/** What is written at this moment, by any process, is seen first: so far behind it goes on. */
const behindMs = 5_000;
/** Where nothing is to be told the mark stands still, and costs no write. */
const markEveryMs = 60_000;
/** What is older is no news. */
const longestMs = 86_400_000;

/** Written out and not bound: else the engines do not use the index of these windows. */
const isAnnounced = sql<boolean>`kind = 'maintenance-window' and is_open = 1`;

/**
 * Makes mails of what maintenance windows tell, from where all processes together have come to: the mark and the mails are written at once, so
 * nothing is told twice, and nothing is left out by a process that stopped. @returns how many
 */
export async function announceMaintenance(engine: Engine, nowMs: number): Promise<number> {
  const untilMs = nowMs - behindMs;
  const told = await engine.reads.selectFrom("marks").select("value").where("name", "=", toldMark).executeTakeFirst();
  if (told !== undefined) {
    const isRecent = untilMs - Number(told.value) < markEveryMs;
    if (untilMs <= Number(told.value)) return 0;
    if (isRecent && (await newsBetween(engine, engine.reads, Number(told.value), untilMs)).length === 0) return 0;
  }
  return engine.transaction((trx) => announce(engine, trx, untilMs));
}

/** The mark is locked, so that of two processes the second one goes on where the first one came to. */
async function announce(engine: Engine, trx: Trx, untilMs: number): Promise<number> {
  const value = String(untilMs);
  await trx
    .insertInto("marks")
    .values({ name: toldMark, value })
    .onConflict((known) => known.column("name").doNothing())
    .execute();
  const mark = trx.selectFrom("marks").select("value").where("name", "=", toldMark);
  const toldMs = Number((await engine.lockRows(mark).executeTakeFirstOrThrow()).value);
  if (untilMs <= toldMs) return 0;
  const due = await newsBetween(engine, trx, Math.max(toldMs, untilMs - longestMs), untilMs);
  let mails = 0;
  for (const [accountId, ofAccount] of Map.groupBy(due, ({ window }) => window.accountId)) {
    const pages = await pagesOf(trx, accountId);
    for (const one of ofAccount) mails += await mail(engine, trx, one, pages, untilMs);
  }
  await trx.updateTable("marks").set({ value }).where("name", "=", toldMark).execute();
  return mails;
}

interface DueNews {
  readonly window: DocumentRow<AnnouncedWindow>;
  readonly news: readonly MaintenanceNews[];
}

async function newsBetween(engine: Engine, db: Kysely<Tables>, afterMs: number, untilMs: number): Promise<readonly DueNews[]> {
  const windows = (await db.selectFrom("documents").selectAll().where(isAnnounced).execute()).map(documentOf<AnnouncedWindow>);
  const changed = await changedMaintenances(engine, db, windows);
  const all = windows.map((window) => ({
    window,
    news: maintenanceNews(window.definition, changed.get(window.id) ?? [], afterMs, untilMs),
  }));
  return all.filter(({ news }) => news.length > 0);
}

async function pagesOf(trx: Trx, accountId: number): Promise<readonly DocumentRow<StatusPageDefinition>[]> {
  const rows = trx.selectFrom("documents").selectAll().where("account_id", "=", accountId).where("kind", "=", "status-page");
  return (await rows.execute()).map(documentOf<StatusPageDefinition>);
}

async function mail(
  engine: Engine,
  trx: Trx,
  { window, news }: DueNews,
  pages: readonly DocumentRow<StatusPageDefinition>[],
  nowMs: number,
): Promise<number> {
  const { statusPageVisibility } = window.definition;
  const showing = pages.filter((page) => isShownOn(page.uuid, (id) => servicesOf(page).includes(id), statusPageVisibility));
  const followers = await followersOf(
    engine,
    trx,
    window.accountId,
    showing.map(({ id }) => id),
  );
  const rows = news.flatMap((one) =>
    followers.map((id) => [id, window.id, JSON.stringify(one), crypto.randomUUID(), one.atMs, engine.clock.waitMs(nowMs), 0]),
  );
  await engine.insertMany(trx, "subscriber_mails", mailColumns, rows);
  return rows.length;
}

const mailColumns = {
  subscription_id: "int8",
  window_id: "int8",
  news: "text",
  delivery: "text",
  created_at: "int8",
  due_at: "int8",
  attempts: "int8",
} as const;

/** Windows that mails are about, with those of their maintenances that were changed. */
export async function windowsOf(engine: Engine, trx: Trx, ids: readonly (number | null)[]) {
  const numbers = [...new Set(ids.filter((id) => id !== null))];
  const rows = numbers.length === 0 ? [] : await trx.selectFrom("documents").selectAll().where(engine.isAny("id", numbers)).execute();
  const changed = await changedMaintenances(engine, trx, rows);
  return new Map(rows.map((row) => [row.id, { window: documentOf<AnnouncedWindow>(row), changed: changed.get(row.id) ?? [] }]));
}

export type KnownWindow = Awaited<ReturnType<typeof windowsOf>> extends ReadonlyMap<number, infer W> ? W : never;

/** Ids of the services of a page that a window affects, where it tells. */
export function affectedServices({ definition }: DocumentRow<AnnouncedWindow>, page: DocumentRow<StatusPageDefinition>): readonly string[] {
  const { showAffectedServices, affectAllServices, serviceIds } = definition.statusPageVisibility;
  if (!showAffectedServices) return [];
  const wanted = new Set(serviceIds.map((id) => id.toLowerCase()));
  return servicesOf(page).filter((id) => affectAllServices || wanted.has(id));
}

/** What a mail says now; undefined where it is true no more. `news` was written above. */
export function maintenanceTold(
  { window, changed }: KnownWindow,
  page: DocumentRow<StatusPageDefinition>,
  news: string,
  serviceNames: ReadonlyMap<string, string>,
  nowMs: number,
): MaintenanceTold | undefined {
  const told = JSON.parse(news) as MaintenanceNews;
  const telling = maintenanceTelling(window.definition, changed, told, nowMs);
  if (telling === undefined || !window.definition.statusPageVisibility.enabled) return undefined;
  const services = affectedServices(window, page).flatMap((id) => serviceNames.get(id) ?? []);
  return { ...telling, name: window.definition.name, thread: `${window.uuid}.${told.plan}.${told.index}`, services };
}

function servicesOf({ definition }: DocumentRow<StatusPageDefinition>): readonly string[] {
  return [...new Set(definition.cards.flatMap(({ serviceIds }) => serviceIds))];
}
