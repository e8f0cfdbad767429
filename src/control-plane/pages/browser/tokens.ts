/** What a piece of a script is, as far as colours tell it. Plain: all else. */
export type TokenKind = "comment" | "string" | "number" | "keyword" | "plain";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const keywords =
  "as|async|await|break|case|catch|class|const|continue|default|delete|do|else|enum|export|extends|false|finally|for|from|function|if|import|in|instanceof|interface|let|new|null|of|return|static|super|switch|this|throw|true|try|type|typeof|undefined|var|void|while|with|yield";

/** A string ends with its line where nothing ends it, as somebody types; an expression in a template is part of it. */
const pieces: readonly (readonly [kind: Exclude<TokenKind, "plain">, pattern: string])[] = [
  ["comment", String.raw`//.*|/\*[^]*?(?:\*/|$)`],
  ["string", String.raw`"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|${"`"}(?:[^${"`"}\\]|\\[^])*${"`"}?`],
  ["number", String.raw`\b\d[\w.]*`],
  ["keyword", String.raw`(?<![.\w$])(?:${keywords})(?![\w$])`],
];
const piece = new RegExp(pieces.map(([kind, pattern]) => `(?<${kind}>${pattern})`).join("|"), "g");

/** The pieces of a script of JavaScript or TypeScript in order: together they are the script. A regular expression counts as plain text. */
export function tokens(script: string): Token[] {
  const found: Token[] = [];
  let end = 0;
  for (const match of script.matchAll(piece)) {
    if (match.index > end) found.push({ kind: "plain", text: script.slice(end, match.index) });
    const [text] = match;
    found.push({ kind: pieces.find(([kind]) => match.groups?.[kind] !== undefined)?.[0] ?? "plain", text });
    end = match.index + text.length;
  }
  if (end < script.length) found.push({ kind: "plain", text: script.slice(end) });
  return found;
}
