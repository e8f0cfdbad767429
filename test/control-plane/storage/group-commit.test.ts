import { describe, expect, it } from "vitest";
import { AppError } from "#domain/app-error.ts";
import { GroupCommit } from "../../../src/control-plane/storage/group-commit.ts";

/** Writes only when told to, and remembers its batches. */
function gated(lanes: number, maxWeight: number) {
  const batches: (readonly number[])[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const commits = new GroupCommit<number, string>(
    lanes,
    maxWeight,
    (input) => input,
    async (inputs) => {
      batches.push(inputs);
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      return inputs.map((input) => `wrote ${input}`);
    },
  );
  return { commits, batches, open: () => gates.shift()?.resolve() };
}

describe("group commit", () => {
  it("writes a lone call at once, and those that came meanwhile together, up to the weight", async () => {
    const { commits, batches, open } = gated(1, 10);
    const all = [1, 4, 5, 6, 50, 2].map((input) => commits.add(input));
    for (let turn = 0; turn < 5; turn += 1) {
      open();
      await Promise.resolve().then(() => new Promise(setImmediate));
    }
    expect(await Promise.all(all)).toEqual([1, 4, 5, 6, 50, 2].map((input) => `wrote ${input}`));
    expect(batches).toEqual([[1], [4, 5], [6], [50], [2]]);
  });

  it("writes as many batches at the same time as it has lanes", () => {
    const { commits, batches } = gated(2, 10);
    for (const input of [1, 2, 3]) void commits.add(input);
    expect(batches).toEqual([[1], [2]]);
  });

  it("fails only the call that cannot be written", async () => {
    const commits = new GroupCommit<number, number>(
      1,
      10,
      () => 1,
      async (inputs) => {
        if (inputs.includes(3)) throw new Error("three");
        return inputs;
      },
    );
    const all = await Promise.allSettled([1, 2, 3, 4].map((input) => commits.add(input)));
    expect(all.map((one) => one.status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  });

  it("does not ask a store again for each call when it cannot answer at all", async () => {
    let asked = 0;
    const commits = new GroupCommit<number, number>(
      1,
      10,
      () => 1,
      async () => {
        asked += 1;
        throw new AppError("unavailable", "down");
      },
    );
    const all = await Promise.allSettled([1, 2, 3, 4].map((input) => commits.add(input)));
    expect(all.every((one) => one.status === "rejected")).toBe(true);
    expect(asked).toBe(2);
  });

  it("joins calls that come too soon after a batch, and not one that is urgent", async () => {
    const batches: (readonly number[])[] = [];
    const commits = new GroupCommit<number, number>(
      1,
      10,
      () => 1,
      async (inputs) => {
        batches.push(inputs);
        return inputs;
      },
      { ms: 60_000, isUrgent: (input) => input === 9 },
    );
    const first = commits.add(1);
    await first;
    const joined = [2, 3].map((input) => commits.add(input));
    await new Promise(setImmediate);
    expect(batches).toEqual([[1]]);
    await Promise.all([...joined, commits.add(9)]);
    expect(batches).toEqual([[1], [2, 3, 9]]);
  });
});
