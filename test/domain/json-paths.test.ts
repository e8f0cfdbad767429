import { describe, expect, it } from "vitest";
import { foundAt, placesAt, replacedAt, replacedTexts } from "../../src/domain/json-paths.ts";

const page = { cards: [{ services: [{ id: "a" }, { id: "b" }] }, { services: [] }, {}, { services: null }, { services: [{ id: "c" }] }] };

describe("a path into a body", () => {
  it("names every place of a list within a list, as people write them", () => {
    expect(placesAt(page, "cards[].services[].id")).toEqual([
      { place: "cards[0].services[0].id", found: "a" },
      { place: "cards[0].services[1].id", found: "b" },
      { place: "cards[4].services[0].id", found: "c" },
    ]);
    expect(foundAt({ snippetId: 7 }, "snippetId")).toEqual([7]);
  });

  it.each([null, undefined, "text", 7, { other: 1 }, { cards: "text" }, { cards: null }, []])("finds nothing in %j", (value) => {
    expect(foundAt(value, "cards[].services[].id")).toEqual([]);
  });

  it("replaces what stands there, and leaves the rest and the given value as they are", () => {
    const before = structuredClone(page);
    const after = replacedAt(page, "cards[].services[].id", (id, place) => `${String(id)} at ${place}`);
    expect(after).toEqual({
      cards: [
        { services: [{ id: "a at cards[0].services[0].id" }, { id: "b at cards[0].services[1].id" }] },
        { services: [] },
        {},
        { services: null },
        { services: [{ id: "c at cards[4].services[0].id" }] },
      ],
    });
    expect(page).toEqual(before);
    expect(replacedAt({ a: 1 }, "b", () => 2)).toEqual({ a: 1 });
  });

  it("leads to no inherited member", () => {
    expect(foundAt({}, "toString")).toEqual([]);
  });

  it("is told beside each text of a value", () => {
    const told: string[] = [];
    const after = replacedTexts({ a: "x", list: [{ b: "y" }, 7], none: null }, (text, path) => {
      told.push(path);
      return text.toUpperCase();
    });
    expect(after).toEqual({ a: "X", list: [{ b: "Y" }, 7], none: null });
    expect(told).toEqual(["a", "list[0].b"]);
  });
});
