import { describe, expect, it } from "vitest";
import type { CauseFacts } from "../../../src/domain/root-causes/cause-facts.ts";
import { findCauses } from "../../../src/domain/root-causes/find-causes.ts";
import { impactOf } from "../../../src/domain/root-causes/impact.ts";
import { seenOf } from "../../../src/domain/root-causes/seen.ts";
import { goodRun, place, runFact, scene } from "./scene.ts";

const phases = (times: Readonly<Record<string, number>>) =>
  seenOf("API", { error: null, statusCode: 200, detail: { response: { timingPhases: { ...times, wait: 5_000, total: 9_000 } } } }).phases;
const usual = { dns: 2, tcp: 3, tls: 10, firstByte: 40, download: 5 };

function degraded(times: Readonly<Record<string, number>>, change: Partial<CauseFacts> = {}): CauseFacts {
  const all = { ...usual, ...times };
  const responseTimeMs = Object.values(all).reduce((sum, ms) => sum + ms, 0);
  const good = ["a", "b", "c"].map((id) => ({ ...goodRun({ phases: phases(usual) }, id), responseTimeMs: 60 }));
  return scene({
    standing: "degraded",
    failure: runFact({ isDegraded: true, responseTimeMs, seen: { statusCode: 200, phases: phases(all) } }),
    good,
    ...change,
  });
}

describe("causes of degraded runs", () => {
  it.each([
    ["dns", "The name lookup took 502 ms instead of 2 ms. Look at the name servers"],
    ["tcp", "Connecting took 503 ms instead of 3 ms. Look at the network path"],
    ["tls", "The TLS handshake took 510 ms instead of 10 ms"],
    ["firstByte", "The wait for the first byte took 540 ms instead of 40 ms. The service itself"],
    ["download", "The download of the answer took 505 ms instead of 5 ms"],
  ])("name the phase that grew: %s", (phase, says) => {
    const times = { [phase]: (usual as Readonly<Record<string, number>>)[phase]! + 500 };
    const [first] = findCauses(degraded(times));
    expect(first).toMatchObject({ kind: "slow", confidence: "high", text: expect.stringContaining(says) });
    expect(first?.evidence.map(({ of }) => of.kind)).toEqual(["result", "result"]);
  });

  it("name none where all grew, and the limit where nothing did", () => {
    const all = Object.fromEntries(Object.entries(usual).map(([name]) => [name, 100]));
    expect(findCauses(degraded(all))[0]).toMatchObject({ confidence: "medium", text: expect.stringContaining("No single part") });
    expect(findCauses(degraded({}))[0]?.text).toContain("the limit is close to what is usual");
  });

  it("name the step of a script that took longer", () => {
    const steps = (ms: number) =>
      seenOf("BROWSER", {
        error: null,
        statusCode: null,
        detail: {
          steps: [
            { title: "pay", durationMs: ms, depth: 0 },
            { title: "inside", durationMs: ms, depth: 1 },
            { title: "look", durationMs: 50, depth: 0 },
          ],
        },
      }).phases;
    const failure = runFact({ isDegraded: true, responseTimeMs: 950, seen: { phases: steps(900) } });
    const good = [{ ...goodRun({ phases: steps(100) }), responseTimeMs: 150 }];
    expect(findCauses(degraded({}, { failure, good }))[0]?.text).toContain("The step “pay” took 900 ms instead of 100 ms");
  });

  it("tell what a script says of itself", () => {
    const { degradedBy } = seenOf("BROWSER", { error: null, statusCode: null, detail: { degradedBy: ["the cart was\n slow"] } });
    const failure = runFact({ isDegraded: true, seen: { degradedBy } });
    expect(findCauses(degraded({}, { failure }))[0]).toMatchObject({
      kind: "script",
      text: "The script marked the run as degraded: the cart was slow.",
    });
  });

  it("are those of failures, too: only here, and what was changed", () => {
    const { changes } = scene({
      changes: [{ what: "check", atMs: scene().sinceMs - 60_000, by: "ada", fields: ["degradedResponseTime"] }],
    });
    const texts = findCauses(degraded({ firstByte: 540 }, { changes, places: [place("Berlin", true), place("Oslo", false)] })).map(
      ({ text }) => text,
    );
    expect(texts.join(" ")).toContain("It is degraded only at Berlin and passes at Oslo");
    expect(texts.join(" ")).toContain("before it became degraded");
  });

  it("are none of a failure, and strange details are no phases", () => {
    expect(findCauses({ ...degraded({ firstByte: 540 }), standing: "failing" })).toEqual([]);
    for (const detail of [
      { response: { timingPhases: [1] } },
      { steps: "x" },
      { steps: [null, { title: 1, durationMs: 2, depth: 0 }] },
      { response: null },
    ])
      expect(seenOf("API", { error: null, statusCode: null, detail }).phases.filter(({ isStep }) => isStep)).toEqual([]);
  });

  it("have an impact in the check's words", () => {
    expect(impactOf(degraded({}))).toMatch(/^Shop has been degraded at Berlin since /);
  });
});
