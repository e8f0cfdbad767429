import type { AlertSettings } from "#contract/checks/alert-settings.ts";

/** Alert settings with nothing left open. */
export interface AlertRules {
  readonly escalation:
    | { readonly by: "runs" /** in a row, this one included */; readonly failedRuns: number }
    | { readonly by: "time"; readonly failingMs: number };
  /** `amount` may be `untilRecovery`. */
  readonly reminders: { readonly amount: number; readonly intervalMs: number };
  /** Of a parallel check's locations, in percent; null: one is enough. */
  readonly failingShare: number | null;
  readonly confirmation: Confirmation;
}

/** Who has to see a failure, too, before it is told. */
export type Confirmation = NonNullable<AlertSettings["confirmation"]>;

/** So many reminders never end (behaviour 2.7). */
export const untilRecovery = 100_000;
const minuteMs = 60_000;

/**
 * The rules that hold for a check: its own settings, else its group's where the group enforces them (see `effectiveAlerts`), else the
 * account's (behaviour 2.7). What none of them says has its default.
 */
export function alertRules(check: Readonly<Record<string, unknown>>, account: Readonly<Record<string, unknown>>): AlertRules {
  const own = check["useGlobalAlertSettings"] === false ? check["alertSettings"] : null;
  return rulesOf(settingsOf(own ?? account));
}

/** They were parsed with `AlertSettings` when they were written; an account that never chose has none of them. */
function settingsOf(stored: unknown): Partial<AlertSettings> {
  return stored as Partial<AlertSettings>;
}

function rulesOf(settings: Partial<AlertSettings>): AlertRules {
  const { reminders, parallelRunFailureThreshold: share, confirmation = "NONE" } = settings;
  return {
    escalation: escalationOf(settings),
    reminders: { amount: reminders?.amount ?? 0, intervalMs: (reminders?.interval ?? 5) * minuteMs },
    failingShare: share?.enabled ? share.percentage : null,
    confirmation,
  };
}

function escalationOf(settings: Partial<AlertSettings>): AlertRules["escalation"] {
  const { escalationType, runBasedEscalation, timeBasedEscalation } = settings;
  return escalationType === "TIME_BASED"
    ? { by: "time", failingMs: (timeBasedEscalation?.minutesFailingThreshold ?? 5) * minuteMs }
    : { by: "runs", failedRuns: runBasedEscalation?.failedRunThreshold ?? 1 };
}
