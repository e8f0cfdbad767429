/** Markup that is safe to send: everything that was put into it has been escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlPart = string | number | Html | false | null | undefined | readonly HtmlPart[];

/** Builds markup. Values are escaped unless they are `Html`; false, null and undefined vanish; arrays are joined. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  let text = strings[0] ?? "";
  for (let index = 0; index < parts.length; index += 1) text += textOf(parts[index]) + (strings[index + 1] ?? "");
  return new Html(text);
}

function textOf(part: HtmlPart): string {
  // Most texts have nothing to escape, and a page has thousands of them.
  if (typeof part === "string") return special.test(part) ? part.replace(specials, (character) => entities[character] ?? character) : part;
  if (part instanceof Html) return part.text;
  if (typeof part === "number") return String(part);
  if (part === false || part === null || part === undefined) return "";
  let text = "";
  for (const one of part) text += textOf(one);
  return text;
}

const special = /[&<>"']/;
const specials = /[&<>"']/g;
const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
