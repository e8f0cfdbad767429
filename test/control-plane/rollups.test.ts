import pino from "pino";
import { afterEach, expect, it, vi } from "vitest";
import { createRollups } from "../../src/control-plane/upkeep/rollups.ts";
import { turnsUntil } from "../support/turns.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("computes rollups as long as there are any, then removes old ones, and goes on after an error", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const calls: string[] = [];
  const answers = [true, true, false, new Error("no database")];
  const service = createRollups({
    analytics: {
      async compact(nowMs) {
        calls.push(`compact at ${nowMs}`);
        const answer = answers.shift() ?? false;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      async pruneRollups(olderThanMs) {
        calls.push(`prune before ${olderThanMs}`);
        return false;
      },
    },
    keepMs: 10,
    nowMs: () => 100,
    log: pino({ level: "silent" }),
  });
  await service.start();
  const turn = async (expected: number): Promise<void> => {
    await turnsUntil(() => calls.length >= expected && vi.getTimerCount() > 0);
    await vi.runOnlyPendingTimersAsync();
  };
  for (const expected of [1, 2, 4, 5, 7]) await turn(expected);
  await service.stop(AbortSignal.timeout(1_000));
  const [computed, pruned] = ["compact at 100", "prune before 90"];
  expect(calls.slice(0, 7)).toEqual([computed, computed, computed, pruned, computed, computed, pruned]);
});
