import { describe, expect, it } from "vitest";
import { afterStep, cardsOf, stepText } from "../../../src/control-plane/console/published/status-page-cards.ts";

const one = { id: "1", name: "One", serviceIds: ["a", "b", "c"] };
const two = { id: "", name: "Two", serviceIds: [] };

describe("the cards of a status page in its form", () => {
  it("are read in their order, with the service that was chosen last", () => {
    const form = new URLSearchParams([
      ["cards[0].id", "1"],
      ["cards[0].name", " One "],
      ["cards[0].services", "a"],
      ["cards[0].services", "b"],
      ["cards[0].another", "c"],
      ["cards[1].name", "Two"],
      ["cards[1].another", ""],
      ["cards[3].name", "Behind a gap"],
    ]);
    expect(cardsOf(form)).toEqual([one, two]);
    expect(cardsOf(new URLSearchParams())).toEqual([]);
  });

  it.each([
    { step: stepText("addCard"), after: [one, two, { id: "", name: "", serviceIds: [] }] },
    { step: stepText("addService", 0), after: [one, two] },
    { step: stepText("down", 0), after: [two, one] },
    { step: stepText("up", 1), after: [two, one] },
    { step: stepText("up", 0), after: [one, two] },
    { step: stepText("down", 1), after: [one, two] },
    { step: stepText("remove", 0), after: [two] },
    { step: stepText("up", 0, 2), after: [{ ...one, serviceIds: ["a", "c", "b"] }, two] },
    { step: stepText("down", 0, 0), after: [{ ...one, serviceIds: ["b", "a", "c"] }, two] },
    { step: stepText("down", 0, 2), after: [one, two] },
    { step: stepText("remove", 0, 1), after: [{ ...one, serviceIds: ["a", "c"] }, two] },
    { step: stepText("remove", 7), after: [one, two] },
    { step: stepText("up", 1, 1), after: [one, two] },
    { step: "toString 0 0", after: [one, two] },
    { step: "", after: [one, two] },
  ])("after $step", ({ step, after }) => {
    expect(afterStep([one, two], step)).toEqual(after);
  });
});
