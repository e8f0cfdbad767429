import type { HeldWindow } from "#domain/check-notices.ts";
import { chosenSpans } from "#domain/maintenance-effects.ts";
import type { CheckPlace, CheckSituation, CheckSituationStore } from "../check-situation-store.ts";
import type { Engine } from "../engine.ts";
import { type NamedEffect, namedEffects } from "./maintenance-effects.ts";

export function checkSituationStore(engine: Engine): CheckSituationStore {
  const { reads } = engine;
  const rowsOf = (ids: readonly number[]) =>
    reads
      .selectFrom("checks")
      .select(["id", "uuid", "account_id", "location_ids", "next_due"])
      .where(engine.isAny("id", [...ids]))
      .execute();
  return {
    async ofChecks(checks, nowMs) {
      if (checks.length === 0) return new Map();
      const rows = await rowsOf(checks.map(({ id }) => id));
      // Written by the stores of checks.
      const placed = rows.map((row) => ({ ...row, locationIds: JSON.parse(row.location_ids) as readonly number[] }));
      const lastDueMs = Math.max(nowMs, ...rows.map((row) => Math.min(row.next_due ?? nowMs, nowMs + furthestMs)));
      const accountIds = [...new Set(rows.map((row) => row.account_id))];
      const [places, effects, projects] = await Promise.all([
        placesOf(engine, [...new Set(placed.flatMap(({ locationIds }) => locationIds))]),
        namedEffects(engine, reads, accountIds, { fromMs: nowMs, toMs: lastDueMs }),
        codeProjects(
          engine,
          accountIds,
          rows.map(({ uuid }) => uuid),
        ),
      ]);
      const tags = new Map(checks.map((check) => [check.id, check.tags]));
      return new Map(
        placed.map((row): [number, CheckSituation] => {
          const ofAccount = effects.filter(({ accountId }) => accountId === row.account_id);
          return [
            row.id,
            {
              nextDueMs: row.next_due,
              places: row.locationIds.flatMap((id) => places.get(id) ?? []),
              windows: heldWindows(ofAccount, tags.get(row.id) ?? []),
              codeProject: projects.get(row.uuid) ?? null,
            },
          ];
        }),
      );
    },
    async placesOf(accountId) {
      const rows = await reads.selectFrom("checks").select(["id", "location_ids"]).where("account_id", "=", accountId).execute();
      // Most checks run at the same few locations: each list is read once.
      const lists = new Map(rows.map((row) => [row.location_ids, JSON.parse(row.location_ids) as readonly number[]]));
      const named = await namedPlaces(engine, [...new Set([...lists.values()].flat())]);
      const places = new Map([...lists].map(([text, ids]) => [text, ids.flatMap((id) => named.get(id) ?? [])]));
      return new Map(
        rows.flatMap((row): (readonly [number, readonly CheckPlace[]])[] => {
          const found = places.get(row.location_ids) ?? [];
          return found.length === 0 ? [] : [[row.id, found]];
        }),
      );
    },
    async maintenance({ id, tags }, fromMs, toMs) {
      const accountIds = (await rowsOf([id])).map((row) => row.account_id);
      const held = heldWindows(await namedEffects(engine, reads, accountIds, { fromMs, toMs }), tags);
      return held.toSorted((a, b) => a.startsAtMs - b.startsAtMs);
    },
  };
}

/** No schedule waits for longer. */
const furthestMs = 25 * 3_600_000;

/** By the ids of the checks that code owns. */
async function codeProjects(engine: Engine, accountIds: readonly number[], uuids: readonly string[]) {
  const rows = await engine.reads
    .selectFrom("project_resources as r")
    .innerJoin("projects as p", "p.id", "r.project_id")
    .select(["r.physical_id", "p.name"])
    .where(engine.isAny("r.account_id", [...accountIds]))
    .where("r.type", "=", "check")
    .where("r.is_member", "=", 1)
    .where(engine.isAny("r.physical_id", uuids))
    .execute();
  return new Map(rows.map((row) => [row.physical_id ?? "", row.name]));
}

async function placesOf(engine: Engine, ids: readonly number[]) {
  if (ids.length === 0) return new Map<number, CheckSituation["places"][number]>();
  const rows = await engine.reads
    .selectFrom("locations")
    .select(["id", "name", "last_seen_at"])
    .where(engine.isAny("id", [...ids]))
    .execute();
  return new Map(rows.map((row) => [row.id, { name: row.name, lastSeenAtMs: row.last_seen_at }]));
}

async function namedPlaces(engine: Engine, ids: readonly number[]): Promise<ReadonlyMap<number, CheckPlace>> {
  if (ids.length === 0) return new Map();
  const rows = await engine.reads.selectFrom("locations").select(["id", "code", "name"]).where(engine.isAny("id", ids)).execute();
  return new Map(rows.map(({ id, code, name }) => [id, { code, name: name || code }]));
}

/** What a window does at one time is told once, though it may pause by one tag and silence by another. */
function heldWindows(effects: readonly NamedEffect[], tags: readonly string[]): readonly HeldWindow[] {
  const found = new Map<string, HeldWindow>();
  for (const { windowId, name, kind, effect } of effects) {
    for (const { startsAtMs, endsAtMs } of chosenSpans([effect], tags)) {
      const key = `${windowId} ${startsAtMs} ${endsAtMs}`;
      const { pauses = false, silences = false } = found.get(key) ?? {};
      found.set(key, { name, startsAtMs, endsAtMs, pauses: pauses || kind === "pauses", silences: silences || kind === "silences" });
    }
  }
  return [...found.values()];
}
