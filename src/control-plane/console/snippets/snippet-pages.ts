import { createSnippet, deleteSnippet, getSnippet, listSnippets, type Snippet, updateSnippet } from "#contract/snippets.ts";
import { AppError } from "#domain/app-error.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import { pageOf } from "../page-links.ts";
import { typed } from "../people/person-fields.ts";
import { refusedFields } from "../refused-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { snippetPage } from "./snippet-page.ts";
import { snippetsPage } from "./snippets-page.ts";

const access = "write";
const pageSize = 50;

/** Code that scripts of checks share. */
export function snippetPages(ask: Ask): readonly ConsolePage[] {
  const blank = { name: "", script: "" };
  return [
    { method: "GET", path: "/snippets", access: "read", answer: (visit) => list(ask, visit) },
    { method: "GET", path: "/snippets/new", access, answer: async (visit) => snippetPage(visit, { snippet: null, draft: blank }) },
    { method: "POST", path: "/snippets", access, answer: (visit) => create(ask, visit) },
    { method: "GET", path: "/snippets/{id}", access: "read", answer: (visit) => show(ask, visit) },
    { method: "POST", path: "/snippets/{id}", access, answer: (visit) => change(ask, visit) },
    { method: "POST", path: "/snippets/{id}/delete", access, answer: (visit) => remove(ask, visit) },
  ];
}

async function list(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { query } = visit.request;
  const page = pageOf(query);
  const { items, total } = await ask(visit, listSnippets, { query: { limit: String(pageSize), page: String(page) } });
  return snippetsPage(visit, { snippets: items, total, page, pageSize, done: query.get("done") });
}

async function create(ask: Ask, visit: Visit): Promise<FormAnswer> {
  return written(visit, null, async (body) => {
    await ask(visit, createSnippet, { body });
    return redirect("/snippets?done=created");
  });
}

async function show(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const snippet = await find(ask, visit);
  return snippetPage(visit, { snippet, draft: snippet });
}

async function change(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const snippet = await find(ask, visit);
  return written(visit, snippet, async (body) => {
    await ask(visit, updateSnippet, { params: { id: String(snippet.id) }, body });
    return redirect("/snippets?done=changed");
  });
}

/** What `write` answers; the form once more, with what was typed, where it refuses that. */
async function written(visit: Visit, snippet: Snippet | null, write: (body: object) => Promise<FormAnswer>): Promise<FormAnswer> {
  const { form } = visit.request;
  const draft = { name: typed(form, "name"), script: (form.get("script") ?? "").replaceAll("\r\n", "\n") };
  try {
    return await write(draft);
  } catch (error) {
    return snippetPage(visit, { snippet, draft, problems: refusedFields(error, ["name", "script"]), status: 400 });
  }
}

async function remove(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { id } = await find(ask, visit);
  await ask(visit, deleteSnippet, { params: { id: String(id) } });
  return redirect("/snippets?done=deleted");
}

/** @throws {AppError} not_found also for what is no id, and for snippets of other accounts */
async function find(ask: Ask, visit: Visit): Promise<Snippet> {
  const id = visit.request.params["id"] ?? "";
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new AppError("not_found", "There is no such snippet.");
  return ask(visit, getSnippet, { params: { id } });
}
