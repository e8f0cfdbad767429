/**
 * A key that one object of a JSON text names twice. `JSON.parse` keeps the last one silently, other readers the first, so a text with
 * such a key means different things to different readers. One pass over the text; nothing is parsed but keys with escapes.
 *
 * @param text that `JSON.parse` accepts
 * @returns the first such key; undefined when there is none
 */
export function repeatedKey(text: string): string | undefined {
  const open: (Set<string> | null)[] = []; // the keys so far of each open object, null for an array
  let beforeKey = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = stringEnd(text, at);
      const repeated = beforeKey ? addKey(open.at(-1), text.slice(at, end + 1)) : undefined;
      if (repeated !== undefined) return repeated;
      beforeKey = false;
      at = end;
    } else if (character === "{" || character === "[") {
      beforeKey = character === "{";
      open.push(beforeKey ? new Set() : null);
    } else if (character === "}" || character === "]") open.pop();
    else if (character === ",") beforeKey = open.at(-1) !== null;
  }
  return undefined;
}

/** Where the string that begins at `start` ends: at a quote behind an even number of backslashes. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text[before] === "\\") before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
}

/** @returns the key when it was there before */
function addKey(keys: Set<string> | null | undefined, quoted: string): string | undefined {
  const key = quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  if (keys?.has(key) === true) return key;
  keys?.add(key);
  return undefined;
}
