import { checkTypeNames } from "#contract/primitives.ts";

/** Where types of checks are at home, and where their names are what is read and written: other programs' files. */
const homes = /^(contract\/|agent\/(runners|net|evidence|playwright)\/|agent\/doctor|importers\/)/;

const name = `"(?:${checkTypeNames.join("|")})"`;
const asked = [
  // type === "API"; of a question to a name server DNS and TCP are transports.
  new RegExp(`(?<![!=])(?<!(?:[tT]ransport|[pP]rotocol)\\s*)[!=]==?\\s*${name}`),
  new RegExp(`${name}\\s*[!=]==?`),
  new RegExp(`\\bcase\\s+${name}`),
  // where("type", "!=", "HEARTBEAT"), new Set(["API", …]), ["API", "URL"].includes(type)
  new RegExp(`"type",\\s*"[^"]*",\\s*\\[?${name}`),
  new RegExp(`new Set(?:<[^>]*>)?\\(\\[[^\\]]*${name}`),
  new RegExp(`\\[[^\\[\\]]*${name}[^\\[\\]]*\\]\\.(?:includes|some|indexOf)\\(`),
];

/** Lines that ask which type a check has, where they should ask for a trait; `file` is relative to src/. */
export function typeNameProblems(file: string, source: string): string[] {
  if (homes.test(file)) return [];
  return source.split("\n").flatMap((line, index) => {
    const found = asked.some((pattern) => pattern.test(line));
    return found ? [`${file}:${index + 1}: ask for a trait of the type (contract/checks/traits.ts): ${line.trim()}`] : [];
  });
}
