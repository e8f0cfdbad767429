import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type CheckType, checkTypes, isCheckType } from "#contract/checks/index.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import { withSettings } from "../../docs/settings.ts";
import { readCheckFile } from "../../src/agent/local-run/check-file.ts";
import { localCheck } from "../../src/agent/local-run/local-check.ts";
import { errorCodeProblems, probeSources } from "./error-codes.ts";

describe("README.md", () => {
  const readme = readFileSync("README.md", "utf8");

  it("is read in five minutes, and leads to every page for users and operators", () => {
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(10_000);
    const pages = globSync(["docs/*.md", "docs/operations/*.md"]).filter((page) => page !== "docs/words.md" && page !== "docs/security.md");
    expect(pages.filter((page) => !readme.includes(`(${page}`))).toEqual([]);
  });
});

describe("docs/configuration.md", () => {
  const page = readFileSync("docs/configuration.md", "utf8");

  it("lists the settings as the programs have them (npm run docs writes the tables)", () => {
    expect(withSettings(page)).toBe(page);
  });

  it("would notice a setting whose text changed", () => {
    const stale = page.replace("`JOB_CONCURRENCY` | `10`", "`JOB_CONCURRENCY` | `11`");
    expect(stale).not.toBe(page);
    expect(withSettings(stale)).not.toBe(stale);
  });
});

/** What `outpost run` takes: a project of tests is many files, and has a page of its own. */
const ofOneFile = (Object.keys(checkTypes) as CheckType[]).filter((type) => traitsOf(type).scripts !== "project");

describe("docs/checks.md", () => {
  const page = readFileSync("docs/checks.md", "utf8");
  const sections = page.split(/^## /m).flatMap((section) => {
    const type = section.split("\n")[0] ?? "";
    return isCheckType(type) ? [{ type, section }] : [];
  });

  it("shows a request of every check type that is taken as it stands", () => {
    const rows = [...page.matchAll(/^\| `([A-Z_]+)` \|.*\| `(\{.*\})` \|$/gm)];
    const problems = rows.map(([, type, request]) =>
      problemsOf(JSON.stringify({ checkType: type, ...fieldsOf(JSON.parse(request ?? "")) })),
    );
    expect(rows.map(([, type]) => type)).toEqual(ofOneFile);
    expect(problems.flat()).toEqual([]);
  });

  it("has a section for every check type, with a file that can be run", () => {
    const files = sections.map(({ section }) => /```yaml\n([^]*?)```/.exec(section)?.[1] ?? "");
    expect(sections.map(({ type }) => type)).toEqual(ofOneFile);
    expect(files.flatMap(problemsOf)).toEqual([]);
    expect(problemsOf(files.join("---\n").replace("pingCount: 5", "pingCount: 51"))).toEqual([
      "request.pingCount must be at most 50, received 51",
    ]);
  });

  it("shows results as they are", () => {
    const shown = sections.flatMap(({ type, section }) =>
      [...section.matchAll(/```json\n([^]*?)```/g)].map(([, json]) => checkTypes[type].result.parse(JSON.parse(json ?? ""))),
    );
    expect(shown.length).toBeGreaterThan(0);
  });
});

/** What a check is: its request, or a script. */
function fieldsOf(shown: object): object {
  return "script" in shown ? shown : { request: shown };
}

function problemsOf(text: string): string[] {
  const file = readCheckFile(text);
  const problems =
    "problems" in file ? file.problems : file.checks.flatMap((check) => [localCheck(check)].flat().filter((it) => "message" in it));
  return problems.map(({ message }) => message);
}

describe("docs/errors.md", () => {
  const page = readFileSync("docs/errors.md", "utf8");

  it("lists every code that a probe can give, and none that none can", () => {
    expect(errorCodeProblems(page, probeSources())).toEqual([]);
  });

  it.each([
    ["a code that is not listed", page, 'throw new ProbeError(\n  "ENEWCODE", "x")', "ENEWCODE is given in"],
    ["a failure that is not listed", page, 'return { code: "EOTHER", message: "x", side: "target" }', "EOTHER is given in"],
    ["a meaning that is not listed", page, '3: ["EODD", "a sentence"]', "EODD is given in"],
    ["a code that nothing gives", page.replace("| `EDNS` |", "| `EGONE` |"), "", "EGONE is listed and given nowhere"],
    ["a system code that is none", page.replace("| `EMFILE` |", "| `EMFILES` |"), "", "EMFILES is no code of the operating system"],
    ["a code that is listed twice", `${page}\n| \`EDNS\` | again |`, "", "EDNS is listed twice"],
    [
      "a certificate code that TLS does not have",
      page.replace("| `INVALID_CA` |", "| `INVALID_CAT` |"),
      "",
      "INVALID_CAT is no code of certificates",
    ],
  ])("would notice %s", (_title, changed, added, problem) => {
    const sources = { ...probeSources(), "src/agent/net/added.ts": added };
    expect(errorCodeProblems(changed, sources).join()).toContain(problem);
  });
});
