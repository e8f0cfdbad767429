import { expect, it } from "vitest";
import { stateOf } from "#domain/check-state.ts";

const nowMs = Date.UTC(2026, 0, 10);
const hourMs = 3_600_000;

it.each([
  { type: "URL", latest: null, state: "no data" },
  { type: "URL", latest: { startedAtMs: nowMs - 25 * hourMs, status: "failing" }, state: "failing" },
  { type: "URL", latest: { startedAtMs: nowMs - 25 * hourMs - 1, status: "failing" }, state: "no data" },
  { type: "HEARTBEAT", latest: null, state: "no data" },
  { type: "HEARTBEAT", latest: { startedAtMs: 0, status: "passing" }, state: "passing" },
] as const)("a $type check of which $latest is known is $state", ({ state, ...check }) => {
  expect(stateOf(check, nowMs)).toBe(state);
});
