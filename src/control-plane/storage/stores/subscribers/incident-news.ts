import { latestFirst, type StatusPageIncidentDefinition } from "#domain/incidents.ts";
import { type StatusPageDefinition, shows } from "#domain/status-pages.ts";
import { newsOf } from "#domain/subscriber-news.ts";
import type { DocumentRow } from "../../document-store.ts";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import { followersOf } from "./followers.ts";

/** Of how much news one turn makes mails. */
const newsAtOnce = 20;

/** Notes what subscribers are to be told of, in the transaction that writes the incident. @param before null: it is new */
export async function noteNews(
  trx: Trx,
  before: StatusPageIncidentDefinition | null,
  { id, accountId, definition }: DocumentRow<StatusPageIncidentDefinition>,
  nowMs: number,
): Promise<void> {
  const update = newsOf(before?.updates ?? [], definition.updates);
  if (update === undefined) return;
  await trx
    .insertInto("incident_news")
    .values({ account_id: accountId, incident_id: id, update_uuid: update.id, created_at: nowMs })
    .execute();
}

/** One mail for each verified subscription of a page that shows a service of the incident. @returns how many */
export async function expandNews(engine: Engine, trx: Trx, nowMs: number): Promise<number> {
  const news = await engine.skipLocked(trx.selectFrom("incident_news").selectAll().orderBy("id").limit(newsAtOnce)).execute();
  let mails = 0;
  for (const one of news) {
    const pageIds = await pagesOf(trx, one.account_id, one.incident_id);
    const followers = await followersOf(engine, trx, one.account_id, pageIds);
    const rows = followers.map((id) => [
      id,
      one.incident_id,
      one.update_uuid,
      crypto.randomUUID(),
      one.created_at,
      engine.clock.waitMs(nowMs),
      0,
    ]);
    await engine.insertMany(trx, "subscriber_mails", mailColumns, rows);
    mails += rows.length;
  }
  const done = news.map(({ id }) => id);
  if (done.length > 0) await trx.deleteFrom("incident_news").where(engine.isAny("id", done)).execute();
  return mails;
}

const mailColumns = {
  subscription_id: "int8",
  incident_id: "int8",
  update_uuid: "text",
  delivery: "text",
  created_at: "int8",
  due_at: "int8",
  attempts: "int8",
} as const;

async function pagesOf(trx: Trx, accountId: number, incidentId: number): Promise<readonly number[]> {
  const documents = trx.selectFrom("documents").select(["id", "definition"]).where("account_id", "=", accountId);
  const incident = await documents.where("id", "=", incidentId).executeTakeFirst();
  if (incident === undefined) return [];
  const { serviceIds } = JSON.parse(incident.definition) as StatusPageIncidentDefinition;
  const pages = await documents.where("kind", "=", "status-page").execute();
  return pages.filter(({ definition }) => shows(JSON.parse(definition) as StatusPageDefinition, serviceIds)).map(({ id }) => id);
}

/** What is told of an update, with the names that its services have now; undefined where the update was deleted. */
export function newsIn(incident: DocumentRow<StatusPageIncidentDefinition>, updateId: string, serviceNames: ReadonlyMap<string, string>) {
  const { name, severity, serviceIds, updates } = incident.definition;
  const update = latestFirst(updates).find(({ id }) => id === updateId);
  if (update === undefined) return undefined;
  return { incident: { uuid: incident.uuid, name, severity, services: serviceIds.flatMap((id) => serviceNames.get(id) ?? []) }, update };
}
