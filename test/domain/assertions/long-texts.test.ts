import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Assertion } from "#contract/checks/assertion.ts";
import { evaluateAssertions, refusedAssertion, searchesText } from "#domain/assertions/evaluate.ts";
import { parsedJson } from "#domain/assertions/json-text.ts";
import { WorkBudget } from "#domain/assertions/work-budget.ts";

const assertion = (given: Partial<Assertion>): Assertion => {
  return { source: "TEXT_BODY", comparison: "NOT_EMPTY", property: "", target: "", regex: "", ...given };
};
const seenIn = (text: string, given: Partial<Assertion>, budget?: WorkBudget) => {
  const facts = { statusCode: 200, responseTimeMs: 1, headers: {}, text: () => text };
  return evaluateAssertions([assertion(given)], facts, budget)[0];
};

describe("assertions on long texts", () => {
  it.each([
    ["digits and a letter", `${"1".repeat(200_000)}x`],
    ["digits and spaces", `${"1".repeat(200_000)}${" ".repeat(200_000)}x`],
    ["spaces", `${" ".repeat(2_000_000)}x`],
    ["digits after a dot", `.${"1".repeat(200_000)}x`],
  ])("are compared as numbers in linear time: %s", (_title, text) => {
    expect(seenIn(text, { comparison: "GREATER_THAN", target: "5" })?.error).toContain("which is not a number");
  });

  it("find a number between any amount of white space", () => {
    expect(
      seenIn(`${" \n".repeat(10_000)}42.${"\t".repeat(10_000)}`, { comparison: "EQUALS", property: "\\s+4", target: "x" })?.error,
    ).toBeDefined();
    expect(
      seenIn(`${" \n".repeat(10_000)}42.${"\t".repeat(10_000)}`, { comparison: "GREATER_THAN", target: "41.9" })?.error,
    ).toBeUndefined();
  });

  it("match as short ones do, wherever the match is", () => {
    const words = fc
      .array(fc.constantFrom("ab", "a", "-", "\n", "é", "cc"), { minLength: 1, maxLength: 12 })
      .map((parts) => parts.join(""));
    const sources = fc.constantFrom("a+b", "(c+)", "^a", "b$", "[^a-z]c", "\\bab\\b", "(a|b)+-", "é.");
    fc.assert(
      fc.property(words, sources, fc.boolean(), (word, source, isFirst) => {
        const filling = "~".repeat(20_000);
        const wanted = new RegExp(source, "v").exec(isFirst ? `${word}~` : `~${word}`);
        const seen = seenIn(isFirst ? word + filling : filling + word, { property: source, comparison: "IS_EMPTY" });
        expect(seen?.actual ?? null).toBe(wanted === null ? null : (wanted[1] ?? wanted[0]));
      }),
      { numRuns: 200 },
    );
  });
});

describe("parsedJson", () => {
  it("refuses more than five million values, before they take memory", () => {
    expect(parsedJson(`[${"[],".repeat(2_600_000)}1]`)).toEqual({ problem: "the JSON needs too much work on a response of this size" });
  });

  it.each([
    ["commas in a string", JSON.stringify([",".repeat(6_000_000)])],
    ["commas after an escaped quote", JSON.stringify([`"${",[{".repeat(2_000_000)}\\`])],
  ])("counts no values in strings: %s", (_title, text) => {
    expect(parsedJson(text)).toEqual({ value: JSON.parse(text) as unknown });
  });
});

describe("the budget of an evaluation", () => {
  it("tells whether more of it could have changed the outcome", () => {
    const small = new WorkBudget(1_000);
    expect(seenIn("a".repeat(2_000), { property: "b+$" }, small)?.error).toBe(
      "the regular expression needs too much work on a response of this size",
    );
    expect(small.hasRefused).toBe(true);
    const large = new WorkBudget();
    expect(seenIn("{", { source: "JSON_BODY", property: "$.a" }, large)?.error).toBe("the body is not JSON");
    expect(large.hasRefused).toBe(false);
  });
});

describe("searchesText", () => {
  it.each([
    [{ source: "JSON_BODY" }, true],
    [{ source: "TEXT_BODY", property: "a+" }, true],
    [{ source: "TEXT_BODY" }, false],
    [{ source: "RESPONSE_DATA", property: "a+" }, true],
    [{ source: "HEADERS", property: "server", regex: "a+" }, false],
    [{ source: "STATUS_CODE" }, false],
  ] as const)("of %o is %s", (given, expected) => {
    expect(searchesText(assertion(given))).toBe(expected);
  });

  it("marks what is given up with the sentence of a refusal", () => {
    expect(refusedAssertion(assertion({ source: "JSON_BODY", property: "$..a" }))).toMatchObject({
      error: "the assertion needs too much work on a response of this size",
      actual: null,
    });
  });
});
