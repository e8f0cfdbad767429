import type { PageAnswer, PageRoute } from "../../http/page-routes.ts";
import { type Guide, readGuide } from "./guide.ts";
import { guidePath } from "./guide-addresses.ts";
import { documentPage, foundPage, missingPage } from "./guide-page.ts";

const longestQuestion = 100;
/** Pages change with the program only; an hour lets an upgrade be seen. */
const kept = { "cache-control": "public, max-age=3600" };

/** The guide, for everybody: pages of its documents, their pictures and samples, and its search. */
export function guideRoutes(read: () => Guide = readGuide): readonly PageRoute[] {
  let made: Guide | undefined;
  const guide = (): Guide => (made ??= read());
  return [
    { path: guidePath, answer: () => pageAt(guide(), guidePath) },
    {
      path: `${guidePath}/search`,
      answer: async ({ query }) => {
        const words = (query.get("q") ?? "").trim().slice(0, longestQuestion);
        return foundPage(guide(), words, words === "" ? [] : await guide().search(words));
      },
    },
    { path: `${guidePath}/*`, answer: ({ params }) => pageAt(guide(), `${guidePath}/${params["*"] ?? ""}`.replace(/\/$/, "")) },
  ];
}

function pageAt(guide: Guide, address: string): PageAnswer {
  const document = guide.documentAt(address);
  if (document !== undefined) return withHeaders(documentPage(guide, address, document), kept);
  const file = guide.fileAt(address);
  return file === undefined ? missingPage(guide) : withHeaders(file, { ...kept, "content-security-policy": "default-src 'none'; sandbox" });
}

function withHeaders(answer: PageAnswer, headers: NonNullable<PageAnswer["headers"]>): PageAnswer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
