import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { withSettings } from "../../docs/settings.ts";
import { errorCodeProblems, probeSources } from "./error-codes.ts";

describe("README.md", () => {
  const readme = readFileSync("README.md", "utf8");

  it("lists the settings as the programs have them (npm run docs writes the tables)", () => {
    expect(withSettings(readme)).toBe(readme);
  });

  it("would notice a setting whose text changed", () => {
    const stale = readme.replace("`JOB_CONCURRENCY` | `10`", "`JOB_CONCURRENCY` | `11`");
    expect(stale).not.toBe(readme);
    expect(withSettings(stale)).not.toBe(stale);
  });
});

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
