import { type Kysely, type SqlBool, sql } from "kysely";
import { afterAct, type EpisodeAct, type EpisodeHandling, isPossible, remindFromMs } from "#domain/alerting/episode-handling.ts";
import type { AlertEpisodeStore, ClosedFilter, DoneAct, EpisodeRow } from "../../alert-episode-store.ts";
import type { Engine } from "../../engine.ts";
import type { Page } from "../../page.ts";
import type { Tables, Trx } from "../../schema.ts";
import { episodeDetails, episodeTimeline } from "./episode-details.ts";
import { episodeOf } from "./episode-rows.ts";
import { wakeAlerts } from "./wake-alerts.ts";

export function alertEpisodeStore(engine: Engine): AlertEpisodeStore {
  const { reads } = engine;
  return {
    async open(accountId, checkUuid) {
      let open = joined(reads).where("alert_episodes.account_id", "=", accountId).where("closed_at", "is", null);
      if (checkUuid !== undefined) open = open.where("alert_episodes.check_id", "in", checkOf(reads, accountId, checkUuid));
      return (await open.orderBy("alert_episodes.id", "desc").execute()).map(rowOf);
    },
    closed: (accountId, filter) => closed(engine, accountId, filter),
    find: (accountId, id) => find(reads, accountId, id),
    ofIncident: (accountId, incidentUuid) => ofIncident(reads, accountId, incidentUuid),
    details: (episodes) => episodeDetails(engine, episodes),
    timeline: (episode) => episodeTimeline(engine, episode),
    act: (accountId, id, act, by, nowMs) => engine.transaction((trx) => writeAct(engine, trx, { accountId, id, act, by, nowMs })),
  };
}

function joined(db: Kysely<Tables>) {
  return db
    .selectFrom("alert_episodes")
    .innerJoin("checks", "checks.id", "alert_episodes.check_id")
    .leftJoin("error_groups", "error_groups.id", "alert_episodes.error_group")
    .selectAll("alert_episodes")
    .select(["checks.uuid as check_uuid", "checks.type as check_type", "error_groups.cleaned_message"]);
}

function checkOf(db: Kysely<Tables>, accountId: number, uuid: string) {
  return db.selectFrom("checks").select("checks.id").where("checks.uuid", "=", uuid).where("checks.account_id", "=", accountId);
}

function rowOf(row: Awaited<ReturnType<ReturnType<typeof joined>["execute"]>>[number]): EpisodeRow {
  return {
    ...episodeOf(row),
    accountId: row.account_id,
    check: { id: row.check_id, uuid: row.check_uuid, name: row.name, type: row.check_type },
    cleanedError: row.cleaned_message,
    host: row.host,
    handling: handlingOf(row),
  };
}

type HandlingColumns = Pick<
  Awaited<ReturnType<ReturnType<typeof joined>["execute"]>>[number],
  `acknowledged_${"at" | "until" | "by"}` | `snoozed_${"at" | "until" | "by"}` | "assignee" | "assignee_name"
>;

export function handlingOf(row: HandlingColumns): EpisodeHandling {
  const quiet = (atMs: number | null, untilMs: number | null, by: string | null) =>
    atMs === null || untilMs === null ? null : { atMs, untilMs, by: by ?? "" };
  return {
    acknowledged: quiet(row.acknowledged_at, row.acknowledged_until, row.acknowledged_by),
    snoozed: quiet(row.snoozed_at, row.snoozed_until, row.snoozed_by),
    assignee: row.assignee === null ? null : { id: row.assignee, name: row.assignee_name ?? "" },
  };
}

async function closed({ reads }: Engine, accountId: number, { checkUuid, during, page, limit }: ClosedFilter): Promise<Page<EpisodeRow>> {
  let ended = reads.selectFrom("alert_episodes").where("alert_episodes.closed_at", "is not", null);
  // One of the two, so that engines take its index.
  ended =
    checkUuid === undefined
      ? ended.where("alert_episodes.account_id", "=", accountId)
      : ended.where("alert_episodes.check_id", "in", checkOf(reads, accountId, checkUuid));
  if (during !== undefined) ended = ended.where("closed_at", ">=", during.fromMs).where("since_at", "<", during.toMs);
  const chosen = ended.select("alert_episodes.id").orderBy("closed_at", "desc").orderBy("alert_episodes.id", "desc");
  const [{ total }, rows] = await Promise.all([
    ended.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
    joined(reads)
      .where("alert_episodes.id", "in", chosen.limit(limit).offset((page - 1) * limit))
      .orderBy("closed_at", "desc")
      .orderBy("alert_episodes.id", "desc")
      .execute(),
  ]);
  return { items: rows.map(rowOf), total: Number(total) };
}

