import type { CheckAlertType } from "#contract/check-alerts.ts";
import { type Arrival, arrivalsOf } from "#domain/alerting/arrivals.ts";
import type { Episode } from "#domain/alerting/episode.ts";
import type { EpisodeDetail, EpisodeRow, EpisodeTimeline } from "../../alert-episode-store.ts";
import type { Engine } from "../../engine.ts";
import { alertOf } from "../check-alerts.ts";
import { locationNames } from "./told-alerts.ts";

/** What a list tells of episodes: a look by keys for each kind of row, however many episodes. */
export async function episodeDetails(engine: Engine, episodes: readonly Episode[]): Promise<ReadonlyMap<number, EpisodeDetail>> {
  if (episodes.length === 0) return new Map();
  const told = [...new Set(episodes.flatMap(({ id, lastAlertId }) => [id, lastAlertId]))];
  const [places, arrivals, waiting] = await Promise.all([
    placesOf(
      engine,
      episodes.map(({ id }) => id),
    ),
    arrivalsOfAlerts(engine, told),
    engine.reads.selectFrom("alert_outbox").select("alert_id").where(engine.isAny("alert_id", told)).execute(),
  ]);
  const onTheirWay = new Set(waiting.map((row) => row.alert_id));
  return new Map(
    episodes.map(({ id, lastAlertId }): [number, EpisodeDetail] => [
      id,
      {
        locations: places.get(id)?.names ?? [],
        isOnlyDegraded: places.get(id)?.isOnlyDegraded === true,
        arrivals: arrivals.filter(({ alertId }) => alertId === id || alertId === lastAlertId),
        isOnItsWay: onTheirWay.has(id) || onTheirWay.has(lastAlertId),
      },
    ]),
  );
}

interface ToldPlaces {
  readonly names: readonly string[];
  readonly isOnlyDegraded: boolean;
}

const degradedTypes: ReadonlySet<string> = new Set<CheckAlertType>(["ALERT_DEGRADED", "ALERT_DEGRADED_REMAIN"]);

async function placesOf(engine: Engine, ids: readonly number[]): Promise<ReadonlyMap<number, ToldPlaces>> {
  const rows = await engine.reads
    .selectFrom("alert_episodes")
    .innerJoin("check_alerts", (join) =>
      join
        .onRef("check_alerts.check_id", "=", "alert_episodes.check_id")
        .onRef("check_alerts.id", ">=", "alert_episodes.id")
        .onRef("check_alerts.id", "<=", "alert_episodes.last_alert"),
    )
    .select(["alert_episodes.id", "check_alerts.account_id", "run_location", "alert_type"])
    .distinct()
    .where(engine.isAny("alert_episodes.id", ids))
    .where("alert_type", "not in", ["ALERT_SSL", "ALERT_RECOVERY", "ALERT_DEGRADED_RECOVERY"])
    .where("run_location", "!=", "")
    .orderBy("run_location")
    .execute();
  const nameOf = await locationNames(engine, engine.reads, rows);
  return new Map(
    [...Map.groupBy(rows, ({ id }) => id)].map(([id, found]) => {
      const isOnlyDegraded = found.every(({ alert_type: type }) => degradedTypes.has(type));
      return [id, { names: [...new Set(found.map(nameOf))], isOnlyDegraded }];
    }),
  );
}

async function arrivalsOfAlerts(engine: Engine, alertIds: readonly number[]): Promise<readonly Arrival[]> {
  const { reads } = engine;
  const [attempts, waiting, givenUp] = await Promise.all([
    reads
      .selectFrom("alert_notifications")
      .select(["check_alert_id", "channel_id", "status", "result", "sent_at"])
      .where(engine.isAny("check_alert_id", alertIds))
      .orderBy("id")
      .execute(),
    reads.selectFrom("alert_deliveries").select(["alert_id", "channel_id"]).where(engine.isAny("alert_id", alertIds)).execute(),
    reads.selectFrom("given_up_alerts").select(["alert_id", "channel_id"]).where(engine.isAny("alert_id", alertIds)).execute(),
  ]);
  const keyed = ({ alert_id, channel_id: channelId }: { readonly alert_id: number | null; readonly channel_id: number }) => ({
    alertId: alert_id ?? 0,
    channelId,
  });
  return arrivalsOf(
    attempts.map(({ check_alert_id: alertId, channel_id: channelId, status, result: answer, sent_at: atMs }) => ({
      alertId: alertId ?? 0,
      channelId,
      status,
      answer,
      atMs,
    })),
    waiting.map(keyed),
    givenUp.map(keyed),
  );
}

/** Reminders without an end would make it endless. */
const maxAlerts = 1_000;

export async function episodeTimeline(engine: Engine, { id, check, lastAlertId }: EpisodeRow): Promise<EpisodeTimeline> {
  const { reads } = engine;
  const ofCheck = reads
    .selectFrom("check_alerts")
    .innerJoin("checks", "checks.id", "check_alerts.check_id")
    .selectAll("check_alerts")
    .select("checks.uuid as check_uuid")
    .where("check_alerts.check_id", "=", check.id);
  const [first, others, acts] = await Promise.all([
    ofCheck.where("check_alerts.id", "=", id).execute(),
    ofCheck
      .where("check_alerts.id", ">", id)
      .where("check_alerts.id", "<=", lastAlertId)
      .where("alert_type", "!=", "ALERT_SSL")
      .orderBy("check_alerts.id", "desc")
      .limit(maxAlerts)
      .execute(),
    reads.selectFrom("alert_episode_acts").selectAll().where("episode_id", "=", id).orderBy("id").execute(),
  ]);
  const rows = [...first, ...others.toReversed()];
  const nameOf = await locationNames(engine, reads, rows);
  const alerts = rows.map((row) => ({ ...alertOf(row), runLocation: nameOf(row) }));
  const arrivals = await arrivalsOfAlerts(
    engine,
    alerts.map((one) => one.id),
  );
  return {
    alerts,
    arrivals,
    acts: acts.map((row) => ({ atMs: row.at, kind: row.kind, by: row.by_name, detail: row.detail, untilMs: row.until_at })),
  };
}
