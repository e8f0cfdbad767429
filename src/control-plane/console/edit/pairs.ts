import { secretMask } from "#contract/variables.ts";

/* Names and values in a text area, a line each. */

interface Pair {
  readonly key: string;
  readonly value: string;
  readonly locked?: boolean;
}

/** The pairs of the lines. Who was locked under this name stays so; a line that nobody touched is the pair that it showed. */
export function pairsIn(text: string, between: string, before: unknown): readonly Pair[] {
  const stored = listOfPairs(before);
  const byKey = new Map(stored.map((pair) => [pair.key, pair]));
  const byLine = new Map(stored.map((pair) => [lineOf(pair, between, true), pair]));
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const at = line.indexOf(between);
      const key = (at < 0 ? line : line.slice(0, at)).trim();
      const value = at < 0 ? "" : line.slice(at + 1).trim();
      const was = byKey.get(key);
      const keeps = was?.locked === true && value === secretMask;
      return byLine.get(line) ?? { key, value: keeps ? was.value : value, locked: was?.locked ?? false };
    });
}

/** The lines of a list of names and values. Asterisks stand for locked values that are stored; sent back, they keep them. */
export function pairLines(value: unknown, between: string, stored: unknown): string {
  const hidden = new Set(listOfPairs(stored).flatMap((pair) => (pair.locked === true ? pair.value : [])));
  return listOfPairs(value)
    .map((pair) => lineOf(pair, between, hidden.has(pair.value)))
    .join("\n");
}

function lineOf({ key, value, locked }: Pair, between: string, isHidden: boolean): string {
  return `${key}${between}${between === ":" ? " " : ""}${locked === true && isHidden ? secretMask : value}`;
}

function listOfPairs(value: unknown): readonly Pair[] {
  return Array.isArray(value) ? (value as readonly Pair[]) : [];
}
