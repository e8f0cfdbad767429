import type { Kysely } from "kysely";
import { pingedTypes } from "#contract/checks/traits.ts";
import type { LocationSeen, SilenceState } from "#domain/alerting/silence.ts";
import type { Engine } from "../../engine.ts";
import { slackMs } from "../../installation-clock.ts";
import type { Tables } from "../../schema.ts";
import { maintenanceEffects } from "../maintenance-effects.ts";

/** A check that agents run by its schedule. */
export interface RunningCheck {
  readonly id: number;
  readonly groupId: number | null;
  readonly locationIds: readonly number[];
  readonly periodMs: number;
  /** Start of its newest run, wherever it was; null: none. */
  readonly dataMs: number | null;
  /** Where that was, else the first of its locations: what stays away is told of there. */
  readonly home: number | undefined;
  readonly createdMs: number;
  /** It was changed, runs were paused or nobody could hear of it before. */
  readonly waitedSinceMs: number;
}

/** Longer than three of the longest periods. */
const lookBackMs = 4 * 86_400_000;

/** Activated checks that agents run. A window that pauses runs of an account holds the wait of all its checks. */
export async function runningChecks(
  engine: Engine,
  db: Kysely<Tables>,
  nowMs: number,
  upSinceMs: number,
): Promise<readonly RunningCheck[]> {
  const rows = await db
    .selectFrom("checks")
    .leftJoin("check_statuses", "check_statuses.check_id", "checks.id")
    .select(["id", "account_id", "group_id", "location_ids", "period_ms", "checks.created_at", "checks.updated_at"])
    .select(["last_started_us", "last_location"])
    .where("activated", "=", 1)
    .where("type", "not in", pingedTypes)
    .orderBy("id")
    .execute();
  const accountIds = [...new Set(rows.map((row) => row.account_id))];
  const pauses = await maintenanceEffects(engine, db, "pauses", accountIds, { fromMs: nowMs - lookBackMs, toMs: nowMs });
  const pausedUntil = new Map(
    [...pauses].map(([id, all]) => [id, Math.max(...all.flatMap(({ spans }) => spans.map(({ endsAtMs }) => endsAtMs)))]),
  );
  return rows.map((row) => {
    const locationIds = JSON.parse(row.location_ids) as readonly number[];
    const isAtHome = row.last_location !== null && locationIds.includes(row.last_location);
    const waitedSinceMs = Math.max(row.updated_at ?? row.created_at, upSinceMs, pausedUntil.get(row.account_id) ?? 0);
    return {
      id: row.id,
      groupId: row.group_id,
      locationIds,
      periodMs: row.period_ms,
      dataMs: row.last_started_us === null ? null : row.last_started_us / 1_000,
      home: isAtHome ? (row.last_location ?? undefined) : locationIds[0],
      createdMs: row.created_at,
      waitedSinceMs,
    };
  });
}

/**
 * What is known of a location. Silence that was not told yet begins when this process did, or when its wall clock stepped, at the earliest: nobody
 * could be heard of before. What was heard later than now was heard before the clock was set back.
 */
export function seenAt(
  location: { readonly id: number; readonly last_seen_at: number | null },
  checks: readonly RunningCheck[],
  { silentSinceMs, withoutData }: SilenceState,
  { nowMs, upSinceMs }: { readonly nowMs: number; readonly upSinceMs: number },
): LocationSeen {
  const { id } = location;
  const past = (atMs: number | null): number | null => (atMs !== null && atMs > nowMs + slackMs ? null : atMs);
  const isFuture = location.last_seen_at !== past(location.last_seen_at);
  const lastSeenMs = isFuture ? (silentSinceMs ?? upSinceMs) : location.last_seen_at;
  const told = new Set(withoutData);
  const heardMs = lastSeenMs === null ? null : Math.max(lastSeenMs, upSinceMs);
  return {
    agentSeenMs: silentSinceMs === null ? heardMs : (lastSeenMs ?? silentSinceMs),
    checks: checks.map((check) => ({
      checkId: check.id,
      // Elsewhere it is waited for in vain, or not at all.
      intervalMs: check.home === id || told.has(check.id) ? check.periodMs : Number.POSITIVE_INFINITY,
      dataMs: past(check.dataMs),
      // What was told is over when there is data, and not before.
      sinceMs: told.has(check.id) ? check.createdMs : check.waitedSinceMs,
    })),
  };
}
