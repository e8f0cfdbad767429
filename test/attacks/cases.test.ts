import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Case, cases } from "./cases.ts";

const tests = globSync(join(import.meta.dirname, "../**/*.test.ts"), { exclude: ["**/node_modules/**"] })
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");
const all: readonly (readonly [string, Case])[] = Object.entries(cases);

describe("cases of multistep and browser checks", () => {
  it.each(all)("%s has a test, or a reason why it has none", (point, { without }) => {
    const isTried = new RegExp(`\\b(?:tries|attack)\\(\\s*"${point}"`).test(tests);
    expect([point, isTried]).toEqual([point, without === undefined]);
  });
});
