import { posix } from "node:path";

export const guidePath = "/docs/guide";

/** Where a file of the repository is in the guide: `docs/operations/network.md` at `/docs/guide/operations/network`, README.md at its top. */
export function guideAddress(file: string): string {
  const name = file.replace(/^docs\//, "").replace(/(^|\/)README\.md$|\.md$/, "");
  return name === "" ? guidePath : `${guidePath}/${name}`;
}

/**
 * A link of a document, as it leads on from its page of the guide.
 * @param from the document's path in the repository
 * @param href as the document has it: relative to it, or a whole URL
 * @returns undefined where it leads to a file that is not in the guide, such as source code
 */
export function guideLink(from: string, href: string, files: ReadonlySet<string>): string | undefined {
  if (/^https?:/.test(href)) return href;
  if (/^[a-z][a-z+.-]*:/.test(href)) return undefined; // an address of an example, which Markdown takes for a link
  const [path = "", anchor] = href.split("#");
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (path === "") return hash;
  const to = posix.join(posix.dirname(from), path).replace(/\/$/, "");
  const found = [to, `${to}/README.md`].find((file) => files.has(file));
  return found === undefined ? undefined : guideAddress(found) + hash;
}

/** The name of a heading within its page, as GitHub makes it: links of the documents hold on both. */
export function headingAnchor(heading: string): string {
  return heading
    .replace(/\]\([^)]*\)/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
}
