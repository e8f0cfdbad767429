import { describe, expect, it } from "vitest";
import {
  type Alert,
  type AlertEvent,
  type AlertState,
  type CheckAlerting,
  nextAlertState,
  noAlertState,
} from "#domain/alerting/alert-state.ts";
import { checkWith, minute, runAt, tickAt } from "./alert-scene.ts";

/** What is told of events one after another; settings stay until others come between them. */
function told(check: CheckAlerting, ...happened: readonly (AlertEvent | CheckAlerting)[]): readonly Alert[] {
  let state: AlertState = noAlertState;
  let settings = check;
  return happened.flatMap((one) => {
    if (!("kind" in one)) {
      settings = one;
      return [];
    }
    // Kept as text between two events, as the store does.
    const step = nextAlertState(JSON.parse(JSON.stringify(state)) as AlertState, one, settings);
    state = step.state;
    return step.alerts;
  });
}

const types = (...given: Parameters<typeof told>): readonly string[] => told(...given).map(({ type }) => type);

/** One run a minute, from a line of words: `P D F`. */
const runs = (words: string): readonly AlertEvent[] => words.split(" ").map((word, index) => runAt(index, word));

const three = checkWith({ escalation: { by: "runs", failedRuns: 3 } });
const inParallel = { runParallel: true, locationIds: [1, 2, 3, 4] };
const half = checkWith({ failingShare: 50 }, inParallel);
const reminding = (amount: number, rules = {}): CheckAlerting => checkWith({ reminders: { amount, intervalMs: 5 * minute }, ...rules });
const fiveMinutes = checkWith({ escalation: { by: "time", failingMs: 5 * minute } });

describe("a check's alerts by runs", () => {
  it.each<[string, CheckAlerting, string, readonly string[]]>([
    ["says nothing while it passes", checkWith(), "P P P", []],
    ["fails and recovers", checkWith(), "P F F P P", ["ALERT_FAILURE", "ALERT_RECOVERY"]],
    ["degrades and recovers", checkWith(), "P D D P", ["ALERT_DEGRADED", "ALERT_DEGRADED_RECOVERY"]],
    ["gets worse, at once", three, "D D D F", ["ALERT_DEGRADED", "ALERT_DEGRADED_FAILURE"]],
    ["gets better, at once", three, "F F F D P", ["ALERT_FAILURE", "ALERT_FAILURE_DEGRADED", "ALERT_DEGRADED_RECOVERY"]],
    ["waits for its threshold", three, "F F F", ["ALERT_FAILURE"]],
    ["begins to count anew after a pass", three, "F F P F F P", []],
    ["counts what did not pass, and tells how it stands", three, "D D F", ["ALERT_FAILURE"]],
    ["tells no recovery of what was not told", three, "D D P F P", []],
    ["counts neither missed nor spoiled runs, nor lets them end a row", three, "F - F - F - P", ["ALERT_FAILURE", "ALERT_RECOVERY"]],
  ])("%s", (_case, check, words, expected) => {
    expect(types(check, ...runs(words))).toEqual(expected);
  });

  it("say since when and how often, and name the run", () => {
    const [first, last] = told(three, ...runs("P D F F F P"));
    expect(first).toMatchObject({
      sinceMs: minute,
      failedRuns: 3,
      startedAtMs: 3 * minute,
      resultId: 3 * minute,
      locationId: 1,
      reminder: 0,
    });
    expect(last).toMatchObject({ type: "ALERT_RECOVERY", sinceMs: minute, failedRuns: 4, startedAtMs: 5 * minute });
  });
});

