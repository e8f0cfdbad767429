import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collectFiles } from "../../src/suites-cli/collect-files.ts";
import { IgnoreRules } from "../../src/suites-cli/ignore-rules.ts";
import { Included } from "../../src/suites-cli/included.ts";
import { missingPrograms } from "../support/programs.ts";
import { SuiteFolder } from "./suite-folder.ts";

const missing = missingPrograms("What git says of ignored files:", "git");

/** Files that git would add. The rules of whoever runs the test are none of a project's. */
function byGit({ path }: SuiteFolder): readonly string[] {
  const env = { PATH: process.env["PATH"] ?? "", HOME: path, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  rmSync(`${path}/.git`, { recursive: true });
  execFileSync("git", ["init", "-q", "."], { cwd: path, env });
  const listed = execFileSync("git", ["ls-files", "-z", "--others", "--exclude-standard"], { cwd: path, env, encoding: "utf8" });
  return listed
    .split("\0")
    .filter((one) => one !== "")
    .toSorted();
}

async function byUs({ path }: SuiteFolder): Promise<readonly string[]> {
  const { files } = await collectFiles(path, await IgnoreRules.above(path, path), new Included([], ""));
  return files.map((file) => file.path).toSorted();
}

const names = ["a", "b", "c.log", "dist", "x.ts"];
const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
const pattern = fc
  .tuple(
    fc.constantFrom("", "!"),
    fc.constantFrom("", "/", "**/"),
    fc.constantFrom("a", "b", "*", "*.log", "dist", "a/b", "a/*", "a/**", "a/**/b", "?", "[ab]", "x.ts", "dist/x.ts"),
    fc.constantFrom("", "", "/"),
  )
  .map((parts) => parts.join(""));
const rules = fc.array(pattern, { maxLength: 4 });
const folderOfRules = fc.constantFrom("", "a/", "b/", "a/b/", "dist/");

describe.skipIf(missing !== null)("files that are left out", () => {
  it("are those that git ignores", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(path, { minLength: 1, maxLength: 12 }),
        fc.array(fc.tuple(folderOfRules, rules), { maxLength: 3 }),
        async (paths, given) => {
          // A path that is a folder of another one cannot be a file.
          const files = [...new Set(paths)].filter((one) => !paths.some((other) => other.startsWith(`${one}/`)));
          const ignores = given.filter(
            ([folder]) => folder === "" || !files.some((one) => folder === `${one}/` || folder.startsWith(`${one}/`)),
          );
          using folder = new SuiteFolder({
            ...Object.fromEntries(files.map((one) => [one, ""])),
            ...Object.fromEntries(ignores.map(([at, lines]) => [`${at}.gitignore`, `${lines.join("\n")}\n`])),
          });
          expect(await byUs(folder)).toEqual(byGit(folder));
        },
      ),
      {
        numRuns: 60,
        examples: [
          [
            ["a/b/x.ts"],
            [
              ["", ["a/**/b"]],
              ["a/", ["!?"]],
            ],
          ],
        ],
      },
    );
  });
});
