import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CheckAlertType } from "#contract/check-alerts.ts";
import { arrivalsOf } from "#domain/alerting/arrivals.ts";
import { type EpisodeAlert, nextEpisodes } from "#domain/alerting/episode.ts";
import { checkedHost, groupByCause } from "#domain/alerting/episode-causes.ts";
import {
  acknowledgedForMs,
  afterAct,
  type EpisodeAct,
  isPossible,
  longestSnoozeMs,
  quietNow,
  remindFromMs,
  unhandled,
} from "#domain/alerting/episode-handling.ts";

const hour = 3_600_000;

function alerts(...types: readonly CheckAlertType[]): readonly EpisodeAlert[] {
  return types.map((type, index) => ({
    id: index + 1,
    type,
    atMs: (index + 1) * 1_000,
    sinceMs: 500,
    failedRuns: index + 1,
    reminder: type.endsWith("_REMAIN") ? 1 : 0,
    error: type.includes("RECOVERY") ? null : `error ${index + 1}`,
    errorGroup: index + 1,
  }));
}

describe("episodes of a check", () => {
  it.each<[string, readonly CheckAlertType[], readonly (readonly [number, string, number | null, number])[]]>([
    ["a failure and its recovery", ["ALERT_FAILURE", "ALERT_RECOVERY"], [[1, "failing", 2_000, 0]]],
    ["one with reminders", ["ALERT_FAILURE", "ALERT_FAILURE_REMAIN", "ALERT_FAILURE_REMAIN"], [[1, "failing", null, 2]]],
    ["one that gets worse", ["ALERT_DEGRADED", "ALERT_DEGRADED_FAILURE"], [[1, "failing", null, 0]]],
    ["one that gets better first", ["ALERT_FAILURE", "ALERT_FAILURE_DEGRADED", "ALERT_DEGRADED_RECOVERY"], [[1, "degraded", 3_000, 0]]],
    [
      "two in a row",
      ["ALERT_FAILURE", "ALERT_RECOVERY", "ALERT_DEGRADED"],
      [
        [1, "failing", 2_000, 0],
        [3, "degraded", null, 0],
      ],
    ],
    [
      "one that was never told to end",
      ["ALERT_FAILURE", "ALERT_FAILURE"],
      [
        [1, "failing", 2_000, 0],
        [2, "failing", null, 0],
      ],
    ],
    ["a recovery of what is not known any more", ["ALERT_RECOVERY"], []],
    ["a reminder of what is not known any more", ["ALERT_DEGRADED_REMAIN"], [[1, "degraded", null, 1]]],
    ["a certificate", ["ALERT_SSL"], []],
  ])("are %s", (_, types, expected) => {
    expect(nextEpisodes(null, alerts(...types)).map((one) => [one.id, one.standing, one.closedAtMs, one.reminders])).toEqual(expected);
  });

  it("keep the newest error that was told, and all runs", () => {
    const [one] = nextEpisodes(null, alerts("ALERT_FAILURE", "ALERT_FAILURE_REMAIN", "ALERT_RECOVERY"));
    expect(one).toMatchObject({ error: "error 2", errorGroup: 2, failedRuns: 3, lastAlertId: 3, sinceMs: 500 });
  });

  it("come to the same alert by alert as together", () => {
    const types: readonly CheckAlertType[] = [
      "ALERT_FAILURE",
      "ALERT_FAILURE_REMAIN",
      "ALERT_RECOVERY",
      "ALERT_DEGRADED",
      "ALERT_DEGRADED_FAILURE",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...types)), (story) => {
        const all = alerts(...story);
        const known = new Map<number, ReturnType<typeof nextEpisodes>[number]>();
        for (const alert of all) {
          const open = [...known.values()].find(({ closedAtMs }) => closedAtMs === null) ?? null;
          for (const one of nextEpisodes(open, [alert])) known.set(one.id, one);
        }
        expect([...known.values()].toSorted((a, b) => a.id - b.id)).toEqual(nextEpisodes(null, all));
        expect([...known.values()].filter(({ closedAtMs }) => closedAtMs === null).length).toBeLessThan(2);
      }),
    );
  });
});

