import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ApiAssertion } from "#contract/checks/api.ts";
import { comparisons } from "#contract/checks/assertion.ts";
import { evaluateAssertions } from "#domain/assertions/evaluate.ts";
import type { AssertionFacts } from "#domain/assertions/facts.ts";
import { assertionProblems } from "#domain/assertions/problems.ts";

const assertion = (given: Partial<ApiAssertion>): ApiAssertion => ({
  source: "JSON_BODY",
  comparison: "EQUALS",
  property: "",
  target: "",
  regex: "",
  ...given,
});

const document = {
  name: "Ada",
  age: 36,
  on: true,
  none: null,
  empty: "",
  list: [1, 2, 3],
  objects: [{ id: 1 }, { id: 2 }],
  nothing: [],
  bare: {},
  deep: { a: { b: "c" } },
  numeral: "42",
};

const facts = (given: Partial<AssertionFacts> = {}): AssertionFacts => ({
  statusCode: 200,
  responseTimeMs: 123.4,
  headers: { "content-type": "application/json; charset=utf-8", "x-count": "17" },
  text: () => JSON.stringify(document),
  ...given,
});

const evaluateOne = (given: Partial<ApiAssertion>, seen = facts()) => {
  const [evaluated] = evaluateAssertions([assertion(given)], seen);
  if (evaluated === undefined) throw new Error("nothing evaluated");
  return evaluated;
};

const holds = (given: Partial<ApiAssertion>, seen = facts()): boolean => evaluateOne(given, seen).error === undefined;

describe("evaluateAssertions on JSON", () => {
  it.each([
    ["$.name", "EQUALS", "Ada", true],
    ["$.name", "EQUALS", "ada", false],
    ["$.name", "NOT_EQUALS", "Bob", true],
    ["$.name", "CONTAINS", "da", true],
    ["$.name", "NOT_CONTAINS", "da", false],
    ["$.name", "GREATER_THAN", "1", false],
    ["$.name", "HAS_KEY", "0", false],
    ["$.name", "NOT_HAS_KEY", "0", true],
    ["$.name", "HAS_VALUE", "Ada", true],
    ["$.age", "EQUALS", "36", true],
    ["$.age", "EQUALS", "36.0", true],
    ["$.age", "EQUALS", "0x24", false],
    ["$.age", "GREATER_THAN", "35.5", true],
    ["$.age", "LESS_THAN", "36", false],
    ["$.age", "CONTAINS", "3", true],
    ["$.age", "NOT_EMPTY", "", true],
    ["$.age", "IS_EMPTY", "", false],
    ["$.numeral", "GREATER_THAN", "41", true],
    ["$.on", "EQUALS", "true", true],
    ["$.on", "GREATER_THAN", "0", false],
    ["$.none", "IS_NULL", "", true],
    ["$.none", "NOT_NULL", "", false],
    ["$.none", "IS_EMPTY", "", true],
    ["$.none", "EQUALS", "null", true],
    ["$.none", "CONTAINS", "n", false],
    ["$.empty", "IS_EMPTY", "", true],
    ["$.empty", "IS_NULL", "", false],
    ["$.empty", "NOT_NULL", "", true],
    ["$.list", "EQUALS", "[1, 2,3]", true],
    ["$.list", "EQUALS", "[3,2,1]", false],
    ["$.list", "EQUALS", "no json", false],
    ["$.list", "NOT_EQUALS", "no json", true],
    ["$.list", "HAS_KEY", "2", true],
    ["$.list", "HAS_KEY", "3", false],
    ["$.list", "HAS_VALUE", "2", true],
    ["$.list", "CONTAINS", "4", false],
    ["$.list", "LESS_THAN", "9", false],
    ["$.objects", "HAS_VALUE", '{"id":2}', true],
    ["$.objects", "NOT_HAS_VALUE", '{"id":3}', true],
    ["$.nothing", "IS_EMPTY", "", true],
    ["$.bare", "IS_EMPTY", "", true],
    ["$.bare", "NOT_EMPTY", "", false],
    ["$.deep", "HAS_KEY", "a", true],
    ["$.deep", "HAS_KEY", "constructor", false],
    ["$.deep", "HAS_VALUE", '{"b":"c"}', true],
    ["$.deep", "EQUALS", '{"a":{"b":"c"}}', true],
    ["", "HAS_KEY", "name", true],
    ["$", "NOT_HAS_KEY", "nobody", true],
    ["$.list[*]", "GREATER_THAN", "0", true],
    ["$.list[*]", "GREATER_THAN", "1", false],
    ["$..id", "NOT_NULL", "", true],
    ["$.objects[?@.id > 1].id", "EQUALS", "2", true],
    ["$.objects[?@ == $.objects[0]].id", "EQUALS", "1", true],
    ["$[?match(@, 'A.a')]", "EQUALS", "Ada", true],
    ["$[?search(@, '^d')]", "IS_EMPTY", "", true],
    ["$[?match(@, '(')]", "IS_NULL", "", true],
  ] as const)("%s %s %s: %s", (property, comparison, target, expected) => {
    expect(holds({ property, comparison, target })).toBe(expected);
  });

  it("treats a path without a value as empty and null, and fails every other comparison", () => {
    const passing = comparisons.filter((comparison) => holds({ property: "$.nobody", comparison, target: "1" }));
    expect(passing.toSorted()).toEqual(["IS_EMPTY", "IS_NULL", "NOT_HAS_KEY", "NOT_HAS_VALUE"]);
    expect(evaluateOne({ property: "$.nobody", comparison: "NOT_EQUALS", target: "1" }).error).toContain(
      'there is no value at path "$.nobody"',
    );
  });

  it("tells what was expected, what was seen, and which value it was", () => {
    expect(evaluateOne({ property: "$.list[*]", comparison: "LESS_THAN", target: "2" })).toMatchObject({
      error: 'expected the value at "$.list[*]" to be less than "2", got "2" in value 2 of 3',
      actual: 2,
      target: "2",
    });
    expect(evaluateOne({ property: "$.name", comparison: "LESS_THAN", target: "2" }).error).toMatch(/got "Ada", which is not a number$/);
  });

  it("parses the body once, and only when an assertion asks for it", () => {
    let reads = 0;
    const counting = facts({
      text: () => {
        reads += 1;
        return "{}";
      },
    });
    evaluateAssertions([assertion({ source: "STATUS_CODE", target: "200" })], counting);
    expect(reads).toBe(0);
    evaluateAssertions([assertion({}), assertion({ property: "$.a" }), assertion({ property: "$.b" })], counting);
    expect(reads).toBe(1);
  });

  it.each(["", "<html>", "{"])("fails on a body that is no JSON: %s", (text) => {
    expect(evaluateOne({ comparison: "IS_NULL" }, facts({ text: () => text })).error).toMatch(/not JSON/);
  });
});