describe("a check at several locations", () => {
  const inTurn = checkWith({}, { locationIds: [1, 2, 3] });
  it.each<[string, CheckAlerting, string, readonly string[]]>([
    ["fails until the one passes that failed", inTurn, "F1 P2 P3 F1 P2 P3 P1", ["ALERT_FAILURE", "ALERT_RECOVERY"]],
    ["counts runs in a row wherever they are, when they are in turn", { ...three, locationIds: [1, 2, 3] }, "F1 F2 F3", ["ALERT_FAILURE"]],
    ["counts runs in a row of one location", { ...three, locationIds: [1, 2] }, "F1 P2 F1 P2 F1", ["ALERT_FAILURE"]],
    ["counts by location in parallel", { ...three, ...inParallel }, "F1 F2 F3 F1 F2 F3 P1 P2 P3", []],
    ["needs its share in parallel", half, "F1 P2 P3 P4", []],
    ["fails while its share fails", half, "F1 F2 P3 P1 P2", ["ALERT_FAILURE", "ALERT_RECOVERY"]],
    ["degrades where a share does not pass", half, "F1 D2 F2", ["ALERT_DEGRADED", "ALERT_DEGRADED_FAILURE"]],
    ["knows no share in turn", { ...half, runParallel: false }, "F1", ["ALERT_FAILURE"]],
    ["knows no share of one location", { ...half, locationIds: [1] }, "F1", ["ALERT_FAILURE"]],
    [
      "waits for a second location",
      checkWith({ confirmation: "SECOND_LOCATION" }, { locationIds: [1, 2] }),
      "F1 P2 F1 F2",
      ["ALERT_FAILURE"],
    ],
    ["waits for no second location where there is one", checkWith({ confirmation: "SECOND_LOCATION" }), "F1", ["ALERT_FAILURE"]],
  ])("%s", (_case, check, words, expected) => {
    expect(types(check, ...runs(words))).toEqual(expected);
  });

  it("is not kept failing by a location that it no longer has", () => {
    const two = checkWith({}, { locationIds: [1, 2] });
    expect(types(two, runAt(0, "F1"), runAt(1, "P2"), { ...two, locationIds: [2] }, tickAt(2))).toEqual([
      "ALERT_FAILURE",
      "ALERT_RECOVERY",
    ]);
    expect(types(two, { ...two, locationIds: [2] }, runAt(1, "F1"))).toEqual([]);
  });

  it("waits for a second agent, but not for ever", () => {
    const check = checkWith({ confirmation: "SECOND_AGENT" });
    expect(types(check, runAt(0, "F"), runAt(1, "F", { agentId: "b" }))).toEqual(["ALERT_FAILURE"]);
    expect(types(check, runAt(0, "F"), runAt(1, "P", { agentId: "b" }), runAt(2, "F"), runAt(3, "F"))).toEqual([]);
    expect(told(check, ...runs("F F F F"))).toMatchObject([{ type: "ALERT_FAILURE", failedRuns: 4 }]);
    expect(types(check, runAt(0, "F", { agentId: null }))).toEqual(["ALERT_FAILURE"]);
  });
});

describe("a check's alerts by time", () => {
  it.each<[string, readonly AlertEvent[], readonly string[]]>([
    ["come when it failed so long, by a tick", [runAt(0, "F"), tickAt(4), tickAt(5), tickAt(6)], ["ALERT_FAILURE"]],
    ["come by a run, too", [runAt(0, "F"), runAt(5, "F")], ["ALERT_FAILURE"]],
    ["count from the first run that did not pass", [runAt(0, "D"), runAt(4, "F"), tickAt(5)], ["ALERT_FAILURE"]],
    ["begin anew after a pass", [runAt(0, "F"), runAt(3, "P"), runAt(4, "F"), tickAt(8)], []],
    ["judge a late run by its own time", [runAt(0, "F", { atMs: 90 * minute }), runAt(2, "P", { atMs: 90 * minute })], []],
    ["get worse at once", [runAt(0, "D"), tickAt(5), runAt(6, "F")], ["ALERT_DEGRADED", "ALERT_DEGRADED_FAILURE"]],
  ])("%s", (_case, happened, expected) => {
    expect(types(fiveMinutes, ...happened)).toEqual(expected);
  });

  it("are due when it failed so long", () => {
    const { nextDueMs, state } = nextAlertState(noAlertState, runAt(1, "F"), fiveMinutes);
    expect(nextDueMs).toBe(6 * minute);
    expect(nextAlertState(state, tickAt(6), fiveMinutes).nextDueMs).toBeNull();
  });
});

describe("reminders", () => {
  const minutes = Array.from({ length: 30 }, (_, index) => tickAt(index + 1));
  it.each([
    { amount: 0, expected: [] },
    { amount: 2, expected: [1, 2] },
    { amount: 100_000, expected: [1, 2, 3, 4, 5] },
  ])("come $amount times at most", ({ amount, expected }) => {
    const [first, ...rest] = told(reminding(amount), runAt(0, "F"), ...minutes, runAt(31, "P"), tickAt(60));
    expect(first?.type).toBe("ALERT_FAILURE");
    expect(rest.map(({ reminder, type }) => [reminder, type])).toEqual([
      ...expected.map((number) => [number, "ALERT_FAILURE_REMAIN"]),
      [0, "ALERT_RECOVERY"],
    ]);
  });

  it("come once for all that were due while nobody looked, and again one interval later", () => {
    const alerts = told(reminding(5), runAt(0, "D"), tickAt(60), tickAt(64), tickAt(65));
    expect(alerts.map(({ type, atMs }) => [type, atMs / minute])).toEqual([
      ["ALERT_DEGRADED", 1 / 60],
      ["ALERT_DEGRADED_REMAIN", 60],
      ["ALERT_DEGRADED_REMAIN", 65],
    ]);
  });

  it("count anew when it gets worse", () => {
    const alerts = told(reminding(1), runAt(0, "D"), tickAt(6), runAt(7, "F"), tickAt(13), tickAt(20));
    expect(alerts.map(({ type }) => type)).toEqual([
      "ALERT_DEGRADED",
      "ALERT_DEGRADED_REMAIN",
      "ALERT_DEGRADED_FAILURE",
      "ALERT_FAILURE_REMAIN",
    ]);
  });
});

