import { listVariables } from "#contract/variables.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import { kindPages } from "../kind-pages.ts";
import { pageOf } from "../page-links.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import { changedVariable, draftOf, typedVariable, type VariableDraft, writtenVariable } from "./variable-form.ts";
import { variablePage, variablesPage } from "./variables-page.ts";

const pageSize = 50;

/** Environment variables of the account. */
export function variablePages(ask: Ask): readonly ConsolePage[] {
  return [
    { method: "GET", path: "/variables", access: "read", answer: (visit) => list(ask, visit, { done: visit.request.query.get("done") }) },
    ...kindPages<"variable", VariableDraft>(ask, {
      kind: "variable",
      path: "/variables",
      after: (done) => `/variables?done=${done}`,
      page: (visit, { stored: variable, ...view }) =>
        variable === null ? list(ask, visit, view) : variablePage(visit, { variable, ...view }),
      drafted: draftOf,
      typed: (form, stored) => ({ ...typedVariable(form), ...(stored !== null && { key: stored.key }) }),
      body: (_draft, stored, form) => (stored === null ? writtenVariable(form) : changedVariable(form, stored)),
      fields: () => ["key", "value"],
    }),
  ];
}

type ListView = Omit<Parameters<typeof variablesPage>[1], "variables" | "total" | "page" | "pageSize">;

async function list(ask: Ask, visit: Visit, view: ListView): Promise<FormAnswer> {
  const page = pageOf(visit.request.query);
  const { items, total } = await ask(visit, listVariables, { query: { limit: String(pageSize), page: String(page) } });
  return variablesPage(visit, { variables: items, total, page, pageSize, ...view });
}
