/** Lines of one file, counted from 1, both ends included. */
export interface LineRange {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** What a `git diff --unified=0` says of lines that are there now; a hunk that only takes lines away has none. */
export function changedLines(diff: string): readonly LineRange[] {
  const ranges: LineRange[] = [];
  let file = "";
  for (const line of diff.split("\n")) {
    if (line.startsWith("+++ b/")) file = line.slice("+++ b/".length);
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk === null) continue;
    const [from, count] = [Number(hunk[1]), Number(hunk[2] ?? 1)];
    if (count > 0) ranges.push({ file, from, to: from + count - 1 });
  }
  return ranges;
}
