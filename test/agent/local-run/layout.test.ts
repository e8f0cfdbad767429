import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytes, cut, milliseconds, paintFor, plain, wrap } from "../../../src/agent/local-run/layout.ts";

const width = (text: string): number => Array.from(text).length;

describe("text of a target", () => {
  it("cannot steer the terminal", () => {
    expect(plain("a\u001b[2Jb\r\u009b31mc\u202ed\ne")).toBe("a\\u{1b}[2Jb\\u{d}\\u{9b}31mc\\u{202e}d\\u{a}e");
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !/[\p{Cc}\p{Cf}]/u.test(plain(text))));
  });

  it("is cut and wrapped to its width, between characters", () => {
    expect(cut("abcdef", 4)).toBe("abc…");
    expect(cut("😀😀😀", 2)).toBe("😀…");
    expect(wrap("one two three", 8, 9)).toEqual(["one two", "three"]);
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 5 }), (text, columns, lines) => {
        const wrapped = wrap(text, columns, lines);
        expect(wrapped.length).toBeLessThanOrEqual(lines);
        for (const line of [...wrapped, cut(text, columns)]) expect(width(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it("keeps all its words when there are lines enough", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 20 }), (words) => {
        expect(wrap(words.join(" "), 12, 50).join(" ")).toBe(words.join(" "));
      }),
    );
  });
});

it.each([
  [0.004, "0.00 ms"],
  [9.99, "9.99 ms"],
  [9.996, "10.0 ms"],
  [99.96, "100 ms"],
  [30_000, "30000 ms"],
])("%d ms is written %s", (ms, text) => expect(milliseconds(ms)).toBe(text));

it.each([
  [9_999, "9999 bytes"],
  [20_400, "20 kB"],
  [26_214_400, "26 MB"],
])("%d bytes are written %s", (count, text) => expect(bytes(count)).toBe(text));

it("colours only where it is asked to", () => {
  expect([paintFor(false)("red", "x"), paintFor(true)("red", "x")]).toEqual(["x", "\u001b[31mx\u001b[39m"]);
});
