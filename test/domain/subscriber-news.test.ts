import { describe, expect, it } from "vitest";
import type { StoredIncidentUpdate } from "../../src/domain/incidents.ts";
import { newsOf, nextMailAtMs } from "../../src/domain/subscriber-news.ts";

const minute = 60_000;
const update = (id: string, changes: Partial<StoredIncidentUpdate> = {}): StoredIncidentUpdate => ({
  id,
  description: "We look into it.",
  status: "INVESTIGATING",
  publicAtMs: 0,
  notifySubscribers: true,
  createdAtMs: 0,
  ...changes,
});

describe("what subscribers are told of after a write", () => {
  it.each<[string, readonly StoredIncidentUpdate[], readonly StoredIncidentUpdate[], string | undefined]>([
    ["the first update", [], [update("a")], "a"],
    ["not one that does not ask for it", [], [update("a", { notifySubscribers: false })], undefined],
    ["not one that was told before", [update("a")], [update("a", { description: "Other words." })], undefined],
    ["one that asks for it only now", [update("a", { notifySubscribers: false })], [update("a")], "a"],
    ["a second update", [update("a")], [update("a"), update("b")], "b"],
    ["of a whole history the latest", [], [update("a", { publicAtMs: 2 }), update("b", { publicAtMs: 1 })], "a"],
    ["not what was deleted", [update("a"), update("b")], [update("a")], undefined],
    ["nothing of an incident without updates", [], [], undefined],
  ])("is %s", (_what, before, after, id) => {
    expect(newsOf(before, after)?.id).toBe(id);
  });
});

it("a mail that cannot be sent is tried for a day, each hour at the rarest", () => {
  const attempts: number[] = [];
  for (let atMs: number | null = 0; atMs !== null; atMs = nextMailAtMs(attempts.length, 0, atMs)) attempts.push(atMs);
  const gaps = attempts.slice(1).map((atMs, index) => atMs - (attempts[index] ?? 0));
  expect(gaps.slice(0, 6)).toEqual([20_000, 60_000, 180_000, 540_000, 1_620_000, 60 * minute]);
  expect(Math.max(...gaps)).toBe(60 * minute);
  expect(attempts.at(-1)).toBeGreaterThan(22 * 60 * minute);
  expect(attempts.at(-1)).toBeLessThanOrEqual(24 * 60 * minute);
});
