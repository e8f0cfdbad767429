/** A template as it stands in a text: a variable or a helper without arguments by its name, or `moment` with its texts. */
export interface TemplateTag {
  /** Where it begins, and where what follows it begins. */
  readonly start: number;
  readonly end: number;
  /** `{{{X}}}`: never encoded. */
  readonly isRaw: boolean;
  readonly name: string | undefined;
  readonly moment: string | undefined;
}

/**
 * `{{X}}` or `{{{X}}}`, all but the last brace of the latter. Linear on any input: no part goes past a brace, and what may repeat is
 * bounded.
 */
const tags = new RegExp(
  [
    /\{\{(?<third>\{?)[ \t\r\n]{0,100}/,
    /(?:(?<name>\$?[A-Za-z_][\w.-]{0,254})|(?<moment>moment(?:[ \t\r\n]{1,100}(?:"[^"{}]{0,200}"|'[^'{}]{0,200}')){1,2}))/,
    /[ \t\r\n]{0,100}\}\}/,
  ]
    .map(({ source }) => source)
    .join(""),
  "g",
);

/** The templates of a text, in order. Anything else in braces is none. */
export function* templateTags(text: string): Generator<TemplateTag> {
  if (text.includes("{{")) for (const found of text.matchAll(tags)) yield tagOf(found, text);
}

/** Where only two braces close, the first of three that open is text. */
function tagOf({ 0: whole, index, groups = {} }: RegExpExecArray, text: string): TemplateTag {
  const end = index + whole.length;
  const isRaw = groups["third"] === "{" && text[end] === "}";
  const start = groups["third"] === "{" && !isRaw ? index + 1 : index;
  return { start, end: isRaw ? end + 1 : end, isRaw, name: groups["name"], moment: groups["moment"] };
}

/** Whether there may be a template in any text of a value; costs a small part of filling it. */
export function hasTemplates(value: unknown): boolean {
  if (typeof value === "string") return value.includes("{{");
  return typeof value === "object" && value !== null && Object.values(value).some(hasTemplates);
}
