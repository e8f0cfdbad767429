import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EncodedForm, encodedForms } from "#domain/scrub/encoded-forms.ts";
import { Scanner } from "#domain/scrub/scanner.ts";

const form = (text: string, foldable = false): EncodedForm => ({ name: text, bytes: Buffer.from(text), foldable });
const letters = fc.constantFrom("a", "b", "c");

/** Which characters stand in a hit, as `#`. */
function shown(text: string, hits: readonly number[]): string {
  const marks = Array.from(text, () => ".");
  for (let index = 0; index < hits.length; index += 2) marks.fill("#", hits[index], hits[index + 1]);
  return marks.join("");
}

function shownBySearch(text: string, patterns: readonly string[]): string {
  const starts = patterns.flatMap((each) => Array.from(text, (_, at) => (text.startsWith(each, at) ? [at, at + each.length] : [])));
  return shown(text, starts.flat());
}

describe("Scanner", () => {
  it.each([9, 40])("finds what a search for each pattern by itself finds, patterns of up to %d characters", (maxLength) => {
    const pattern = fc.string({ minLength: 4, maxLength, unit: letters, size: "max" });
    const pieces = (patterns: readonly string[]): fc.Arbitrary<string[]> =>
      fc.array(fc.oneof(fc.constantFrom(...patterns), fc.string({ maxLength: 6, unit: letters })), { maxLength: 20 });
    const cases = fc
      .uniqueArray(pattern, { minLength: 1, maxLength: 6 })
      .chain((patterns) => fc.record({ patterns: fc.constant(patterns), text: pieces(patterns).map((parts) => parts.join("")) }));
    fc.assert(
      fc.property(cases, ({ patterns, text }) => {
        const hits = new Scanner(patterns.map((each) => form(each))).scan(Buffer.from(text), text.length);
        expect(shown(text, hits)).toBe(shownBySearch(text, patterns));
        expect(hits).toEqual(hits.toSorted((a, b) => a - b));
        expect(new Set(hits).size).toBe(hits.length); // none touches the next
      }),
      { numRuns: 500 },
    );
  });

  it("finds base64 that is folded into lines of any length from 20, whatever the break and wherever the first one is", () => {
    const breaks = fc.constantFrom("\n", "\r\n");
    fc.assert(
      fc.property(
        fc.integer({ min: 8, max: 300 }),
        fc.integer({ min: 20, max: 90 }),
        fc.nat(90),
        breaks,
        (length, line, offset, lineBreak) => {
          const core = randomBytes(length).toString("base64").slice(0, length);
          const before = "=".repeat(Math.min(offset, line - 1));
          const folded = `${before}${core}`.replace(new RegExp(`.{${line}}(?=.)`, "g"), `$&${lineBreak}`);
          const text = `<${folded}>`;
          const hits = new Scanner([form(core, true), form("something-else")]).scan(Buffer.from(text), text.length);
          const start = text.indexOf(core[0] as string);
          expect([core, text, hits]).toEqual([core, text, [start, text.length - 1]]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("says no more of a text full of hits than of one hit", () => {
    const text = Buffer.from("ab".repeat(100_000));
    expect(new Scanner([form("abababab"), form("babababa")]).scan(text, text.length)).toEqual([0, text.length]);
  });

  it("finds each of many secrets that begin alike, end alike, or both", () => {
    const alike = (index: number): string =>
      `postgres://app:${randomBytes(9).toString("hex")}${index}@database.internal.example:5432/production`;
    const secrets = Array.from({ length: 60 }, (_, index) => [alike(index), alike(index).slice(-60), alike(index).slice(0, 40)]).flat();
    const forms = secrets.flatMap((secret) => encodedForms(secret));
    const scanner = new Scanner(forms);
    for (const { name, bytes } of forms) {
      const text = Buffer.concat([Buffer.from("<< "), bytes, Buffer.from(" >>")]);
      const hits = scanner.scan(text, text.length);
      expect([name, hits]).toEqual([name, [3, 3 + bytes.length]]);
    }
  });
});
