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
  /** Of all documents. */
  readonly addresses: readonly string[];
  /** Each is read when it is asked for first, which takes some milliseconds. */
  readonly documentAt: (address: string) => GuideDocument | undefined;
  /** A picture or a sample by its address. */
  readonly fileAt: (address: string) => { readonly type: string; readonly body: Buffer } | undefined;
  readonly search: (words: string) => Promise<readonly GuideHit[]>;
}

export function readGuide(folder = guideFolder): Guide {
  const files = guideFiles(folder);
  const known = new Set(files);
  const byAddress = new Map(files.map((file) => [guideAddress(file), file]));
  const isDocument = (file: string): boolean => extname(file) === ".md";
  const addresses = [...byAddress].flatMap(([address, file]) => (isDocument(file) ? address : []));
  const read = new Map<string, GuideDocument>();
  const documentAt = (address: string): GuideDocument | undefined => {
    const file = byAddress.get(address);
    if (file === undefined || !isDocument(file)) return undefined;
    return read.getOrInsertComputed(address, () =>
      readGuideDocument(readFileSync(join(folder, file), "utf8"), (href) => guideLink(file, href, known)),
    );
  };
  return {
    contents: linkedContents(readFileSync(join(folder, "README.md"), "utf8"), known),
    addresses,
    documentAt,
    search: createGuideSearch(addresses, documentAt),
    fileAt: (address) => {
      const file = byAddress.get(address);
      if (file === undefined || isDocument(file)) return undefined;
      return { type: guideFileTypes[extname(file)] ?? "", body: readFileSync(join(folder, file)) };
    },
  };
}

function linkedContents(readme: string, known: ReadonlySet<string>): readonly GuideGroup[] {
  return guideContents(readme).map(({ name, pages }) => ({
    name,
    pages: pages.flatMap(({ name: page, href }) => {
      const to = guideLink("README.md", href, known);
      return to === undefined ? [] : [{ name: page, href: to }];
    }),
  }));
}
