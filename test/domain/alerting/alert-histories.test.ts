import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AlertRules } from "#domain/alerting/alert-rules.ts";
import {
  type AlertEvent,
  type AlertState,
  type CheckAlerting,
  isCalm,
  nextAlertState,
  noAlertState,
} from "#domain/alerting/alert-state.ts";
import type { Observation } from "#domain/alerting/observation.ts";
import { type Happened, obviousAlerts } from "./alert-reference.ts";
import { minute } from "./alert-scene.ts";

const rules: fc.Arbitrary<AlertRules> = fc.record({
  escalation: fc.oneof(
    fc.record({ by: fc.constant("runs" as const), failedRuns: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ by: fc.constant("time" as const), failingMs: fc.constantFrom(5, 10, 15, 30).map((minutes) => minutes * minute) }),
  ),
  reminders: fc.record({
    amount: fc.constantFrom(0, 1, 2, 100_000),
    intervalMs: fc.constantFrom(1, 5, 30).map((minutes) => minutes * minute),
  }),
  failingShare: fc.constantFrom(null, null, 30, 50, 100),
  confirmation: fc.constantFrom("NONE", "NONE", "SECOND_AGENT", "SECOND_LOCATION"),
});

const check: fc.Arbitrary<Omit<CheckAlerting, "silencedUntilMs"> & { silencedMinutes: number }> = fc.record({
  rules,
  activated: fc.constantFrom(true, true, true, true, false),
  muted: fc.constantFrom(false, false, false, true),
  silencedMinutes: fc.constantFrom(0, 0, 0, 60),
  runParallel: fc.boolean(),
  locationIds: fc.constantFrom([1], [2], [1, 2], [1, 2, 3], [1, 2, 3]),
});

/** One thing after another: most are runs, some come late, some come again. */
const step = fc.record({
  kind: fc.constantFrom("run", "run", "run", "run", "run", "tick", "again", "settings"),
  waitMinutes: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 12 }) },
    { weight: 1, arbitrary: fc.integer({ min: 60, max: 20_000 }) },
  ),
  lateMinutes: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 90 }) }),
  tookMinutes: fc.constantFrom(0, 1),
  verdict: fc.constantFrom("passing", "passing", "failing", "failing", "failing", "degraded", null),
  locationId: fc.integer({ min: 1, max: 3 }),
  agentId: fc.constantFrom("a", "a", "b"),
  settings: check,
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Months of a check's life; the clock is the sum of the waits. Settings change at a tick, as in the store. */
function historyOf(first: Step["settings"], steps: readonly Step[]): readonly Happened[] {
  let nowMs = 1_000 * minute;
  let current: CheckAlerting = { ...first, silencedUntilMs: null };
  const runs: Observation[] = [];
  return steps.map(({ kind, waitMinutes, settings, ...of }, index): Happened => {
    nowMs += waitMinutes * minute;
    if (kind === "settings")
      current = { ...settings, silencedUntilMs: settings.silencedMinutes ? nowMs + settings.silencedMinutes * minute : null };
    const earlier = runs[index % Math.max(runs.length, 1)];
    if (kind === "tick" || kind === "settings" || (kind === "again" && !earlier))
      return { event: { kind: "tick", atMs: nowMs }, check: current };
    const stoppedAtMs = nowMs - of.lateMinutes * minute;
    const { verdict, locationId, agentId } = of;
    const run = {
      verdict,
      locationId,
      agentId,
      resultId: index,
      startedAtMs: stoppedAtMs - of.tookMinutes * minute,
      stoppedAtMs,
      atMs: nowMs,
    };
    if (kind === "again" && earlier) return { event: { kind: "run", run: { ...earlier, atMs: nowMs } }, check: current };
    runs.push(run);
    return { event: { kind: "run", run }, check: current };
  });
}

const unchanged = fc.tuple(check, fc.array(step, { maxLength: 60 })).map(([first, steps]) =>
  historyOf(
    first,
    steps.filter(({ kind }) => kind !== "settings"),
  ),
);
const history = fc.tuple(check, fc.array(step, { maxLength: 60 })).map(([first, steps]) => historyOf(first, steps));

interface Lived {
  readonly state: AlertState;
  readonly nextDueMs: number | null;
  readonly alerts: readonly string[];
}

const unborn: Lived = { state: noAlertState, nextDueMs: null, alerts: [] };

function live({ state, alerts }: Lived, event: AlertEvent, settings: CheckAlerting): Lived {
  const step = nextAlertState(JSON.parse(JSON.stringify(state)) as AlertState, event, settings);
  return { ...step, alerts: [...alerts, ...step.alerts.map(({ atMs, type }) => `${atMs} ${type}`)] };
}

describe("over random histories of months", () => {
  it("the alerts are those of a slow and obvious model", { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(history, (happened) => {
        const { alerts } = happened.reduce((lived, { event, check: settings }) => live(lived, event, settings), unborn);
        expect(alerts).toEqual(obviousAlerts(happened));
      }),
      { numRuns: 1_500 },
    );
  });

  it("nothing is missed by looking only when something is due", { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(history, (happened) => {
        let [always, whenDue] = [unborn, unborn];
        for (const [index, { event, check: settings }] of happened.entries()) {
          [always, whenDue] = [live(always, event, settings), live(whenDue, event, settings)];
          const fromMs = timeOf(event);
          const untilMs = Math.min(timeOf(happened[index + 1]?.event ?? event), fromMs + 200 * minute);
          for (let atMs = fromMs; atMs < untilMs; atMs += minute) {
            always = live(always, { kind: "tick", atMs }, settings);
            const isDue = whenDue.nextDueMs !== null && whenDue.nextDueMs <= atMs;
            whenDue = isDue ? live(whenDue, { kind: "tick", atMs }, settings) : whenDue;
          }
        }
        expect(whenDue.alerts).toEqual(always.alerts);
      }),
      { numRuns: 150 },
    );
  });

  it("a state that is calm may be forgotten, as far as runs come in order and settings stay", { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(unchanged, (happened) => {
        // A run is numbered by its step: one that comes again is out of order, too.
        const inOrder = happened.filter(
          ({ event }, index) => event.kind === "tick" || (event.run.startedAtMs === event.run.atMs && event.run.resultId === index),
        );
        const forget = (lived: Lived): Lived => (isCalm(lived.state) ? { ...lived, state: noAlertState } : lived);
        const kept = inOrder.reduce((lived, { event, check: settings }) => live(lived, event, settings), unborn);
        const forgotten = inOrder.reduce((lived, { event, check: settings }) => forget(live(lived, event, settings)), unborn);
        expect(forgotten.alerts).toEqual(kept.alerts);
      }),
      { numRuns: 500 },
    );
  });
});

function timeOf(event: AlertEvent): number {
  return event.kind === "run" ? event.run.atMs : event.atMs;
}
