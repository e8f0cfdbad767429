import { describe, expect, it } from "vitest";
import type { PlaywrightError, PlaywrightStep, PlaywrightTest } from "../../src/contract/checks/playwright-run.ts";
import { scriptFailure } from "../../src/domain/script-failure.ts";

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
