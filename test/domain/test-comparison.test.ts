import { describe, expect, it } from "vitest";
import { compareTests } from "../../src/domain/test-comparison.ts";
import type { TestOutcome } from "../../src/domain/test-outcomes.ts";

const test = (title: string, status: TestOutcome["status"], durationMs = 100, project: string | null = null): TestOutcome => {
  return { project, file: "shop.spec.ts", line: 1, title, status, durationMs };
};
const titles = (all: readonly { readonly title: string }[]): readonly string[] => all.map(({ title }) => title);

describe("a run beside one that passed", () => {
  const then = [test("pays", "passed", 100), test("opens", "flaky", 900), test("waits", "skipped", 0), test("was", "passed", 50)];

  it("tells what passed then and does not now, what is new and what is gone", () => {
    const now = [test("pays", "timedOut", 30_000), test("opens", "passed", 100), test("waits", "failed"), test("is", "failed")];
    const { broken, added, missing, durations } = compareTests(now, then);
    expect([titles(broken), titles(added), titles(missing)]).toEqual([["pays"], ["is"], ["was"]]);
    expect(broken[0]).toMatchObject({ before: { status: "passed", durationMs: 100 }, now: { status: "timedOut", durationMs: 30_000 } });
    expect(titles(durations)).toEqual(["pays", "opens"]);
  });

  it("counts a test that is skipped now as one that does not pass, and measures it not", () => {
    const { broken, durations } = compareTests([test("pays", "skipped", 0)], then);
    expect([titles(broken), titles(durations)]).toEqual([["pays"], []]);
  });

  it("knows tests by their project", () => {
    const { broken, added } = compareTests([test("pays", "failed", 1, "phone")], then);
    expect([titles(broken), titles(added)]).toEqual([[], ["pays"]]);
  });
});