describe("what people do with an episode", () => {
  const done = (...acts: readonly EpisodeAct[]) => acts.reduce((before, act) => afterAct(before, act, "Ada", 1_000), unhandled);

  it("keeps reminders back until the later of acknowledgement and snooze ends", () => {
    expect(remindFromMs(unhandled)).toBeNull();
    expect(remindFromMs(done({ kind: "acknowledged" }))).toBe(1_000 + acknowledgedForMs);
    expect(remindFromMs(done({ kind: "snoozed", untilMs: 5 * hour }))).toBe(5 * hour);
    expect(remindFromMs(done({ kind: "acknowledged" }, { kind: "snoozed", untilMs: 48 * hour }))).toBe(48 * hour);
    expect(remindFromMs(done({ kind: "acknowledged" }, { kind: "unacknowledged" }))).toBeNull();
    expect(remindFromMs(done({ kind: "snoozed", untilMs: 5 * hour }, { kind: "unsnoozed" }))).toBeNull();
    expect(remindFromMs(done({ kind: "snoozed", untilMs: Number.MAX_SAFE_INTEGER }))).toBe(1_000 + longestSnoozeMs);
  });

  it("is over by itself", () => {
    const acknowledged = done({ kind: "acknowledged" });
    expect(quietNow(acknowledged, acknowledgedForMs)?.kind).toBe("acknowledged");
    expect(quietNow(acknowledged, 1_000 + acknowledgedForMs)).toBeNull();
    expect(quietNow(done({ kind: "snoozed", untilMs: hour }), 2_000)).toMatchObject({
      kind: "snoozed",
      quiet: { by: "Ada", untilMs: hour },
    });
    expect(quietNow(unhandled, 0)).toBeNull();
  });

  it("is commenting and assigning alone once it is over", () => {
    expect(isPossible({ kind: "acknowledged" }, false)).toBe(false);
    expect(isPossible({ kind: "snoozed", untilMs: 1 }, false)).toBe(false);
    expect(isPossible({ kind: "commented", text: "x" }, false)).toBe(true);
    expect(isPossible({ kind: "acknowledged" }, true)).toBe(true);
  });
});

describe("causes that episodes share", () => {
  const one = (id: number, cleanedError: string | null, host: string | null = null) => ({ id, cleanedError, host });
  const shown = (...episodes: readonly ReturnType<typeof one>[]) =>
    groupByCause(episodes).map(({ cause, episodes: all }) => [cause && `${cause.kind} ${cause.text}`, all.map(({ id }) => id)]);

  it("put together what fails the same way or at the same host, in the largest group", () => {
    expect(shown(one(1, "a"), one(2, "b"), one(3, "a"))).toEqual([
      ["error a", [1, 3]],
      [null, [2]],
    ]);
    expect(shown(one(1, "a", "x"), one(2, "b", "x"), one(3, "c", "x"), one(4, "a", "y"))).toEqual([
      ["host x", [1, 2, 3]],
      [null, [4]],
    ]);
    expect(shown(one(1, "a", "x"), one(2, "a", "x"))).toEqual([["error a", [1, 2]]]);
    expect(shown(one(1, null), one(2, null))).toEqual([
      [null, [1]],
      [null, [2]],
    ]);
  });

  it("lose none and have none twice", () => {
    const episode = fc.record({ cleanedError: fc.constantFrom("a", "b", null), host: fc.constantFrom("x", "y", null) });
    fc.assert(
      fc.property(fc.array(episode), (some) => {
        const ids = groupByCause(some.map((rest, id) => ({ id, ...rest }))).flatMap(({ episodes }) => episodes.map(({ id }) => id));
        expect(ids.toSorted((a, b) => a - b)).toEqual(some.map((_, id) => id));
      }),
    );
  });

  it.each([
    [{ request: { url: "https://Shop.example:8443/a" } }, "shop.example"],
    [{ request: { hostname: "db.internal", port: 5432 } }, "db.internal"],
    [{ request: { url: "https://{{HOST}}/a" } }, null],
    [{ request: { url: "no address" } }, null],
    [{ script: "x" }, null],
  ])("know the host of %j", (definition, host) => {
    expect(checkedHost(definition)).toBe(host);
  });
});

describe("whether an alert arrived", () => {
  const at = { alertId: 1, channelId: 2 };
  const attempt = (status: "SUCCESS" | "FAILURE", atMs: number) => ({ ...at, status, atMs, answer: `${atMs}` });
  it.each([
    ["delivered", [attempt("FAILURE", 1), attempt("SUCCESS", 2)], [], [], "delivered", 2],
    ["waits for its next attempt", [attempt("FAILURE", 1)], [at], [], "waiting", 1],
    ["waits for its first", [], [at], [], "waiting", null],
    ["given up", [attempt("FAILURE", 1), attempt("FAILURE", 2)], [], [at], "given-up", 2],
    ["sent again after it was given up", [attempt("FAILURE", 1)], [at], [], "waiting", 1],
    ["lost", [attempt("FAILURE", 1)], [], [], "lost", 1],
  ] as const)("is told: %s", (_, attempts, waiting, givenUp, state, atMs) => {
    expect(arrivalsOf(attempts, waiting, givenUp)).toMatchObject([{ ...at, state, atMs }]);
  });
});
