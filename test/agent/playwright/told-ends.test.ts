import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { ToldEnds } from "../../../src/agent/playwright/told-ends.ts";

const never = new Promise<never>(() => {});

function tree() {
  const answers = new PassThrough();
  return { answers, told: new ToldEnds({ answers, exited: never, excess: null }, { ended: never }) };
}

describe("what a tree tells", () => {
  it("is read line by line, however it is cut", async () => {
    const { answers, told } = tree();
    for (const part of ["so far ", "half\nfir", "st\nsecond\nso far whole\n"]) answers.write(part);
    expect([await told.next(1_000, null), await told.next(1_000, null)]).toEqual([
      { how: "told", line: "first" },
      { how: "told", line: "second" },
    ]);
    expect(told.soFar).toBe("whole");
  });

  it.each([
    ["empty lines", "\n".repeat(60_000)],
    ["lines that nobody asked for", "x\n".repeat(30_000)],
  ])("is too long where it is a flood of %s", async (_what, flood) => {
    const { answers, told } = tree();
    answers.write(flood);
    answers.write(flood);
    await new Promise(setImmediate);
    expect(await told.next(1_000, null)).toEqual({ how: "too-long" });
    expect(await told.next(50, null)).toEqual({ how: "late" });
  });

  it("is too long where a line has no end", async () => {
    const { answers, told } = tree();
    const next = told.next(5_000, null);
    for (let nth = 0; nth < 17; nth += 1) answers.write(Buffer.alloc(1024 * 1024, "x"));
    expect(await next).toEqual({ how: "too-long" });
  });
});
