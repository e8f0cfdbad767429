import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refuseLargeBody, refuseLargeJson } from "../../../../src/control-plane/http/budgets/json-bounds.ts";

/** Objects, lists and what is in them. */
function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, entry) => sum + valuesIn(entry), 0);
}

describe("the bounds of a JSON text", () => {
  it("refuse exactly what holds more values, whatever stands in its strings", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const values = valuesIn(JSON.parse(text));
        // An empty object or list counts once more than a number does.
        expect(() => refuseLargeJson(Buffer.from(text), { values: 2 * values, depth: 100 })).not.toThrow();
        expect(() => refuseLargeJson(Buffer.from(text), { values: Math.ceil(values / 2) - 1, depth: 100 })).toThrow("values");
      }),
    );
  });

  it("find the end of a string of any length", () => {
    for (let length = 0; length <= 200; length += 1) {
      for (const last of ["", '"', "\\", '\\"', ",é"]) {
        const body = Buffer.from(JSON.stringify(["a".repeat(length) + last, 1]));
        expect(() => refuseLargeJson(body, { values: 3, depth: 1 })).not.toThrow();
        expect(() => refuseLargeJson(body, { values: 2, depth: 1 })).toThrow("values");
      }
    }
  });

  it.each(['"a,b,[{"', '"\\",[[["', '"\\\\"', '"never ends,,,,'])("do not look into strings: %s", (text) => {
    expect(() => refuseLargeJson(Buffer.from(text), { values: 1, depth: 0 })).not.toThrow();
  });

  it("refuse what is nested too deeply, before it is parsed", () => {
    expect(() => refuseLargeJson(Buffer.from("[[1]]"), { values: 10, depth: 2 })).not.toThrow();
    expect(() => refuseLargeJson(Buffer.from("[[[1]]]"), { values: 10, depth: 2 })).toThrow("nested more than 2 levels");
  });
});

describe("refuseLargeBody", () => {
  const bounds = { values: 6, depth: 1 };

  it("counts objects, lists and what is in them, as JSON is counted", () => {
    expect(() => refuseLargeBody({ a: [1, { b: 2 }], c: null }, bounds)).not.toThrow();
    expect(() => refuseLargeBody({ a: [1, { b: 2 }], c: null, d: 1 }, bounds)).toThrow("more than 6 values");
    expect(() => refuseLargeBody(undefined, bounds)).not.toThrow();
  });
});
