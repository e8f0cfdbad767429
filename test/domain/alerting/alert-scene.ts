import type { AlertRules } from "#domain/alerting/alert-rules.ts";
import type { AlertEvent, CheckAlerting } from "#domain/alerting/alert-state.ts";
import type { Observation, Standing } from "#domain/alerting/observation.ts";

export const minute = 60_000;

export const plainRules: AlertRules = {
  escalation: { by: "runs", failedRuns: 1 },
  reminders: { amount: 0, intervalMs: 5 * minute },
  failingShare: null,
  confirmation: "NONE",
};

/** A check at one location, with rules that may differ. */
export function checkWith(rules: Partial<AlertRules> = {}, changes: Partial<CheckAlerting> = {}): CheckAlerting {
  const own = { activated: true, muted: false, silencedUntilMs: null, runParallel: false, locationIds: [1] };
  return { ...own, ...changes, rules: { ...plainRules, ...rules } };
}

const verdicts = { P: "passing", D: "degraded", F: "failing" } as const satisfies Record<string, Standing>;

/** A run that started at this minute, took a second and was stored at once: `F`, or `F2` for location 2. */
export function runAt(atMinute: number, word: string, changes: Partial<Observation> = {}): AlertEvent {
  const startedAtMs = atMinute * minute;
  const verdict = verdicts[word.charAt(0) as keyof typeof verdicts] ?? null;
  const locationId = Number(word.slice(1) || 1);
  const times = { startedAtMs, stoppedAtMs: startedAtMs + 1_000, atMs: startedAtMs + 1_000 };
  return { kind: "run", run: { ...times, locationId, resultId: startedAtMs, verdict, agentId: "a", ...changes } };
}

export function tickAt(atMinute: number): AlertEvent {
  return { kind: "tick", atMs: atMinute * minute };
}
