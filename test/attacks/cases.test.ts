import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Case, cases } from "./cases.ts";

const root = join(import.meta.dirname, "../..");
const files = globSync("test/**/*.test.ts", { cwd: root, exclude: ["**/node_modules/**"] }).map((path) => ({
  path,
  text: readFileSync(join(root, path), "utf8"),
}));
const tests = files.map(({ text }) => text).join("\n");
const all: readonly (readonly [string, Case])[] = Object.entries(cases);

describe("cases of multistep and browser checks", () => {
  it.each(all)("%s has a test, or a reason why it has none", (point, { without }) => {
    const isTried = new RegExp(`\\b(?:tries|attack)\\(\\s*"${point}"`).test(tests);
    expect([point, isTried]).toEqual([point, without === undefined]);
  });

  it("are all in the report of npm run test:attacks", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
    const [, wanted = ""] = /report\.ts (.+)$/.exec(scripts["test:attacks"] ?? "") ?? [];
    const isReported = (path: string): boolean => wanted.split(" ").some((part) => path.includes(part));
    const trying = files.filter(({ text }) => /\b(?:tries|attack)\(\s*"[SF]\d/.test(text)).map(({ path }) => path);
    expect(trying.length).toBeGreaterThan(10);
    expect(trying.filter((path) => !isReported(path))).toEqual([]);
  });
});
