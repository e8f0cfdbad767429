import { describe, expect, it } from "vitest";
import { sortedSlice } from "#domain/sorted-slice.ts";
import { randomFrom } from "../support/random-from.ts";

const compare = (a: number, b: number): number => a - b;

describe("a slice of what would be sorted", () => {
  it("is that of the sorted list, whatever the order, with many alike, and at every place", () => {
    const random = randomFrom(7);
    for (let size = 0; size < 60; size += 1) {
      const items = Array.from({ length: size }, () => Math.floor(random() * (size / 2 + 1)));
      for (const list of [items, items.toSorted(compare), items.toSorted((a, b) => b - a)]) {
        for (let from = 0; from <= size; from += 7)
          for (const to of [from, from + 1, from + 10, size + 5]) {
            expect(sortedSlice(list, compare, from, to)).toEqual(list.toSorted(compare).slice(from, to));
          }
      }
    }
  });

  it("compares far less than sorting does, and leaves the list as it is", () => {
    const random = randomFrom(8);
    const items = Array.from({ length: 10_000 }, random);
    const before = [...items];
    let compared = 0;
    sortedSlice(items, (a, b) => ((compared += 1), a - b), 4_000, 4_050);
    expect(compared).toBeLessThan(60_000); // sorting takes some 120,000
    expect(items).toEqual(before);
  });
});