async function find(db: Kysely<Tables>, accountId: number, id: number): Promise<EpisodeRow | undefined> {
  const row = await joined(db).where("alert_episodes.id", "=", id).where("alert_episodes.account_id", "=", accountId).executeTakeFirst();
  return row && rowOf(row);
}

/** Written out: else SQLite does not use the index of these alone. */
const isIncident = sql<SqlBool>`kind = 'incident'`;

async function ofIncident(db: Kysely<Tables>, accountId: number, incidentUuid: string): Promise<EpisodeRow | undefined> {
  const acts = db.selectFrom("alert_episode_acts").select("episode_id").where(isIncident).where("detail", "=", incidentUuid);
  const [act] = await acts.orderBy("id", "desc").limit(1).execute();
  if (act !== undefined) return find(db, accountId, act.episode_id);
  const incident = db.selectFrom("documents").select("name").where("uuid", "=", incidentUuid).where("account_id", "=", accountId);
  const [, checkId] = /^check:(\d+)$/.exec((await incident.executeTakeFirst())?.name ?? "") ?? [];
  if (checkId === undefined) return undefined;
  const ofCheck = joined(db).where("alert_episodes.account_id", "=", accountId).where("alert_episodes.check_id", "=", Number(checkId));
  const row = await ofCheck.where("closed_at", "is", null).executeTakeFirst();
  return row && rowOf(row);
}

interface WantedAct {
  readonly accountId: number;
  readonly id: number;
  readonly act: EpisodeAct;
  readonly by: string;
  readonly nowMs: number;
}

async function writeAct(engine: Engine, trx: Trx, { accountId, id, act, by, nowMs }: WantedAct): Promise<DoneAct | undefined> {
  const seen = await find(trx, accountId, id);
  if (seen === undefined) return undefined;
  // The state before the episode, as where alerts are written.
  await wakeAlerts(engine, trx, { checkId: seen.check.id });
  await engine.lockRows(trx.selectFrom("alert_episodes").select("id").where("id", "=", id)).execute();
  const episode = (await find(trx, accountId, id)) ?? seen;
  if (!isPossible(act, episode.closedAtMs === null)) return { episode, isDone: false };
  const handling = afterAct(episode.handling, act, by, nowMs);
  await trx
    .updateTable("alert_episodes")
    .set(columnsOf(engine, handling, nowMs))
    .where("id", "=", id)
    .execute();
  await trx
    .insertInto("alert_episode_acts")
    .values({ episode_id: id, at: nowMs, kind: act.kind, by_name: by, detail: detailOf(act), until_at: untilOf(act, handling) })
    .execute();
  return { episode: { ...episode, handling }, isDone: true };
}

function columnsOf(engine: Engine, handling: EpisodeHandling, nowMs: number) {
  const none = { atMs: null, untilMs: null, by: null };
  const { acknowledged, snoozed, assignee } = handling;
  const [acknowledgement, snooze, person] = [acknowledged ?? none, snoozed ?? none, assignee ?? { id: null, name: null }];
  const fromMs = remindFromMs(handling);
  return {
    acknowledged_at: acknowledgement.atMs,
    acknowledged_until: acknowledgement.untilMs,
    acknowledged_by: acknowledgement.by,
    snoozed_at: snooze.atMs,
    snoozed_until: snooze.untilMs,
    snoozed_by: snooze.by,
    assignee: person.id,
    assignee_name: person.name,
    remind_from: fromMs === null ? null : Math.round(engine.clock.waitMs(nowMs) + fromMs - nowMs),
  };
}

function detailOf(act: EpisodeAct): string | null {
  if (act.kind === "commented") return act.text;
  if (act.kind === "assigned") return act.to?.name ?? null;
  return act.kind === "incident" ? act.id : null;
}

function untilOf({ kind }: EpisodeAct, { acknowledged, snoozed }: EpisodeHandling): number | null {
  if (kind === "acknowledged") return acknowledged?.untilMs ?? null;
  return kind === "snoozed" ? (snoozed?.untilMs ?? null) : null;
}
