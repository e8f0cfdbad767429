import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { useEngines } from "../control-plane/storage/fixture.ts";
import { randomFrom } from "../support/random-from.ts";
import { type Event, SlotHistory } from "./slot-history.ts";

const engines = await useEngines();

const seconds = fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 90, max: 900 }));
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constantFrom("lives", "lives", "has_no_agents", "has_no_store"), seconds: fc.integer({ min: 5, max: 120 }) }),
  fc.record({ kind: fc.constant("is_down"), seconds }),
  fc.record({ kind: fc.constant("clock_steps"), seconds: fc.oneof(seconds, fc.integer({ min: -90_000, max: 90_000 })) }),
  fc.record({ kind: fc.constant("clock_steps"), seconds: fc.integer({ min: -300, max: 60 }) }),
  fc.record({
    kind: fc.constant("new_period"),
    periodMs: fc.constantFrom(10_000, 20_000, 30_000, 60_000),
    phaseMs: fc.integer({ min: 0, max: 9 }).map((at) => at * 1_000),
  }),
  fc.record({ kind: fc.constantFrom("saved_again", "switched") }),
  fc.record({ kind: fc.constant("maintenance"), inSeconds: fc.integer({ min: 0, max: 60 }), seconds }),
);

describe.each(engines.oneServer)("every slot on %s", { timeout: 240_000 }, (engine) => {
  it("is one FINAL, one MISSED, or in one gap, whatever befalls the installation", async () => {
    const storage = await engines.open(engine);
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 3, maxLength: 14 }), fc.boolean(), fc.integer(), async (events, runParallel, seed) => {
        const history = await SlotHistory.begin(storage, runParallel, randomFrom(seed));
        for (const one of events) await history.befall(one);
        expect(await history.end()).toEqual([]);
      }),
      { numRuns: engine === "sqlite" ? 60 : 20 },
    );
  });
});
