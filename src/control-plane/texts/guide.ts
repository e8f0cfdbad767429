/** Every English text of the guide's pages that is not in `docs/`. */
export const guideTexts = {
  product: "Outpost",
  name: "Guide",
  titleOf: (title: string) => `${title} · Outpost guide`,
  skip: "Skip to the text",
  contents: "Pages of the guide",
  onThisPage: "On this page",
  search: "Search the guide",
  find: "Search",
  found: (count: number, words: string) =>
    count === 0 ? `Nothing found for “${words}”` : `${count} ${count === 1 ? "section" : "sections"} found for “${words}”`,
  noneFound: "Try fewer or other words, or choose a page from the list.",
  reference: "API reference",
  missing: "There is no such page",
  aboutMissing: "The address may be of another version of the guide. Choose a page from the list, or search.",
} as const;
