import { describe, expect, it } from "vitest";
import type { HeartbeatState } from "../../../src/domain/heartbeat.ts";
import { findHeartbeatCauses, heartbeatEvidence, heartbeatImpact } from "../../../src/domain/root-causes/find-heartbeat-causes.ts";
import type { HeartbeatFacts, PingFact } from "../../../src/domain/root-causes/heartbeat-facts.ts";
import { minute, t0 } from "./scene.ts";

const ping = (minutesAgo: number, state: HeartbeatState = "RECEIVED", program = "job"): PingFact => ({
  state,
  atMs: t0 - minutesAgo * minute,
  source: null,
  program,
});

/** Pinged every ten minutes until twelve minutes ago, when it stopped. */
function missed(change: Partial<HeartbeatFacts> = {}): HeartbeatFacts {
  return {
    check: { id: "backup", name: "Backup", type: "HEARTBEAT", host: null },
    periodMs: 10 * minute,
    graceMs: 2 * minute,
    missedAtMs: t0,
    pings: [ping(12), ping(22), ping(32), ping(42)],
    cameAtMs: null,
    others: [],
    changes: [],
    windows: [],
    ...change,
  };
}

const kindsOf = (facts: HeartbeatFacts) => findHeartbeatCauses(facts).map(({ kind, confidence }) => `${kind} ${confidence}`);
const other = (name: string, isMissed: boolean) => ({ checkId: name, name, isMissed });
const late = [ping(12, "GRACE"), ping(23, "GRACE"), ping(34, "GRACE"), ping(45, "GRACE")];

describe("causes of missed heartbeats", () => {
  it.each<[title: string, expected: readonly string[], change: Partial<HeartbeatFacts>]>([
    ["nothing but silence", ["not-pinged medium"], {}],
    ["nothing known at all", [], { pings: [] }],
    ["one ping alone", ["not-pinged medium"], { pings: [ping(12)] }],
    ["all others missed", ["host high", "not-pinged medium"], { others: [other("a", true), other("b", true)] }],
    ["the only other missed", ["host medium", "not-pinged medium"], { others: [other("a", true)] }],
    ["few others missed", ["not-pinged medium"], { others: [other("a", true), other("b", false), other("c", false)] }],
    ["no control plane", ["control-plane medium", "not-pinged medium"], { pings: [ping(32), ping(42), ping(52)] }],
    [
      "new times, and no gap of the control plane",
      ["not-pinged medium", "edit medium"],
      {
        pings: [ping(32), ping(42), ping(52)],
        changes: [{ what: "check", atMs: t0 - 12 * minute, by: "ada", fields: ["heartbeat"] }],
      },
    ],
    ["it came late", ["schedule high"], { cameAtMs: t0 + 3 * minute }],
    ["it came much later", [], { cameAtMs: t0 + 300 * minute }],
    ["always in its grace", ["schedule high", "not-pinged medium"], { pings: late }],
    [
      "slower at the end",
      ["schedule medium", "not-pinged medium"],
      { pings: [ping(12, "GRACE"), ping(27, "LATE"), ping(37), ping(47), ping(57)] },
    ],
    ["another sender", ["address medium", "not-pinged medium"], { pings: [ping(12, "RECEIVED", "curl"), ping(22), ping(32), ping(42)] }],
    ["many senders as always", ["not-pinged medium"], { pings: [ping(12, "RECEIVED", "c"), ping(22, "RECEIVED", "b"), ping(32)] }],
    ["too many pings", ["not-pinged medium", "schedule low"], { pings: [ping(12), ping(13), ping(14), ping(15)] }],
    [
      "maintenance",
      ["maintenance medium", "not-pinged medium"],
      {
        windows: [{ name: "Move", startsAtMs: t0 - minute, endsAtMs: t0 + minute, pauses: false, silences: true }],
      },
    ],
    [
      "a deployment",
      ["not-pinged medium", "deployment medium"],
      { changes: [{ what: "deployment", atMs: t0 - 5 * minute, by: "ada", fields: [] }] },
    ],
  ])("with %s: %j", (_title, expected, change) => {
    expect(kindsOf(missed(change))).toEqual(expected);
  });

  it("each have evidence, and a model may speak of no more than is known", () => {
    const facts = missed({ others: [other("Mails", true), other("Reports", false)] });
    const causes = findHeartbeatCauses(facts);
    for (const { evidence } of causes) expect(evidence.length).toBeGreaterThan(0);
    const says = heartbeatEvidence(facts, causes).map((one) => one.says);
    expect(says).toContain("The heartbeat Reports was pinged at that time");
    expect(new Set(says).size).toBe(says.length);
  });

  it("say what the miss means", () => {
    expect(heartbeatImpact(missed())).toContain("Backup has had no ping after");
    expect(heartbeatImpact(missed({ cameAtMs: t0 + minute }))).toContain("it is pinged again");
  });
});
