import { listSnippets, type SnippetCreate } from "#contract/snippets.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import { kindPages } from "../kind-pages.ts";
import { pageOf } from "../page-links.ts";
import { typed } from "../people/person-fields.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import { snippetPage } from "./snippet-page.ts";
import { snippetsPage } from "./snippets-page.ts";

const pageSize = 50;

/** Code that scripts of checks share. */
export function snippetPages(ask: Ask): readonly ConsolePage[] {
  return [
    { method: "GET", path: "/snippets", access: "read", answer: (visit) => list(ask, visit) },
    ...kindPages<"snippet", SnippetCreate>(ask, {
      kind: "snippet",
      path: "/snippets",
      after: (done) => `/snippets?done=${done}`,
      page: snippetPage,
      blank: () => ({ name: "", script: "" }),
      drafted: (snippet) => snippet,
      typed: (form) => ({ name: typed(form, "name"), script: (form.get("script") ?? "").replaceAll("\r\n", "\n") }),
      body: (draft) => draft,
      fields: () => ["name", "script"],
      shownTo: "read",
    }),
  ];
}

async function list(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { query } = visit.request;
  const page = pageOf(query);
  const { items, total } = await ask(visit, listSnippets, { query: { limit: String(pageSize), page: String(page) } });
  return snippetsPage(visit, { snippets: items, total, page, pageSize, done: query.get("done") });
}
