import { beforeEach, describe, expect, it } from "vitest";
import { Interruptions } from "../../../src/control-plane/scheduler/interruptions.ts";

describe("what kept a process from scheduling", () => {
  let [wallMs, monotonicMs] = [0, 0];
  let interruptions: Interruptions;
  const pass = (ms: number): void => {
    wallMs += ms;
    monotonicMs += ms;
  };
  const turn = (isDone = true): void => {
    interruptions.begin();
    interruptions.worked(isDone);
  };
  const known = () => interruptions.known().map(({ startsAtMs, endsAtMs, reason }) => [reason, startsAtMs, endsAtMs - 1]);
  beforeEach(() => {
    [wallMs, monotonicMs] = [1_000_000, 5];
    interruptions = new Interruptions({ nowMs: () => wallMs, monotonicMs: () => monotonicMs });
    turn();
  });

  it("is nothing while turns work, however long it rests between them", () => {
    pass(90_000);
    interruptions.begin();
    expect(known()).toEqual([]);
  });

  it("is the store from the last turn that worked until the next one that does", () => {
    for (let failure = 0; failure < 3; failure += 1) {
      pass(5_000);
      interruptions.begin();
      interruptions.failed();
    }
    pass(5_000);
    interruptions.begin();
    expect(known()).toEqual([["store_unavailable", 1_000_000, 1_020_000]]);
    interruptions.worked(false);
    expect(known()).toHaveLength(1);
    turn();
    expect(known()).toEqual([]);
  });

  it("is the store while a turn hangs, for the turn after it", () => {
    interruptions.begin();
    pass(30_000);
    interruptions.worked(true);
    interruptions.begin();
    expect(known()).toEqual([["store_unavailable", 1_000_000, 1_030_000]]);
  });

  it("is the clock where it was set forward, also in the middle of a turn, and not where it was set back", () => {
    interruptions.begin();
    wallMs += 3_600_000;
    interruptions.worked(true);
    pass(2_000);
    interruptions.begin();
    expect(known()).toEqual([["clock_jump", 1_000_000, 4_602_000]]);
    interruptions.worked(true);
    wallMs -= 3_600_000;
    interruptions.begin();
    expect(known()).toEqual([]);
  });
});
