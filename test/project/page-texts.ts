import { parseAst } from "rolldown/parseAst";

/** A node of the syntax tree, as far as it is looked at here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly [part: string]: unknown;
}

/**
 * Words for people that stand in a module of pages, a sentence each: they belong to `src/control-plane/texts`, where someone who translates
 * finds them all. Words that look like a code (`failed`) are not recognised.
 */
export function strayTexts(file: string, source: string): string[] {
  const found: string[] = [];
  const say = (at: number, text: string): void => {
    const line = source.slice(0, at).split("\n").length;
    found.push(`${file}:${line}: move ${JSON.stringify(text.replace(/\s+/g, " ").trim().slice(0, 70))} to src/control-plane/texts`);
  };
  look(parseAst(source, { lang: "ts" }, file) as unknown as Node, say);
  return found;
}

type Say = (at: number, text: string) => void;

function look(node: Node, say: Say): void {
  if (isToldElsewhere(node)) return;
  if (node.type === "TaggedTemplateExpression") {
    const { quasis, expressions } = node["quasi"] as { readonly quasis: readonly Node[]; readonly expressions: readonly Node[] };
    const tag = (node["tag"] as Node)["name"];
    if (tag === "html") for (const text of wordsOfMarkup(textOf(quasis))) say(node.start, text);
    for (const expression of expressions) look(expression, say);
    return;
  }
  const text = node.type === "Literal" ? node["value"] : node.type === "TemplateLiteral" ? textOf(node["quasis"] as readonly Node[]) : "";
  if (typeof text === "string" && isProse(text) && !forBrowsers.test(text)) say(node.start, text);
  for (const child of childrenOf(node)) look(child, say);
}

/** Types, names of modules, styles beside their markup, and what goes to programs and logs. */
function isToldElsewhere(node: Node): boolean {
  if (/^(TS(?!As|Satisfies|NonNull)|Import|ExportAll|Throw)/.test(node.type)) return true;
  const callee = node["callee"] as Node | undefined;
  if (node.type === "NewExpression") return /(Error|RegExp)$/.test(nameOf(callee));
  if (node.type === "VariableDeclarator") return nameOf(node["id"]).endsWith("Style");
  if (node.type !== "CallExpression") return false;
  return namesThings.test(nameOf(callee)) || /^(log|logger)$/i.test(nameOf(callee?.["object"]));
}

/** Of a variable or a member. */
function nameOf(of: unknown): string {
  const { name, property } = (of ?? {}) as { readonly name?: string; readonly property?: { readonly name?: string } };
  return name ?? property?.name ?? "";
}

/** What takes selectors, what others wrote, and names of services. */
const namesThings = /^(querySelector(All)?|closest|matches|startsWith|loop)$/;

/** Two words, or one with a capital letter. */
const isProse = (text: string): boolean => /(^|[\s(])\p{L}{2,}[,.:]? \p{L}{2,}/u.test(text) || /^\p{Lu}\p{Ll}+$/u.test(text);

const hole = "\u0000";
const textOf = (quasis: readonly Node[]): string => quasis.map((each) => (each["value"] as { readonly cooked: string }).cooked).join(hole);

/** Schemes of colours, what may be kept, a line of a module. */
const forBrowsers = /^(light dark|(private|public), [\s\S]*|\0\nexport default \0;\n)$/;

/** Markup that is put into a tag. */
const isAttribute = /^( [a-z-]+(="[^"]*")?)+$/;

/** What people read in markup: between tags, and in the attributes that are read aloud. */
function wordsOfMarkup(markup: string): string[] {
  const tag = /<[^>"']*(?:"[^"]*"[^>"']*|'[^']*'[^>"']*)*>/g;
  const spoken = /\b(?:title|placeholder|aria-label|alt)="([^"]*)"/g;
  const attributes = [...markup.matchAll(spoken)].map(([, value = ""]) => value);
  const between = isAttribute.test(markup)
    ? []
    : markup
        .replace(tag, hole)
        .replace(/&#?\w+;/g, " ")
        .split(hole);
  return [...between, ...attributes].filter((text) => /\p{L}{2}/u.test(text));
}

function childrenOf(node: Node): Node[] {
  return Object.entries(node)
    .flatMap(([name, part]) => (name === "key" && node["computed"] !== true ? [] : part))
    .filter((part): part is Node => typeof part === "object" && part !== null && "type" in part);
}
