import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokens } from "../../../src/control-plane/pages/browser/tokens.ts";

const kindsOf = (script: string) =>
  tokens(script)
    .filter(({ kind }) => kind !== "plain")
    .map(({ kind, text }) => [kind, text]);

describe("the pieces of a script", () => {
  it.each([
    [
      'import { test } from "@playwright/test"; // all',
      [
        ["keyword", "import"],
        ["keyword", "from"],
        ["string", '"@playwright/test"'],
        ["comment", "// all"],
      ],
    ],
    [
      "await page.goto('https://a.example/'); /* two\nlines */",
      [
        ["keyword", "await"],
        ["string", "'https://a.example/'"],
        ["comment", "/* two\nlines */"],
      ],
    ],
    [
      "const at = `of ${1}\n\\``; at.new = 0x1f + 1.5e3",
      [
        ["keyword", "const"],
        ["string", "`of ${1}\n\\``"],
        ["number", "0x1f"],
        ["number", "1.5e3"],
      ],
    ],
    ["'open\nnext $if iffy h1", [["string", "'open"]]],
    ["/* open", [["comment", "/* open"]]],
  ])("of %j", (script, kinds) => {
    expect(kindsOf(script)).toEqual(kinds);
  });

  it("are the script when they stand together, whatever it is", () => {
    const pieces = fc.constantFrom('"', "'", "`", "\\", "/", "*", "\n", "$", "{", "}", "await", "1", " ", "x", "😀", "\ud800");
    fc.assert(
      fc.property(
        fc.array(pieces).map((all) => all.join("")),
        (script) => {
          expect(
            tokens(script)
              .map(({ text }) => text)
              .join(""),
          ).toBe(script);
        },
      ),
    );
  });

  it.each(["'\\", "`\\", "/*", '"', "a.", "1.1"])("take no time over many %j", (part) => {
    const startedAt = performance.now();
    tokens(part.repeat(50_000));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
