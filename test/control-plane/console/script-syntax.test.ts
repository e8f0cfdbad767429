import { describe, expect, it } from "vitest";
import { syntaxProblem } from "../../../src/control-plane/console/edit/script-syntax.ts";

describe("the grammar of a script that somebody types", () => {
  it.each([
    ["const a = 1;\nconst b = ;\n", { line: 2, text: "Line 2, column 11: expression expected." }],
    ["test('a', async () => {\n", { line: 1, text: expect.stringMatching(/^Line 1.*<eof>/) as string }],
    ["import x from 'y';\n\nif (", { line: 3, text: expect.stringMatching(/^Line 3/) as string }],
  ])("of %j is wrong at its line", (script, problem) => {
    expect(syntaxProblem("BROWSER", { script })).toEqual(problem);
  });

  it.each([
    "import { test } from '@playwright/test';\nconst n: number = await Promise.resolve(1);",
    "const { test } = require('@playwright/test');",
    "enum A { B }\nclass C { constructor(private d: number) {} }",
    "",
    `const = ${"x".repeat(100_001)}`,
  ])("is left alone where a compiler of Playwright takes it, or where it is too long to be read (%#)", (script) => {
    expect(syntaxProblem("MULTI_STEP", { script })).toBeNull();
  });

  it("is not looked at in checks that are no script", () => {
    for (const type of ["API", "PLAYWRIGHT"] as const) expect(syntaxProblem(type, { script: "const" })).toBeNull();
    expect(syntaxProblem("BROWSER", { script: null })).toBeNull();
  });
});
