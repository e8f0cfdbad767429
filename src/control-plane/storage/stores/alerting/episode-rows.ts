import type { Selectable } from "kysely";
import { type Episode, type EpisodeAlert, nextEpisodes } from "#domain/alerting/episode.ts";
import type { AlertEpisodeTable, CheckAlertTable } from "../../alert-tables.ts";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";

/** What is asked of alerts when they are written. */
export const writtenColumns = [
  "id",
  "account_id",
  "check_id",
  "created_at",
  "alert_type",
  "failing_since",
  "failed_runs",
  "reminder",
  "error",
  "error_group",
  "name",
] as const;

type WrittenAlert = Pick<Selectable<CheckAlertTable>, (typeof writtenColumns)[number]>;

/** People's columns stay as they are. */
const columns = {
  id: "int8",
  account_id: "int8",
  check_id: "int8",
  name: "text",
  standing: "text",
  opened_at: "int8",
  closed_at: "int8",
  since_at: "int8",
  last_alert: "int8",
  failed_runs: "int8",
  reminders: "int8",
  error: "text",
  error_group: "int8",
  host: "text",
} as const;

const moved = ["name", "standing", "closed_at", "last_alert", "failed_runs", "reminders", "error", "error_group"];

/**
 * What alerts make of the episodes of their checks, in the transaction that writes them: whoever tells of the same check waits for its state
 * before. @param hosts that the checks look at
 */
export async function writeEpisodes(
  engine: Engine,
  trx: Trx,
  alerts: readonly WrittenAlert[],
  hosts: ReadonlyMap<number, string | null>,
): Promise<void> {
  const byCheck = Map.groupBy(
    alerts.toSorted((a, b) => a.id - b.id),
    ({ check_id: id }) => id,
  );
  const rows = await trx
    .selectFrom("alert_episodes")
    .selectAll()
    .where(engine.isAny("check_id", [...byCheck.keys()]))
    .where("closed_at", "is", null)
    .execute();
  const open = new Map(rows.map((row) => [row.check_id, episodeOf(row)]));
  const changed = [...byCheck].flatMap(([checkId, ofCheck]) => {
    const { account_id: accountId = 0, name = "" } = ofCheck.at(-1) ?? {};
    const check = { id: checkId, accountId, name, host: hosts.get(checkId) ?? null };
    return nextEpisodes(open.get(checkId) ?? null, ofCheck.map(alertOf)).map((episode) => ({ check, episode }));
  });
  // One that ends makes room for the next of its check.
  for (const isOver of [true, false]) {
    const some = changed.filter(({ episode }) => (episode.closedAtMs !== null) === isOver);
    await engine.insertMany(
      trx,
      "alert_episodes",
      columns,
      some.map(({ check, episode }) => rowOf(check, episode)),
      `on conflict (id) do update set ${moved.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    );
  }
}

/** So long others that follow are waited for: where a target fails, its locations see it one after another. */
const settleMs = 60_000;

/** Other locations of these checks fail than before: what was said of the cause of their open episodes may not be so any more. */
export async function lookAgainForCauses(engine: Engine, trx: Trx, checkIds: readonly number[], waitMs: number): Promise<void> {
  if (checkIds.length === 0) return;
  await trx
    .updateTable("alert_episodes")
    .set({ causes_from: Math.round(waitMs) + settleMs })
    .where(engine.isAny("check_id", checkIds))
    .where("closed_at", "is", null)
    .where("analysis_asked", "=", 1)
    .where("causes_from", "is", null)
    .execute();
}

function alertOf(row: WrittenAlert): EpisodeAlert {
  const { id, alert_type: type, created_at: atMs, failed_runs: failedRuns, reminder, error, error_group: errorGroup } = row;
  return { id, type, atMs, sinceMs: row.failing_since ?? atMs, failedRuns, reminder, error, errorGroup };
}

export function episodeOf(row: Selectable<AlertEpisodeTable>): Episode {
  return {
    id: row.id,
    standing: row.standing,
    openedAtMs: row.opened_at,
    closedAtMs: row.closed_at,
    sinceMs: row.since_at,
    lastAlertId: row.last_alert,
    failedRuns: row.failed_runs,
    reminders: row.reminders,
    error: row.error,
    errorGroup: row.error_group,
  };
}

interface OfCheck {
  readonly id: number;
  readonly accountId: number;
  readonly name: string;
  readonly host: string | null;
}

function rowOf({ id: checkId, accountId, name, host }: OfCheck, episode: Episode) {
  const { id, standing, openedAtMs, closedAtMs, sinceMs, lastAlertId, failedRuns, reminders, error, errorGroup } = episode;
  return [
    id,
    accountId,
    checkId,
    name,
    standing,
    openedAtMs,
    closedAtMs,
    sinceMs,
    lastAlertId,
    failedRuns,
    reminders,
    error,
    errorGroup,
    host,
  ];
}
