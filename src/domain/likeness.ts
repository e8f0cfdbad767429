const longest = 200;

/** How alike two texts are, from 0 to 1: by how many letters one becomes the other, whatever their case. */
export function likeness(one: string, other: string): number {
  const [a, b] = [lettersOf(one), lettersOf(other)];
  const most = Math.max(a.length, b.length);
  return most === 0 ? 1 : 1 - distance(a, b) / most;
}

function lettersOf(text: string): readonly string[] {
  return text.toLowerCase().slice(0, longest).split("");
}

/** Of Levenshtein, row by row. */
function distance(a: readonly string[], b: readonly string[]): number {
  let before = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [row, letter] of a.entries()) {
    const next = [row + 1];
    for (const [column, other] of b.entries()) {
      const changed = (before[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (before[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    before = next;
  }
  return before.at(-1) ?? 0;
}
