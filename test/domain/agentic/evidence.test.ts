import { describe, expect, it } from "vitest";
import { isShown, judgedAssertions, notSeen } from "../../../src/domain/agentic/evidence.ts";

const claim = (actual: string, passed = true) => ({ condition: "a greeting", passed, expected: "Hello, Ann", actual });
const of = (more: Partial<Parameters<typeof judgedAssertions>[1]>) => ({ seen: [], errors: [], typed: [], ...more });

describe("an assertion", () => {
  it.each([
    ["words of a page", "Hello, Ann", of({ seen: ['- heading "Hello, Ann" [level=1]'] }), true],
    ["words over several lines", "one\n  two", of({ seen: ["a one two b"] }), true],
    ["a short word of its own", "3", of({ seen: ["items: 3"] }), true],
    ["a letter of another word", "3", of({ seen: ["13 items"] }), false],
    ["nothing", "", of({ seen: ["Hello"] }), false],
    ["signs alone", '"', of({ seen: ['- heading "x"'] }), false],
    ["what was nowhere", "Welcome back", of({ seen: ["Hello"] }), false],
    ["what only an error says", "Hello, Ann", of({ errors: ["error: no heading Hello, Ann"] }), false],
    ["what the run typed itself", "Hello, Ann", of({ seen: ["textbox: Hello, Ann"], typed: ["Hello, Ann!"] }), false],
    ["more than the run typed", "Results for tides", of({ seen: ["Results for tides"], typed: ["tides"] }), true],
  ])("that quotes %s passes or not", (_, quote, evidence, passes) => {
    expect(judgedAssertions([claim(quote)], evidence)).toEqual([
      passes ? claim(quote) : { ...claim(quote), passed: false, actual: notSeen },
    ]);
  });

  it("that did not pass never passes, and may quote an error", () => {
    const evidence = of({ seen: ["Shop"], errors: ["error: net::ERR_CONNECTION_REFUSED"] });
    expect(judgedAssertions([claim("Shop", false), claim("ERR_CONNECTION_REFUSED", false), claim("made up", false)], evidence)).toEqual([
      claim("Shop", false),
      claim("ERR_CONNECTION_REFUSED", false),
      { ...claim("made up", false), actual: notSeen },
    ]);
  });

  it("is looked for again in what a later run saw", () => {
    expect(isShown("Hello, Ann", ["a", "b Hello,  Ann"])).toBe(true);
    expect(isShown("Hello, Ann", ["Hello, Bob"])).toBe(false);
  });
});
