import { describe, expect, it } from "vitest";
import { partsOf, withAnswers } from "../../src/config-as-code/apply-parts.ts";

const call = (script = "") => ({ operation: "createSnippet", body: { name: "a", script } });
const many = (count: number, script?: string) => Array.from({ length: count }, () => call(script));
const sizes = (parts: readonly (readonly unknown[])[]) => parts.map(({ length }) => length);

describe("parts of many changes", () => {
  it("are one as long as a control plane takes them at once", () => {
    expect(partsOf([], {})).toEqual([[]]);
    expect(sizes(partsOf(many(10_000), {}))).toEqual([10_000]);
    expect(sizes(partsOf(many(26, "x".repeat(300_000)), {}))).toEqual([26]);
  });

  it("are small where there are too many calls, bytes or values", () => {
    expect(sizes(partsOf(many(10_001), {}))).toEqual([2_000, 2_000, 2_000, 2_000, 2_000, 1]);
    expect(sizes(partsOf(many(27, "x".repeat(300_000)), {}))).toEqual([6, 6, 6, 6, 3]);
    expect(sizes(partsOf(many(14, "ü".repeat(300_000)), {}))).toEqual([3, 3, 3, 3, 2]);
    const wide = { operation: "a", body: { list: Array.from({ length: 50_000 }, () => 1) } };
    expect(
      sizes(
        partsOf(
          Array.from({ length: 5 }, () => wide),
          {},
        ),
      ),
    ).toEqual([2, 2, 1]);
    expect(sizes(partsOf(many(10), { owned: Array.from({ length: 250_000 }, () => 1) }))).toEqual([10]);
  });

  it("hold one that is large by itself", () => {
    expect(sizes(partsOf([call("x".repeat(9_000_000)), call()], {}))).toEqual([1, 1]);
  });

  it("refer to what earlier ones made by its id, and to their own by their place in the part", () => {
    const body = {
      calls: [{ operation: "b", params: { id: { $idOf: 1 } }, body: { ids: [{ $idOf: 2 }, 7], of: { $idOf: 0 }, none: null } }],
    };
    expect(withAnswers(["one", 22], body)).toEqual({
      calls: [{ operation: "b", params: { id: 22 }, body: { ids: [{ $idOf: 0 }, 7], of: "one", none: null } }],
    });
    expect(withAnswers([], body)).toBe(body);
  });
});
