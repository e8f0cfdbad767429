import { Marked, type Token, type Tokens } from "marked";
import { Html, html } from "../../view/html.ts";
import { headingAnchor } from "./guide-addresses.ts";

/** A part of a document below a heading: what the search finds. */
export interface GuideSection {
  readonly anchor: string;
  readonly heading: string;
  readonly depth: number;
  /** Without marks. */
  readonly text: string;
}

export interface GuideDocument {
  readonly title: string;
  readonly sections: readonly GuideSection[];
  readonly body: Html;
}

/**
 * A document of ours as markup. Its HTML passes as it is: it comes with the program.
 * @param linked where a link of it leads, undefined where to nothing in the guide: its words stay
 */
export function readGuideDocument(markdown: string, linked: (href: string) => string | undefined): GuideDocument {
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(markdown);
  const sections = sectionsOf(tokens);
  const anchors = sections.map(({ anchor }) => anchor);
  marked.use({
    renderer: {
      heading({ tokens: inline, depth }: Tokens.Heading) {
        return `<h${depth} id="${anchors.shift() ?? ""}">${this.parser.parseInline(inline)}</h${depth}>\n`;
      },
      link({ href, tokens: inline }: Tokens.Link) {
        const words = this.parser.parseInline(inline);
        const to = linked(href);
        return to === undefined ? words : html`<a href="${to}">${new Html(words)}</a>`.text;
      },
      html: ({ text }: Tokens.HTML | Tokens.Tag) =>
        text.replace(
          /\b(src|srcset|href)="([^"]*)"/g,
          (_all, name: string, href: string) => html`${new Html(name)}="${linked(href) ?? ""}"`.text,
        ),
    },
  });
  return { title: sections[0]?.heading ?? "", sections, body: new Html(scrolled(marked.parser(tokens))) };
}

/** What is wider than a phone scrolls by itself, also by keys; a heading without words is none. */
function scrolled(markup: string): string {
  return markup
    .replaceAll("<table>", '<div class="wide" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll(/<th(?: align="\w+")?><\/th>/g, "<td></td>")
    .replaceAll("<pre>", '<pre tabindex="0">');
}

/** All headings, each with the text up to the next one. */
function sectionsOf(tokens: readonly Token[]): readonly GuideSection[] {
  const sections: GuideSection[] = [];
  const taken = new Map<string, number>();
  for (const token of tokens) {
    const last = sections.at(-1);
    if (token.type === "heading") {
      const { text, depth, tokens: inline } = token as Tokens.Heading;
      const name = headingAnchor(text);
      const before = taken.get(name) ?? 0;
      taken.set(name, before + 1);
      sections.push({ anchor: before === 0 ? name : `${name}-${before}`, heading: plainText(inline), depth, text: "" });
    } else if (last !== undefined) sections[sections.length - 1] = { ...last, text: `${last.text} ${plainText([token])}`.trim() };
  }
  return sections;
}

/** The words of tokens without their marks. */
function plainText(tokens: readonly Token[]): string {
  return tokens.map(wordsOf).join("").replace(/\s+/g, " ");
}

function wordsOf(token: Token): string {
  if (token.type === "html" || token.type === "space") return " ";
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)).join(" ")).join(" ");
  }
  if (token.type === "list") return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(" ");
  const { tokens: inner, text = "" } = token as { tokens?: readonly Token[]; text?: string };
  return inner === undefined ? unescaped(text) : plainText(inner);
}

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
