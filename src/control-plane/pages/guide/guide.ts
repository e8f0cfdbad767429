import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { guideAddress, guideLink } from "./guide-addresses.ts";
import { type GuideGroup, guideContents } from "./guide-contents.ts";
import { guideFiles, guideFileTypes, guideFolder } from "./guide-files.ts";
import { type GuideDocument, readGuideDocument } from "./guide-markdown.ts";
import { createGuideSearch, type GuideHit } from "./guide-search.ts";

/** The documents of `docs/`, as the program brought them along. */
export interface Guide {
  /** Groups of pages by what a reader wants to do; links are addresses. */
  readonly contents: readonly GuideGroup[];
  readonly documents: ReadonlyMap<string, GuideDocument>;
  /** A picture or a sample by its address. */
  readonly fileAt: (address: string) => { readonly type: string; readonly body: Buffer } | undefined;
  readonly search: (words: string) => readonly GuideHit[];
}

/** Reads all documents: some 100 ms, hence when somebody first asks. */
export function readGuide(folder = guideFolder): Guide {
  const files = guideFiles(folder);
  const known = new Set(files);
  const text = (file: string): string => readFileSync(join(folder, file), "utf8");
  const documents = new Map(
    files
      .filter((file) => file.endsWith(".md"))
      .map((file) => [guideAddress(file), readGuideDocument(text(file), (href) => guideLink(file, href, known))]),
  );
  const others = new Map(files.filter((file) => !file.endsWith(".md")).map((file) => [guideAddress(file), file]));
  const contents = guideContents(text("README.md")).map(({ name, pages }) => ({
    name,
    pages: pages.flatMap(({ name: page, href }) => {
      const to = guideLink("README.md", href, known);
      return to === undefined ? [] : [{ name: page, href: to }];
    }),
  }));
  return {
    contents,
    documents,
    search: createGuideSearch(documents),
    fileAt: (address) => {
      const file = others.get(address);
      return file === undefined ? undefined : { type: guideFileTypes[extname(file)] ?? "", body: readFileSync(join(folder, file)) };
    },
  };
}
