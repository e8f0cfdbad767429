import type { OpenAlert } from "../../check-trouble-store.ts";
import type { Engine } from "../../engine.ts";
import { handlingOf } from "./alert-episodes.ts";
import { incidentKind, incidentNameOf } from "./check-incidents.ts";

/** The open alert of each check, with what people did about it and the newest incident that is open for it: three looks by keys. */
export async function openAlerts(engine: Engine, checks: readonly { readonly id: number }[]): Promise<ReadonlyMap<number, OpenAlert>> {
  const episodes = await engine.reads
    .selectFrom("alert_episodes")
    .selectAll()
    .where(
      engine.isAny(
        "check_id",
        checks.map(({ id }) => id),
      ),
    )
    .where("closed_at", "is", null)
    .execute();
  if (episodes.length === 0) return new Map();
  const incidents = await openIncidents(engine, episodes);
  return new Map(
    episodes.map((row) => [
      row.check_id,
      {
        id: row.id,
        openedAtMs: row.opened_at,
        degradedBy: row.standing === "degraded" ? row.error : null,
        handling: handlingOf(row),
        incidentUuid: incidents.get(row.id) ?? null,
      },
    ]),
  );
}

interface EpisodeOfCheck {
  readonly id: number;
  readonly account_id: number;
  readonly check_id: number;
}

/** By episode: an incident that somebody made of it, or else the one that the check opened itself. */
async function openIncidents(engine: Engine, episodes: readonly EpisodeOfCheck[]): Promise<ReadonlyMap<number, string>> {
  const acts = await engine.reads
    .selectFrom("alert_episode_acts")
    .select(["episode_id", "kind", "detail"])
    .where(
      engine.isAny(
        "episode_id",
        episodes.map(({ id }) => id),
      ),
    )
    .orderBy("episode_id")
    .orderBy("id")
    .execute();
  const made = new Map(
    acts.flatMap(({ episode_id: id, kind, detail }) => (kind !== "incident" || detail === null ? [] : [[id, detail] as const])),
  );
  const found = await engine.reads
    .selectFrom("documents")
    .select(["uuid", "name"])
    .where(engine.isAny("account_id", [...new Set(episodes.map((one) => one.account_id))]))
    .where("kind", "=", incidentKind)
    .where("is_open", "=", 1)
    .where((eb) =>
      eb.or([
        engine.isAny("uuid", [...made.values()]),
        engine.isAny(
          "name",
          episodes.map((one) => incidentNameOf(one.check_id)),
        ),
      ]),
    )
    .execute();
  const [open, byName] = [new Set(found.map(({ uuid }) => uuid)), new Map(found.map(({ uuid, name }) => [name, uuid]))];
  return new Map(
    episodes.flatMap(({ id, check_id: checkId }) => {
      const own = made.get(id);
      const uuid = own !== undefined && open.has(own) ? own : byName.get(incidentNameOf(checkId));
      return uuid === undefined ? [] : [[id, uuid] as const];
    }),
  );
}
