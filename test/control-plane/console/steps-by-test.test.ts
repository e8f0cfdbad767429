import { expect, it } from "vitest";
import type { PlaywrightStep, PlaywrightTest } from "#contract/checks/playwright-run.ts";
import { timeline } from "../../../src/control-plane/console/check-types/script-run/timeline.ts";

const test = (title: string, project: string | null = null): PlaywrightTest => ({
  title,
  project,
  file: "a.spec.ts",
  line: 1,
  status: "passed",
  retries: 0,
  startMs: 0,
  durationMs: 10,
  annotations: [],
});
const step = (title: string, of: number, startMs: number): PlaywrightStep => ({
  title,
  category: "test.step",
  test: of,
  depth: 0,
  startMs,
  durationMs: 5,
  error: null,
  location: null,
});
const shown = (tests: readonly PlaywrightTest[], steps: readonly PlaywrightStep[]) =>
  [
    ...timeline({ tests, steps, requests: [], startTime: 0, endTime: 100 } as never).text.matchAll(
      /<th scope="row(?:group)?"[^>]*>([^<]*)/g,
    ),
  ].map(([, text]) => text);

it("shows the steps of each test together, below its name, though tests ran at the same time", () => {
  const steps = [step("open", 0, 0), step("sign in", 1, 1), step("buy", 0, 2), step("sign out", 1, 3)];
  expect(shown([test("shop › buys <1>"), test("account", "phone")], steps)).toEqual([
    "shop › buys &lt;1&gt;",
    "open",
    "buy",
    "phone › account",
    "sign in",
    "sign out",
  ]);
});

it("names no test where there is one", () => {
  expect(shown([test("alone")], [step("open", 0, 0), step("buy", 0, 2)])).toEqual(["open", "buy"]);
});