describe("evaluateAssertions on the other sources", () => {
  it.each([
    [{ source: "STATUS_CODE", comparison: "EQUALS", target: "200" }, true],
    [{ source: "STATUS_CODE", comparison: "LESS_THAN", target: "300" }, true],
    [{ source: "STATUS_CODE", comparison: "NOT_EMPTY" }, true],
    [{ source: "STATUS_CODE", comparison: "CONTAINS", target: "20" }, true],
    [{ source: "RESPONSE_TIME", comparison: "EQUALS", target: "123" }, true],
    [{ source: "RESPONSE_TIME", comparison: "GREATER_THAN", target: "123" }, false],
    [{ source: "HEADERS", property: "Content-Type", comparison: "CONTAINS", target: "json" }, true],
    [{ source: "HEADERS", property: "x-none", comparison: "IS_EMPTY" }, true],
    [{ source: "HEADERS", property: "x-none", comparison: "NOT_CONTAINS", target: "a" }, false],
    [{ source: "HEADERS", property: "constructor", comparison: "NOT_NULL" }, false],
    [{ source: "HEADERS", property: "content-type", regex: "charset=(\\S+)", comparison: "EQUALS", target: "utf-8" }, true],
    [{ source: "HEADERS", property: "content-type", regex: "boundary=", comparison: "IS_NULL" }, true],
    [{ source: "HEADERS", property: "x-count", comparison: "GREATER_THAN", target: "16" }, true],
    [{ source: "HEADERS", comparison: "HAS_KEY", target: "X-Count" }, true],
    [{ source: "HEADERS", comparison: "NOT_HAS_KEY", target: "X-Other" }, true],
    [{ source: "TEXT_BODY", comparison: "CONTAINS", target: "Ada" }, true],
    [{ source: "TEXT_BODY", property: '"age":(\\d+)', comparison: "EQUALS", target: "36" }, true],
    [{ source: "TEXT_BODY", property: '"age":\\d+', comparison: "EQUALS", target: '"age":36' }, true],
    [{ source: "TEXT_BODY", property: "(?:x)(y)?", comparison: "IS_NULL" }, true],
  ] as const)("%o: %s", (given, expected) => {
    expect(holds(given)).toBe(expected);
  });

  it("coerces the target of a status and of a time to a number", () => {
    expect(evaluateOne({ source: "STATUS_CODE", target: "200" }).target).toBe(200);
    expect(evaluateOne({ source: "RESPONSE_TIME", comparison: "NOT_EMPTY" }).target).toBe(0);
    expect(evaluateOne({ source: "TEXT_BODY", target: "200" }).target).toBe("200");
  });

  it("tells a target that is no whole number, and no status at all", () => {
    expect(evaluateOne({ source: "STATUS_CODE", target: "OK" }).error).toMatch(/the target "OK" is not a whole number$/);
    expect(evaluateOne({ source: "STATUS_CODE", target: "200" }, facts({ statusCode: null })).error).toMatch(/no status code arrived$/);
  });

  it("evaluates all, in order, whatever fails", () => {
    const evaluated = evaluateAssertions(
      [assertion({ source: "STATUS_CODE", target: "404" }), assertion({ source: "TEXT_BODY", comparison: "NOT_EMPTY" })],
      facts(),
    );
    expect(evaluated.map(({ source, error }) => [source, error === undefined])).toEqual([
      ["STATUS_CODE", false],
      ["TEXT_BODY", true],
    ]);
  });

  it.each(["x".repeat(50_000), "é".repeat(50_000), `x${"é".repeat(6_000)}`, "😀".repeat(5_000)])(
    "cuts what it saw at 10 KB without half a character",
    (text) => {
      const { actual } = evaluateOne({ source: "TEXT_BODY", target: "y" }, facts({ text: () => text }));
      expect(Buffer.byteLength(actual as string)).toBeLessThanOrEqual(10_240);
      expect(Buffer.byteLength(actual as string)).toBeGreaterThan(10_200);
      expect(text.startsWith(actual as string)).toBe(true);
    },
  );
});

