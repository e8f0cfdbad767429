import type { CheckAlertType } from "#contract/check-alerts.ts";

/** A failure or degradation of a check that was told, from its first alert to its recovery. */
export interface Episode {
  /** Of the alert that opened it. */
  readonly id: number;
  readonly standing: "failing" | "degraded";
  readonly openedAtMs: number;
  readonly closedAtMs: number | null;
  /** When the check stopped passing: before it was told. */
  readonly sinceMs: number;
  /** Its newest alert. */
  readonly lastAlertId: number;
  readonly failedRuns: number;
  readonly reminders: number;
  /** The newest that was told; null: none was known. */
  readonly error: string | null;
  readonly errorGroup: number | null;
}

/** An alert as far as its episode is concerned. */
export interface EpisodeAlert {
  readonly id: number;
  readonly type: CheckAlertType;
  readonly atMs: number;
  readonly sinceMs: number;
  readonly failedRuns: number;
  readonly reminder: number;
  readonly error: string | null;
  readonly errorGroup: number | null;
}

/** What these alerts of one check, oldest first, make of its open episode. @returns every episode that is new or changed, oldest first */
export function nextEpisodes(open: Episode | null, alerts: readonly EpisodeAlert[]): readonly Episode[] {
  const changed = new Map<number, Episode>();
  let current = open;
  for (const alert of alerts) {
    const step = stepOf(alert.type);
    if (step === null || (current === null && step === "recovered")) continue;
    if (opens.has(alert.type) && current !== null) changed.set(current.id, { ...current, closedAtMs: alert.atMs });
    const begun: Episode = current === null || opens.has(alert.type) ? opened(alert) : current;
    const after = step === "recovered" ? closed(begun, alert) : told(begun, alert, step);
    changed.set(after.id, after);
    current = after.closedAtMs === null ? after : null;
  }
  return [...changed.values()];
}

/** One that is open where such an alert comes was never told to end. */
const opens: ReadonlySet<CheckAlertType> = new Set(["ALERT_FAILURE", "ALERT_DEGRADED"]);

/** Null: it belongs to no episode. */
function stepOf(type: CheckAlertType): Episode["standing"] | "recovered" | null {
  return steps[type] ?? null;
}

const steps: Partial<Record<CheckAlertType, Episode["standing"] | "recovered">> = {
  ALERT_FAILURE: "failing",
  ALERT_FAILURE_REMAIN: "failing",
  ALERT_DEGRADED_FAILURE: "failing",
  ALERT_DEGRADED: "degraded",
  ALERT_DEGRADED_REMAIN: "degraded",
  ALERT_FAILURE_DEGRADED: "degraded",
  ALERT_RECOVERY: "recovered",
  ALERT_DEGRADED_RECOVERY: "recovered",
};

function opened({ id, atMs, sinceMs, failedRuns }: EpisodeAlert): Episode {
  return {
    id,
    standing: "failing",
    openedAtMs: atMs,
    closedAtMs: null,
    sinceMs,
    lastAlertId: id,
    failedRuns,
    reminders: 0,
    error: null,
    errorGroup: null,
  };
}

function told(before: Episode, alert: EpisodeAlert, standing: Episode["standing"]): Episode {
  const { error, errorGroup } = alert.error === null ? before : alert;
  const reminders = before.reminders + (alert.reminder > 0 ? 1 : 0);
  return { ...before, standing, lastAlertId: alert.id, failedRuns: alert.failedRuns, reminders, error, errorGroup };
}

/** A recovery tells of the run that passed: the error stays the last one that was told. */
function closed(before: Episode, { id, atMs, failedRuns }: EpisodeAlert): Episode {
  return { ...before, closedAtMs: atMs, lastAlertId: id, failedRuns: Math.max(before.failedRuns, failedRuns) };
}
