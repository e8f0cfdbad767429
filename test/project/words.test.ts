import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const files = globSync("src/control-plane/texts/*.ts", { cwd: root });

/** What the console no longer says, and what it says instead (docs/words.md). */
const abandoned: readonly (readonly [RegExp, string])[] = [
  [/\bWhat must hold\b/, "Assertions"],
  [/\bWho[m]? it alerts\b/, "Alert channels"],
  [/\bWhen it alerts\b/, "Alert rules"],
  [/\b(?:Make|Take away) (?:a|the)\b/, "Create, Delete"],
  [/\bis (?:made|changed|told)\./, "created, saved, published"],
  [/\bThere is no \w+(?: \w+)? yet\b/, "No … yet"],
  [/\bThere are no such\b/, "No … match"],
  [/\bshown only now\b/, "shown only once"],
  [/\bEmpty:/, "Leave empty to …"],
  [/\b[Bb]etween commas\b/, "Comma-separated"],
  [/\bOne a line\b/, "One per line"],
  [/\bAll of it\b/, "View run"],
  [/\bLook again\b/, "Refresh"],
  [/\bAs YAML and curl\b/, "View as code"],
  [/\bwent on for\b/, "lasted"],
  [/\bany more\b/, "no longer"],
  [/\bwins? over\b/i, "overrides"],
  [/\bsomebody\b|\bwhoever\b/i, "someone, anyone"],
  [/\bstrikes?\b/, "affects"],
  [/["> ]P(?:50|95|99)\b/, "p50, p95, p99"],
  [/\bsubscribed by itself\b|\bby themselves\b/, "automatically"],
];

function problemsOf(file: string, text: string): readonly string[] {
  return text.split("\n").flatMap((line, index) => {
    if (/^\s*(?:\/\*\*|\*|\/\/)/.test(line)) return [];
    const said = line.replace(/^\s*\w+:/, ""); // names of texts are not read by people
    return abandoned.flatMap(([words, better]) => {
      const found = words.exec(said);
      return found === null ? [] : [`${file}:${index + 1}: "${found[0].trim()}"; say: ${better}`];
    });
  });
}

/** Values of enums and roles, where people read: not names of texts, not what is code, not addresses of settings. */
const rawEnum = /\b(?:[A-Z]{2,}(?:_[A-Z0-9]+)+|OWNER|ADMIN)\b/;

function rawEnumsOf(file: string, text: string): readonly string[] {
  return text.split("\n").flatMap((line, index) => {
    if (/^\s*(?:\/\*\*|\*|\/\/)/.test(line)) return [];
    const strings = [...line.replaceAll(/<code>.*?<\/code>/g, "").matchAll(/"[^"]*"|`[^`]*`/g)].map(([string]) => string);
    const found = strings.map((string) => rawEnum.exec(string)?.[0]).find((word) => word !== undefined && !settings.has(word));
    return found === undefined ? [] : [`${file}:${index + 1}: ${found} is a value of the API; say it in words`];
  });
}

/** Names of settings and errors that people look for, and what they copy. */
const settings: ReadonlySet<string> = new Set(["JOB_CONCURRENCY", "PUBLIC_URL", "OUTPOST_REGISTRY"]);

describe("texts of the console", () => {
  it("say no value of an enum as the API has it", () => {
    const forPeople = files.filter((file) => !file.endsWith("/api-reference.ts")); // of the API
    expect(forPeople.flatMap((file) => rawEnumsOf(file, readFileSync(join(root, file), "utf8")))).toEqual([]);
    expect(rawEnumsOf("planted.ts", '  roles: "READ_ONLY reads, an OWNER does all",')).toHaveLength(1);
  });

  it("say what the glossary says", () => {
    expect(files.length).toBeGreaterThan(30);
    expect(files.flatMap((file) => problemsOf(file, readFileSync(join(root, file), "utf8")))).toEqual([]);
  });

  it("are found where they do not", () => {
    expect(problemsOf("planted.ts", '  hint: "Between commas. Empty: all checks.",')).toHaveLength(2);
  });
});
