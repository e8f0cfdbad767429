import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { linkProblems } from "./links.ts";

const paths = globSync(["*.md", "{docs,charts,bench,test,src}/**/*.md"], { exclude: ["**/node_modules/**"] });
const documents = Object.fromEntries(paths.map((path) => [path, readFileSync(path, "utf8")]));

describe("links of documents", () => {
  it("lead to files and headings that are there", () => {
    expect(paths.length).toBeGreaterThan(50);
    expect(linkProblems(documents, existsSync)).toEqual([]);
  });

  it.each([
    ["a file that is gone", "[x](docs/gone.md)", "links to docs/gone.md"],
    ["a heading that is gone", "[x](docs/checks.md#gone)", "docs/checks.md has no #gone"],
    ["a heading of its own that is gone", "[x](#gone)", "NEW.md has no #gone"],
  ])("would notice %s", (_what, text, problem) => {
    expect(linkProblems({ ...documents, "NEW.md": text }, (path) => path === "NEW.md" || existsSync(path)).join()).toContain(problem);
  });
});
