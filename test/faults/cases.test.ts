import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cases } from "./cases.ts";

const titles = globSync(join(import.meta.dirname, "../**/*.ts"), { exclude: ["**/node_modules/**", "**/faults/cases.ts"] })
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

describe("fault cases", () => {
  it("are 96", () => expect(Object.keys(cases)).toHaveLength(96));

  it.each(Object.entries(cases))("%s has a test, or a reason why it has none", (no, { without }) => {
    const isTried = new RegExp(`\\((?:[A-Z]-\\d\\d, )*${no}[,)]|"${no}"`).test(titles);
    expect([no, isTried]).toEqual([no, without === undefined]);
  });
});
