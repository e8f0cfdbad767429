import { describe, expect, it } from "vitest";
import { hasTemplates } from "#domain/templates/template-tags.ts";

describe("a value", () => {
  it.each([
    ["{{", true],
    ["{ {", false],
    [{ a: [{ b: "x{{" }] }, true],
    [{ "{{": ["{"] }, false],
    [[null, 1, true, undefined], false],
  ])("%j may have templates: %s", (value, answer) => {
    expect(hasTemplates(value)).toBe(answer);
  });
});