describe("evaluateAssertions against hostile input", () => {
  it.each([
    ["lookahead", { source: "TEXT_BODY", property: "(?=a)" }],
    ["open group", { source: "TEXT_BODY", property: "(" }],
    ["JSONPath", { property: "$[" }],
    ["long JSONPath", { property: `$${".a".repeat(2_000)}` }],
    ["long regular expression", { source: "TEXT_BODY", property: "a".repeat(3_000) }],
  ] as const)("fails the assertion with a clear error on a bad expression: %s", (_name, given) => {
    expect(evaluateOne({ comparison: "IS_NULL", ...given }).error).toMatch(/is not valid: |is longer than/);
  });

  const deep = `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`;
  it("survives a comparison of a million levels", () => {
    expect(holds({ target: deep }, facts({ text: () => deep }))).toBe(true);
  });

  it.each(["$", "$..x", "$[?@ == $]", "$[0][0]", `$[?count($..*) > 1]`])("survives a million levels of JSON at %s", (property) => {
    expect(() => evaluateOne({ property, target: "[]" }, facts({ text: () => deep }))).not.toThrow();
  });

  const wide = JSON.stringify(Array.from({ length: 150_000 }, (_, id) => ({ id, name: `name ${id}` })));
  it.each(["$[?count($..*) > 1]", "$..[?@ != $[0] && count($[*]) > 1]", "$[?count($[?@.id > 1]) > 1]", "$..[*,*,*,*,*,*,*]"])(
    "gives up on a query whose work grows with the square: %s",
    (property) => {
      expect(evaluateOne({ property, comparison: "NOT_NULL" }, facts({ text: () => wide })).error).toMatch(/too much work|nested deeper/);
    },
  );

  it("answers a plain query on a large document", () => {
    expect(holds({ property: "$[*].id", comparison: "NOT_NULL" }, facts({ text: () => wide }))).toBe(true);
  });

  it("bounds regular expressions whose program is large", () => {
    const text = "x".repeat(2_000_000);
    expect(
      evaluateOne({ source: "TEXT_BODY", property: "(.{1,900})$\\B", comparison: "NOT_NULL" }, facts({ text: () => text })).error,
    ).toMatch(/too much work/);
  });

  it("never throws, whatever user and target wrote", () => {
    const any = fc.record({
      source: fc.constantFrom("STATUS_CODE", "JSON_BODY", "HEADERS", "TEXT_BODY", "RESPONSE_TIME"),
      comparison: fc.constantFrom(...comparisons),
      property: fc.oneof(fc.string(), fc.constantFrom("$", "$..*", "$[?@.a]", "(", "(.)")),
      target: fc.string(),
      regex: fc.oneof(fc.string(), fc.constant(null)),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 4 }), fc.oneof(fc.string(), fc.json()), (assertions, text) => {
        const evaluated = evaluateAssertions(assertions, facts({ text: () => text }));
        expect(evaluated).toHaveLength(assertions.length);
        for (const { error } of evaluated) expect(error).not.toBe("");
        assertions.forEach((each) => assertionProblems(each));
      }),
      { numRuns: 300 },
    );
  });

  it("gives opposite answers for NOT_ comparisons on values that exist", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.string(),
        fc.constantFrom("EQUALS", "CONTAINS", "HAS_KEY", "HAS_VALUE"),
        (value, target, comparison) => {
          const seen = facts({ text: () => JSON.stringify(value) });
          expect(holds({ comparison, target }, seen)).toBe(!holds({ comparison: `NOT_${comparison}` as const, target }, seen));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("finds any JSON value equal to its own text", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const target = typeof value === "string" ? value : JSON.stringify(value);
        expect(holds({ target }, facts({ text: () => JSON.stringify(value) }))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe("assertionProblems", () => {
  it.each([
    [{ source: "STATUS_CODE", target: "200" }, 0],
    [{ source: "STATUS_CODE", target: "abc" }, 1],
    [{ source: "STATUS_CODE", target: "200.5" }, 1],
    [{ source: "STATUS_CODE", comparison: "NOT_EMPTY" }, 0],
    [{ source: "RESPONSE_TIME", comparison: "LESS_THAN", target: "" }, 1],
    [{ source: "JSON_BODY", property: "$.a" }, 0],
    [{ source: "JSON_BODY", property: "a.b" }, 1],
    [{ source: "JSON_BODY", property: "$.a", comparison: "GREATER_THAN", target: "x" }, 1],
    [{ source: "TEXT_BODY", property: "(" }, 1],
    [{ source: "HEADERS", property: "(", regex: "[" }, 1],
    [{ source: "HEADERS", property: "x", regex: null }, 0],
  ] as const)("%o: %i", (given, count) => {
    expect(assertionProblems(assertion(given))).toHaveLength(count);
  });
});

describe("evaluateAssertions on a path", () => {
  const path = facts({
    responseTimeMs: 12.4,
    hopCount: 5,
    packetLoss: 20,
    fields: { RESPONSE_TIME: { avg: 12.4, min: 9.6, max: 20.2, stdDev: 1.1 } },
  });
  const evaluated = (source: "RESPONSE_TIME" | "HOP_COUNT" | "PACKET_LOSS", target: string, property = "", seen = path) =>
    evaluateAssertions([{ source, comparison: "EQUALS", property, target, regex: "" }], seen)[0]?.error;

  it.each([
    ["RESPONSE_TIME", "12", ""],
    ["RESPONSE_TIME", "12", "avg"],
    ["RESPONSE_TIME", "10", "min"],
    ["RESPONSE_TIME", "20", "max"],
    ["RESPONSE_TIME", "1", "stdDev"],
    ["HOP_COUNT", "5", ""],
    ["PACKET_LOSS", "20", ""],
  ] as const)("reads %s as %s (%s)", (source, target, property) => {
    expect(evaluated(source, target, property)).toBeUndefined();
  });

  it("says what is not there", () => {
    expect(evaluated("RESPONSE_TIME", "1", "p95")).toBe(
      'expected "p95" of the response time to equal "1", there is no such field (there are avg, min, max, stdDev)',
    );
    expect(evaluated("HOP_COUNT", "5", "", facts({ hopCount: null }))).toBe(
      'expected the hop count to equal "5", the target was not reached',
    );
  });

  it("passes over the property of a response time that is only one", () => {
    expect(evaluated("RESPONSE_TIME", "12", "avg", facts({ responseTimeMs: 12 }))).toBeUndefined();
  });
});
