import { describe, expect, it } from "vitest";
import { templateNames } from "#domain/templates/template-names.ts";

describe("the names that templates ask for", () => {
  it.each([
    ["nothing", "https://example.com/{id}", []],
    ["a variable", "https://{{HOST}}/", ["HOST"]],
    ["a raw one, with blanks", "{{{ TOKEN }}}", ["TOKEN"]],
    ["several, each once", "{{A}}{{B}}{{A}}", ["A", "B"]],
    ["no helpers", '{{$UUID}} {{moment "YYYY"}}', []],
    ["none, where it is not closed or more than a name", "{{HALF {{#if X}} {{a b}}", []],
  ])("%s", (_what, text, names) => {
    expect([...templateNames(text)]).toEqual(names);
  });

  it("are found at any depth", () => {
    const value = { request: { headers: [{ key: "a", value: "{{A}}" }], basicAuth: null, url: "{{B}}" }, limit: 5 };
    expect([...templateNames([value, null])]).toEqual(["A", "B"]);
  });
});
