import type { RuntimeId } from "#contract/runtime-catalog.ts";
import type { RuntimeLock } from "./runtime-lock.ts";

const columns = 140;

/** The file `locks/<id>.ts` of a lock, as it is kept in the sources. */
export function lockModule(runtime: RuntimeId, { sha256, words }: RuntimeLock): string {
  return [
    'import type { RuntimeLock } from "../runtime-lock.ts";',
    "",
    `/** Packages of runtime ${runtime}; written by \`outpost runtime lock ${runtime}\`. */`,
    "export const lock: RuntimeLock = {",
    `  sha256: "${sha256}",`,
    "  words: `",
    ...wrapped(words.split(" ")).map((line) => `    ${line}`),
    "  `,",
    "};",
    "",
  ].join("\n");
}

function wrapped(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && line.length <= columns - 4) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines;
}
