import MiniSearch, { type Options } from "minisearch";
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
/** Anybody may search: more words, and beginnings of a letter or two, would cost much and tell little. */
const [mostWords, shortestBeginning] = [8, 3];
/** Sections that are taken into the index in one go. */
const chunkSize = 20;

interface Section {
  readonly id: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

const tokenize = MiniSearch.getDefault("tokenize") as (text: string) => string[]; // its own type says nothing of it

const options: Options<Section> = {
  fields: ["title", "heading", "text"],
  searchOptions: {
    boost: { title: 4, heading: 3 },
    tokenize: (words) => [...new Set(tokenize(words))].slice(0, mostWords),
    prefix: (word) => word.length >= shortestBeginning,
    fuzzy: (word) => (word.length > 3 ? 0.2 : false),
    combineWith: "AND",
  },
};

/** Who looks for a variable wants the page that defines it, before those that mention it. */
const ofSettings = { boostDocument: (id: unknown): number => (String(id).startsWith("/docs/guide/configuration") ? 4 : 1) };

function isVariable(words: string): boolean {
  return /^[A-Z\d]+(?:_[A-Z\d]+)+$/.test(words.trim());
}

type Search = (words: string) => Promise<readonly GuideHit[]>;

/**
 * The sections of all documents, best first: each word begins a word of the section, or is one letter off. The index is made when somebody first
 * searches, bit by bit: it takes half a second, which other work must not wait for.
 */
export function createGuideSearch(addresses: readonly string[], documentAt: (address: string) => GuideDocument | undefined): Search {
  let making: ReturnType<typeof indexed> | undefined;
  return async (words) => {
    const { index, byId } = await (making ??= indexed(addresses, documentAt));
    const hits = index.search(words, isVariable(words) ? ofSettings : {}).slice(0, mostHits);
    return hits.flatMap(({ id, match }): GuideHit[] => {
      const section = byId.get(String(id));
      if (section === undefined) return [];
      const { title, heading, text } = section;
      return [{ href: section.id, title, heading, excerpt: excerptOf(text, Object.keys(match)) }];
    });
  };
}

async function indexed(addresses: readonly string[], documentAt: (address: string) => GuideDocument | undefined) {
  const byId = new Map<string, Section>();
  for (const address of addresses) {
    const { title = "", sections = [] } = documentAt(address) ?? {};
    for (const { anchor, heading, text } of sections)
      byId.set(`${address}#${anchor}`, { id: `${address}#${anchor}`, title, heading, text });
    await new Promise((resolve) => setImmediate(resolve));
  }
  const index = new MiniSearch<Section>(options);
  await index.addAllAsync([...byId.values()], { chunkSize });
  return { index, byId };
}

function excerptOf(text: string, terms: readonly string[]): string {
  const low = text.toLowerCase();
  const places = terms.map((term) => low.indexOf(term)).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...(places.length === 0 ? [0] : places)) - 60);
  const start = from === 0 ? 0 : text.indexOf(" ", from) + 1;
  const part = text.slice(start, start + excerptLength);
  return `${start > 0 ? "… " : ""}${part}${start + excerptLength < text.length ? " …" : ""}`;
}
