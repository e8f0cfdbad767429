import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packText, unpackText } from "../../../src/control-plane/storage/details/compression.ts";
import { detailIn, packDetails } from "../../../src/control-plane/storage/details/detail-packs.ts";

const dayUs = 86_400_000_000;
const detail = fc.record({
  id: fc.integer({ min: 1, max: 2 ** 45 }),
  checkId: fc.integer({ min: 1, max: 3 }),
  startedAtUs: fc.integer({ min: 5, max: 8 }).map((quarters) => (quarters * dayUs) / 4),
  text: fc.oneof(
    fc.json(),
    fc.string({ maxLength: 20 }).map((word) => JSON.stringify(word.repeat(2_000))),
  ),
});

describe("details that are written together", () => {
  it("are each found again in their row, in few rows", () => {
    fc.assert(
      fc.property(fc.uniqueArray(detail, { selector: ({ id }) => id, maxLength: 60 }), (details) => {
        const { packs, packOf } = packDetails(details, new Set());
        const rows = new Map(packs.map((pack) => [pack.id, pack]));
        expect(rows.size).toBe(packs.length);
        for (const { id, text, startedAtUs } of details) {
          const row = rows.get(packOf.get(id) ?? id);
          expect(detailIn(Buffer.from(row?.text ?? ""), id).toString()).toBe(text.toWellFormed());
          expect(row?.startedAtUs).toBeGreaterThanOrEqual(startedAtUs);
          expect(Math.floor((row?.startedAtUs ?? 0) / dayUs)).toBe(Math.floor(startedAtUs / dayUs));
        }
        const long = details.filter(({ text }) => text.length > 4_096).length;
        expect(packs.length).toBeLessThanOrEqual(Math.ceil(details.length / 8) + 2 * long + 2);
      }),
    );
  });

  it("leave alone what may be replaced", () => {
    const details = [1, 2, 3].map((id) => ({ id, checkId: 1, startedAtUs: id, text: `"${id}"` }));
    const { packs, packOf } = packDetails(details, new Set([2]));
    expect(packs.map(({ id }) => id)).toEqual([2, 1]);
    expect(packOf).toEqual(new Map([1, 3].map((id) => [id, 1])));
  });

  it("are missed aloud", () => {
    const { packs } = packDetails(
      [1, 2].map((id) => ({ id, checkId: 1, startedAtUs: id, text: `"${id}"` })),
      new Set(),
    );
    expect(() => detailIn(Buffer.from(packs[0]?.text ?? ""), 3)).toThrow("the detail of result 3 is not where it should be");
  });
});

describe("a packed text", () => {
  const dictionary = Buffer.from('{"errorMessage":null,"detail":{}}');

  it("is read again, and so is what earlier versions packed", () => {
    for (const text of ["", "x", `{"errorMessage":null,"detail":"${"é".repeat(40_000)}"}`]) {
      expect(unpackText(packText(text, dictionary), dictionary).toString()).toBe(text);
      expect(unpackText(zstdCompressSync(text, { dictionary }), dictionary).toString()).toBe(text);
    }
  });
});
