import type { AlertState } from "#domain/alerting/alert-state.ts";
import type { LocationState } from "#domain/alerting/location-states.ts";
import type { CheckTrouble, CheckTroubleStore, TroubledPlace } from "../check-trouble-store.ts";
import type { Engine } from "../engine.ts";

/** What the states of alerts know, which every run is counted into: three looks by keys, however many checks. */
export function checkTroubleStore(engine: Engine): CheckTroubleStore {
  return {
    async ofChecks(checkIds, nowMs) {
      const rows = await engine.reads
        .selectFrom("alert_states")
        .innerJoin("checks", "checks.id", "alert_states.check_id")
        .select(["check_id", "state", "location_ids"])
        .where(engine.isAny("check_id", checkIds))
        .execute();
      const found = rows.map(({ check_id: id, state, location_ids: all }) => {
        const { locations } = JSON.parse(state) as AlertState;
        return { id, locationIds: JSON.parse(all) as readonly number[], bad: badOnes(locations) };
      });
      const states = found.flatMap(({ bad }) => bad);
      const [names, errors] = await Promise.all([
        namesOf(engine, [...new Set(states.map(({ locationId }) => locationId))]),
        errorsOf(engine, [...new Set(states.flatMap(({ errorGroup }) => errorGroup ?? []))]),
      ]);
      const aheadMs = engine.clock.waitMs(nowMs) - nowMs;
      const placeOf = (one: BadState): TroubledPlace => ({
        locationCode: names.get(one.locationId)?.code ?? "",
        locationName: names.get(one.locationId)?.name ?? "",
        standing: one.verdict === "failing" ? "failing" : "degraded",
        sinceMs: Math.round(one.sinceMs - aheadMs),
        runs: one.runs,
        result: one.runAtMs === undefined ? null : { id: one.resultId, runAtMs: one.runAtMs },
        error: errors.get(one.errorGroup ?? 0) ?? null,
      });
      return new Map(
        found
          .filter(({ bad }) => bad.length > 0)
          .map(({ id, locationIds, bad }): [number, CheckTrouble] => [id, { places: bad.map(placeOf), of: locationIds.length }]),
      );
    },
  };
}

interface BadState extends LocationState {
  readonly locationId: number;
}

function badOnes(locations: AlertState["locations"]): readonly BadState[] {
  return Object.entries(locations)
    .map(([id, state]) => ({ ...state, locationId: Number(id) }))
    .filter(({ verdict }) => verdict !== "passing")
    .toSorted((a, b) => Number(b.verdict === "failing") - Number(a.verdict === "failing") || b.startedAtMs - a.startedAtMs);
}

async function namesOf(engine: Engine, ids: readonly number[]) {
  if (ids.length === 0) return new Map<number, { readonly code: string; readonly name: string }>();
  const rows = await engine.reads.selectFrom("locations").select(["id", "code", "name"]).where(engine.isAny("id", ids)).execute();
  return new Map(rows.map(({ id, code, name }) => [id, { code, name }]));
}

async function errorsOf(engine: Engine, groups: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (groups.length === 0) return new Map();
  const rows = await engine.reads.selectFrom("error_groups").select(["id", "raw_message"]).where(engine.isAny("id", groups)).execute();
  return new Map(rows.map(({ id, raw_message: message }) => [id, message]));
}
