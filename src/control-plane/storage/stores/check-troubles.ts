import type { AlertState } from "#domain/alerting/alert-state.ts";
import type { LocationState } from "#domain/alerting/location-states.ts";
import type { CheckTrouble, CheckTroubleStore, OpenAlert, PlaceStanding, TroubledPlace } from "../check-trouble-store.ts";
import type { Engine } from "../engine.ts";
import { openAlerts } from "./alerting/open-alerts.ts";
import { messagesOf } from "./error-groups.ts";
import { isFinal } from "./results/result-rows.ts";

/** What the states of alerts know, which every run is counted into: three looks by keys, however many checks. */
export function checkTroubleStore(engine: Engine): CheckTroubleStore {
  return {
    async everywhere(checkIds) {
      const rows = await engine.reads
        .selectFrom("checks")
        .leftJoin("alert_states", "alert_states.check_id", "checks.id")
        .select(["checks.id as id", "alert_states.state as state", "checks.location_ids as location_ids"])
        .where(engine.isAny("checks.id", checkIds))
        .execute();
      const found = rows.map(({ id, state, location_ids: all }) => ({
        id,
        locationIds: JSON.parse(all) as readonly number[],
        known: state === null ? {} : (JSON.parse(state) as AlertState).locations,
      }));
      const [names, ran] = await Promise.all([
        namesOf(engine, [...new Set(found.flatMap(({ locationIds }) => locationIds))]),
        Promise.all(found.map(async (one) => (one.locationIds.every((id) => id in one.known) ? new Set() : ranAt(engine, one.id)))),
      ]);
      const standings = ({ locationIds, known }: (typeof found)[number], at: ReadonlySet<unknown> | undefined) =>
        locationIds.map((id) => standingAt(id, known[id], { names, hasRun: at?.has(id) === true }));
      return new Map(found.map((one, index) => [one.id, standings(one, ran[index])]));
    },
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
      const troubled = found.filter(({ bad }) => bad.length > 0);
      const states = found.flatMap(({ bad }) => bad);
      const [alerts, names, errors] = await Promise.all([
        openAlerts(engine, troubled),
        namesOf(engine, [...new Set(states.map(({ locationId }) => locationId))]),
        messagesOf(engine, engine.reads, [...new Set(states.flatMap(({ errorGroup }) => errorGroup ?? []))]),
      ]);
      const aheadMs = engine.clock.waitMs(nowMs) - nowMs;
      const placeOf = (one: BadState, alert: OpenAlert | undefined): TroubledPlace => ({
        locationCode: names.get(one.locationId)?.code ?? "",
        locationName: names.get(one.locationId)?.name ?? "",
        standing: one.verdict === "failing" ? "failing" : "degraded",
        sinceMs: Math.round(one.sinceMs - aheadMs),
        runs: one.runs,
        result: resultOf(one),
        error: errors.get(one.errorGroup ?? 0) ?? degradedBy(one, alert),
      });
      return new Map(
        troubled.map(({ id, locationIds, bad }): [number, CheckTrouble] => {
          const alert = alerts.get(id);
          return [id, { places: bad.map((one) => placeOf(one, alert)), of: locationIds.length, alert: alert ?? null }];
        }),
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

/** More of them say nothing new: a location that is not among these has not run for long. */
const newestRuns = 100;

/** Where a check ran lately. What only passes there is in no state. */
async function ranAt(engine: Engine, checkId: number): Promise<ReadonlySet<unknown>> {
  const rows = await engine.reads
    .selectFrom("results")
    .select("location_id")
    .where("check_id", "=", checkId)
    .where(isFinal)
    .orderBy("started_at_us", "desc")
    .limit(newestRuns)
    .execute();
  return new Set(rows.map((row) => row.location_id));
}

interface Around {
  readonly names: Names;
  readonly hasRun: boolean;
}

function standingAt(locationId: number, state: LocationState | undefined, { names, hasRun }: Around): PlaceStanding {
  const { code = "", name = "" } = names.get(locationId) ?? {};
  return {
    locationId,
    locationCode: code,
    locationName: name,
    standing: state?.verdict ?? (hasRun ? "passing" : null),
    result: state === undefined ? null : resultOf(state),
  };
}

/** A ping has none. */
function resultOf({ resultId: id, runAtMs }: LocationState): TroubledPlace["result"] {
  return runAtMs === undefined || id === 0 ? null : { id, runAtMs };
}

type Names = ReadonlyMap<number, { readonly code: string; readonly name: string }>;

async function namesOf(engine: Engine, ids: readonly number[]): Promise<Names> {
  if (ids.length === 0) return new Map();
  const rows = await engine.reads.selectFrom("locations").select(["id", "code", "name"]).where(engine.isAny("id", ids)).execute();
  return new Map(rows.map(({ id, code, name }) => [id, { code, name }]));
}

/** Only failures have an error group. */
function degradedBy({ verdict }: BadState, alert: OpenAlert | undefined): string | null {
  return verdict === "degraded" ? (alert?.degradedBy ?? null) : null;
}
