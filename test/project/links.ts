import { posix } from "node:path";
import { headingAnchor } from "../../src/control-plane/pages/guide/guide-addresses.ts";

/** Documents by their paths from the repository's top. */
export type Documents = Readonly<Record<string, string>>;

/** One sentence for each link of a document that leads to no file, or to no heading of a document. */
export function linkProblems(documents: Documents, exists: (path: string) => boolean): string[] {
  return Object.entries(documents).flatMap(([from, text]) =>
    [...withoutCode(text).matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].flatMap(([, path = "", anchor]) => {
      const to = path === "" ? from : posix.join(posix.dirname(from), path);
      if (!exists(to)) return [`${from} links to ${to}, which is not there`];
      const target = documents[to];
      return anchor === undefined || target === undefined || anchorsOf(target).has(anchor) ? [] : [`${from}: ${to} has no #${anchor}`];
    }),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^```[^]*?^```/gm, "");
}

/** As GitHub and the guide make them of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  return new Set([...withoutCode(text).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) => headingAnchor(heading)));
}
