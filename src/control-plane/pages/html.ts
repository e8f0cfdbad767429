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
  return new Html(strings.reduce((text, string, index) => `${text}${textOf(parts[index - 1])}${string}`));
}

function textOf(part: HtmlPart): string {
  if (part === false || part === null || part === undefined) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(textOf).join("");
  return String(part).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
