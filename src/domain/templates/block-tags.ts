/** One pair of braces in a template of a notification, matched with its partners. */
export interface BlockTag {
  /** Where it begins, and where what follows it begins. */
  readonly start: number;
  readonly end: number;
  /** What stands between the braces, without the sign of its kind. */
  readonly text: string;
  readonly kind: "value" | "raw" | "comment" | "open" | "else" | "close";
}

/** What may open a block. */
const blockNames = new Set(["if", "unless", "eq", "ne", "gt", "lt", "contains", "each"]);
const maxDepth = 32;

/** Linear on any input: no part goes past a brace, and what may repeat is bounded. */
const braces = new RegExp(
  [
    /(?<note>\{\{!--[\s\S]{0,10000}?--\}\}|\{\{![^{}]{0,10000}\}\})/,
    /\{\{\{[ \t\r\n]{0,100}(?<raw>[^{}]{1,1000})\}\}\}/,
    /\{\{[ \t\r\n]{0,100}(?<tag>[#/]?[^{}]{1,1000})\}\}/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** A template as what may be filled in, in order; its other texts lie between them. `loose` are blocks that are no such or lack a partner: text. */
export interface ParsedBlocks {
  readonly tags: readonly BlockTag[];
  /** By the place of an opening tag in `tags`: those of its `{{else}}` (or -1) and its end. */
  readonly partners: ReadonlyMap<number, { readonly otherwise: number; readonly end: number }>;
  readonly loose: readonly string[];
}

/** Anything that is no tag stays text, and so does a block without an end, an end without a block, and one that nobody knows. */
export function parseBlocks(template: string): ParsedBlocks {
  const tags = [...template.matchAll(braces)].map(tagOf);
  const partners = partnersIn(tags);
  const matched = new Set([...partners].flatMap(([begin, { otherwise, end }]) => [begin, otherwise, end]));
  const isText = (tag: BlockTag, at: number): boolean => ["open", "else", "close"].includes(tag.kind) && !matched.has(at);
  const loose = tags.filter(isText).map(({ start, end }) => template.slice(start, end));
  return { tags, partners, loose };
}

/** An end closes the innermost block of its name; what was left open within stays text. */
function partnersIn(tags: readonly BlockTag[]): ParsedBlocks["partners"] {
  const partners = new Map<number, { otherwise: number; end: number }>();
  const open: { readonly at: number; readonly name: string; otherwise: number }[] = [];
  for (const [at, { kind, text }] of tags.entries()) {
    const name = text.split(/\s/, 1)[0] ?? "";
    const top = open.at(-1);
    if (kind === "open" && blockNames.has(name) && open.length < maxDepth) open.push({ at, name, otherwise: -1 });
    else if (kind === "else" && top?.otherwise === -1) top.otherwise = at;
    else if (kind === "close") {
      const begun = open.findLastIndex((block) => block.name === name);
      for (const block of open.splice(begun < 0 ? open.length : begun).slice(0, 1))
        partners.set(block.at, { otherwise: block.otherwise, end: at });
    }
  }
  return partners;
}

function tagOf({ 0: whole, index, groups = {} }: RegExpExecArray): BlockTag {
  const place = { start: index, end: index + whole.length };
  if (groups["note"] !== undefined) return { ...place, text: "", kind: "comment" };
  if (groups["raw"] !== undefined) return { ...place, text: groups["raw"].trim(), kind: "raw" };
  const text = (groups["tag"] ?? "").trim();
  if (text.startsWith("#")) return { ...place, text: text.slice(1).trim(), kind: "open" };
  if (text.startsWith("/")) return { ...place, text: text.slice(1).trim(), kind: "close" };
  return { ...place, text, kind: text === "else" ? "else" : "value" };
}
