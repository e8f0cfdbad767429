import MiniSearch from "minisearch";
import type { GuideDocument } from "./guide-markdown.ts";

export interface GuideHit {
  /** With the heading's anchor. */
  readonly href: string;
  readonly title: string;
  readonly heading: string;
  /** Text around the first word that was found. */
  readonly excerpt: string;
}

const mostHits = 30;
const excerptLength = 220;

/** The sections of all documents, best first: each word begins a word of the section, or is one letter off. */
export function createGuideSearch(documents: ReadonlyMap<string, GuideDocument>): (words: string) => readonly GuideHit[] {
  const sections = [...documents].flatMap(([address, { title, sections: parts }]) =>
    parts.map(({ anchor, heading, text }) => ({ id: `${address}#${anchor}`, title, heading, text })),
  );
  const byId = new Map(sections.map((section) => [section.id, section]));
  const index = new MiniSearch({
    fields: ["title", "heading", "text"],
    searchOptions: { boost: { title: 4, heading: 3 }, prefix: true, fuzzy: (word) => (word.length > 3 ? 0.2 : false), combineWith: "AND" },
  });
  index.addAll(sections);
  return (words) =>
    index
      .search(words)
      .flatMap(({ id, match }): GuideHit[] => {
        const section = byId.get(String(id));
        if (section === undefined) return [];
        const { title, heading, text } = section;
        return [{ href: section.id, title, heading, excerpt: excerptOf(text, Object.keys(match)) }];
      })
      .slice(0, mostHits);
}

function excerptOf(text: string, terms: readonly string[]): string {
  const low = text.toLowerCase();
  const places = terms.map((term) => low.indexOf(term)).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...(places.length === 0 ? [0] : places)) - 60);
  const start = from === 0 ? 0 : text.indexOf(" ", from) + 1;
  const part = text.slice(start, start + excerptLength);
  return `${start > 0 ? "… " : ""}${part}${start + excerptLength < text.length ? " …" : ""}`;
}
