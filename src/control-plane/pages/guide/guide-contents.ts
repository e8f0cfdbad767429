/** A line of the list of pages: what a reader wants to do, and the pages for it. */
export interface GuideGroup {
  readonly name: string;
  readonly pages: readonly { readonly name: string; readonly href: string }[];
}

/** The table at README's end that says what to read for what is the list of pages here, too. */
export function guideContents(readme: string): readonly GuideGroup[] {
  return [...readme.matchAll(/^\| \*\*(.+?)\*\* \| (.+) \|$/gm)].map(([, name = "", links = ""]) => ({
    name: capital(name),
    pages: [...links.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)].map(([, words = "", href = ""]) => ({ name: capital(words), href })),
  }));
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