describe("a check of which nothing is told for a while", () => {
  const silences: readonly [string, CheckAlerting][] = [
    ["muted", checkWith({}, { muted: true })],
    ["in a maintenance window", checkWith({}, { silencedUntilMs: 10 * minute })],
  ];
  it.each(silences)("and that is %s: what began and ended meanwhile stays untold", (_case, silent) => {
    expect(types(silent, ...runs("F F P"), checkWith(), tickAt(10))).toEqual([]);
  });

  it.each(silences)("and that is %s: what lasts is told afterwards, once", (_case, silent) => {
    expect(types(silent, ...runs("F F"), checkWith(), tickAt(10), runAt(11, "F"), runAt(12, "P"))).toEqual([
      "ALERT_FAILURE",
      "ALERT_RECOVERY",
    ]);
    expect(types(checkWith(), runAt(0, "F"), silent, runAt(1, "P"), checkWith(), tickAt(10))).toEqual(["ALERT_FAILURE", "ALERT_RECOVERY"]);
    expect(types(checkWith(), runAt(0, "F"), silent, runAt(1, "P"), runAt(2, "F"), checkWith(), tickAt(10))).toEqual(["ALERT_FAILURE"]);
  });

  it("is looked at again when the window ends, and not while it is muted", () => {
    const windowed = checkWith({}, { silencedUntilMs: 10 * minute });
    expect(nextAlertState(noAlertState, runAt(1, "F"), windowed).nextDueMs).toBe(10 * minute);
    expect(nextAlertState(noAlertState, runAt(1, "P"), windowed).nextDueMs).toBeNull();
    expect(nextAlertState(noAlertState, runAt(1, "F"), checkWith({}, { muted: true })).nextDueMs).toBeNull();
  });

  it("and that does not run is neither reminded of nor recovers before it runs and passes", () => {
    const off = { ...reminding(5), activated: false };
    const happened = [runAt(0, "F"), off, tickAt(1), tickAt(30), reminding(5), tickAt(31)];
    expect(types(reminding(5), ...happened)).toEqual(["ALERT_FAILURE"]);
    expect(types(reminding(5), ...happened, runAt(32, "P"))).toEqual(["ALERT_FAILURE", "ALERT_RECOVERY"]);
    expect(types(reminding(5), ...happened, runAt(32, "F"), runAt(33, "P"))).toEqual(["ALERT_FAILURE", "ALERT_RECOVERY"]);
  });
});

describe("runs out of order", () => {
  it.each<[string, readonly AlertEvent[], readonly string[]]>([
    ["an older failure does not turn a location back", [runAt(5, "P"), runAt(4, "F")], []],
    ["an older pass ends nothing", [runAt(5, "F"), runAt(4, "P"), runAt(6, "P")], ["ALERT_FAILURE", "ALERT_RECOVERY"]],
    [
      "a late recovery is told once",
      [runAt(0, "F"), runAt(1, "P", { atMs: 90 * minute }), runAt(2, "P", { atMs: 91 * minute })],
      ["ALERT_FAILURE", "ALERT_RECOVERY"],
    ],
    [
      "two that started together count in the order of their numbers",
      [runAt(1, "F", { resultId: 2 }), runAt(1, "P", { resultId: 1 })],
      ["ALERT_FAILURE"],
    ],
  ])("%s", (_case, happened, expected) => {
    expect(types(checkWith(), ...happened)).toEqual(expected);
  });

  it("and the same run again change nothing", () => {
    const once = nextAlertState(noAlertState, runAt(0, "F"), three);
    expect(nextAlertState(once.state, runAt(0, "F"), three)).toEqual({ ...once, alerts: [] });
  });
});
