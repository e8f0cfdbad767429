import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { circlesAmong, fileArrows } from "./circles.ts";

const sources = new Map(globSync("**/*.ts", { cwd: "src" }).map((file) => [file, readFileSync(`src/${file}`, "utf8")]));

describe("imports", () => {
  it("lead in no circle of files", () => {
    expect(circlesAmong(fileArrows(sources))).toEqual([]);
  });

  it.each([
    { name: "two files", planted: { "a/x.ts": 'import { y } from "./y.ts";', "a/y.ts": 'import type { X } from "./x.ts";' } },
    {
      name: "three, by an export and an import that waits",
      planted: { "a/x.ts": 'export * from "#b/y.ts";', "b/y.ts": 'const z = await import("../c/z.ts");', "c/z.ts": 'import "#a/x.ts";' },
    },
  ])("would be noticed in a circle of $name", ({ planted }) => {
    expect(circlesAmong(fileArrows(new Map(Object.entries(planted))))).toEqual([Object.keys(planted)]);
  });
});
