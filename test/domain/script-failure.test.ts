import { describe, expect, it } from "vitest";
import type { PlaywrightError, PlaywrightStep, PlaywrightTest } from "../../src/contract/checks/playwright-run.ts";
import { scriptFailure, suiteFailures } from "../../src/domain/script-failure.ts";

const title = "the status page";
const error = (message: string, more: Partial<PlaywrightError> = {}): PlaywrightError => {
  return { message, stack: null, location: null, snippet: null, title, project: null, retry: 0, isSoft: false, screenshot: null, ...more };
};
const failedStep = (name: string, category: string): PlaywrightStep => {
  return { title: name, category, test: 0, depth: 0, startMs: 0, durationMs: 1, error: "failed", location: null };
};
const tests: PlaywrightTest[] = [
  { title, project: null, file: "a.spec.ts", line: 1, status: "failed", retries: 0, startMs: 0, durationMs: 1, annotations: [] } as const,
];
const told = (errors: PlaywrightError[], steps: PlaywrightStep[] = []) => scriptFailure({ errors, tests, steps });

const nonsense = `Error: expect(locator).toHaveText(expected) failed\n\nLocator:  locator('h1')\nExpected: "Nonsense"\nReceived: "Sign in"\n`;

describe("what failed in a script, in a sentence", () => {
  it("is the test and what was expected: the call of Playwright stands there once", () => {
    expect(told([error(nonsense)], [failedStep(`Expect "toHaveText" locator('h1')`, "expect")])).toBe(
      `the status page: expect(locator('h1')).toHaveText failed: expected "Nonsense", received "Sign in"`,
    );
  });

  it("names the step that the script named", () => {
    expect(told([error("Error: empty")], [failedStep("the cart", "test.step"), failedStep("Expect", "expect")])).toBe(
      "the status page: the cart: empty",
    );
  });

  it("names what waited when the time of a test was over", () => {
    const late = error("Test timeout of 800ms exceeded.");
    expect(told([late], [failedStep("Click locator('#nope')", "pw:api")])).toBe(
      "the status page: Click locator('#nope'): Test timeout of 800ms exceeded.",
    );
    expect(told([late])).toBe("the status page: Test timeout of 800ms exceeded.");
  });

  it("prefers what ended the test to what it went on after; is nothing where nothing failed", () => {
    expect(told([error("Error: soft", { isSoft: true }), error("Error: hard")])).toBe("the status page: hard");
    expect(told([error("Error: no test", { title: null })])).toBe("no test");
    expect(told([])).toBeNull();
  });
});

describe("what failed in a suite", () => {
  const test = (name: string, status: PlaywrightTest["status"]): PlaywrightTest => ({ ...tests[0]!, title: name, status });
  const of = (name: string | null, message: string, more: Partial<PlaywrightError> = {}): PlaywrightError =>
    error(message, { title: name, ...more });

  it("is a sentence for each test that failed for good, of its last try, and for errors of no test", () => {
    const all = [test("pays", "failed"), test("opens", "flaky"), test("waits", "timedOut")];
    const errors = [
      of("pays", "Error: first"),
      of("pays", "Error: soft", { retry: 1, isSoft: true }),
      of("pays", "Error: second", { retry: 1 }),
      of("opens", "Error: once"),
      of("waits", "Test timeout of 800ms exceeded."),
      of(null, "Error: the tear-down broke"),
    ];
    expect(suiteFailures({ errors, tests: all, steps: [] })).toEqual([
      "pays: second",
      "waits: Test timeout of 800ms exceeded.",
      "the tear-down broke",
    ]);
  });

  it("says the same of several projects once, and never more than 20 things", () => {
    const many = Array.from({ length: 30 }, (_, n) => `test ${n}`);
    const errors = ["desktop", "phone"].flatMap((project) => many.map((name) => of(name, "Error: no", { project })));
    const all = ["desktop", "phone"].flatMap((project) => many.map((name) => ({ ...test(name, "failed"), project })));
    expect(suiteFailures({ errors, tests: all, steps: [] })).toEqual(many.slice(0, 20).map((name) => `${name}: no`));
    expect(suiteFailures({ errors: [], tests: all, steps: [] })).toEqual([]);
  });
});
