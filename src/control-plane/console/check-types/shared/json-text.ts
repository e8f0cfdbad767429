/** Longer ones would be hard to read either way. */
const maxLength = 262_144;

/**
 * JSON with a member to a line. Only the space between tokens changes: numbers that no program could hold, and members that come twice, stay as they
 * were sent. Null where the text is no JSON, or has these lines already.
 */
export function prettyJson(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed.length > maxLength || !/^[[{]/.test(trimmed) || !isJson(trimmed)) return null;
  const pretty = indented(trimmed);
  return pretty === trimmed ? null : pretty;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // the only way to ask
  }
}

/** Strings, and all else between the signs that structure it; of valid JSON. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

function indented(text: string): string {
  let out = "";
  let depth = 0;
  let before = "";
  for (const [token] of text.matchAll(tokens)) {
    if (token === "}" || token === "]") {
      depth -= 1;
      if (before !== "{" && before !== "[") out += lineAt(depth);
    } else if (before === "{" || before === "[" || before === ",") out += lineAt(depth);
    out += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth += 1;
    before = token;
  }
  return out;
}

/** Deeper ones are no easier to read, and would be mostly blanks. */
const maxIndent = 40;

function lineAt(depth: number): string {
  return `\n${"  ".repeat(Math.min(depth, maxIndent))}`;
}
