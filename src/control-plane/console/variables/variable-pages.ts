import {
  createVariable,
  deleteVariable,
  type EnvironmentVariable,
  getVariable,
  listVariables,
  updateVariable,
} from "#contract/variables.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import { pageOf } from "../page-links.ts";
import { refusedFields } from "../refused-fields.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { changedVariable, draftOf, typedVariable, writtenVariable } from "./variable-form.ts";
import { variablePage, variablesPage } from "./variables-page.ts";

const access = "write";
const pageSize = 50;

/** Environment variables of the account. */
export function variablePages(ask: Ask): readonly ConsolePage[] {
  return [
    { method: "GET", path: "/variables", access: "read", answer: (visit) => list(ask, visit, { done: visit.request.query.get("done") }) },
    { method: "POST", path: "/variables", access, answer: (visit) => create(ask, visit) },
    { method: "GET", path: "/variables/{key}", access, answer: (visit) => show(ask, visit) },
    { method: "POST", path: "/variables/{key}", access, answer: (visit) => change(ask, visit) },
    { method: "POST", path: "/variables/{key}/delete", access, answer: (visit) => remove(ask, visit) },
  ];
}

type ListView = Omit<Parameters<typeof variablesPage>[1], "variables" | "total" | "page" | "pageSize">;

async function list(ask: Ask, visit: Visit, view: ListView): Promise<FormAnswer> {
  const page = pageOf(visit.request.query);
  const { items, total } = await ask(visit, listVariables, { query: { limit: String(pageSize), page: String(page) } });
  return variablesPage(visit, { variables: items, total, page, pageSize, ...view });
}

async function create(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { form } = visit.request;
  try {
    await ask(visit, createVariable, { body: writtenVariable(form) });
    return redirect("/variables?done=created");
  } catch (error) {
    return list(ask, visit, { draft: typedVariable(form), problems: refusedFields(error, ["key", "value"]), status: 400 });
  }
}

async function show(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const variable = await find(ask, visit);
  return variablePage(visit, { variable, draft: draftOf(variable) });
}

async function change(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const variable = await find(ask, visit);
  const { form } = visit.request;
  try {
    await ask(visit, updateVariable, { params: { key: variable.key }, body: changedVariable(form, variable) });
    return redirect("/variables?done=changed");
  } catch (error) {
    const draft = { ...typedVariable(form), key: variable.key };
    return variablePage(visit, { variable, draft, problems: refusedFields(error, ["value"]), status: 400 });
  }
}

async function remove(ask: Ask, visit: Visit): Promise<FormAnswer> {
  await ask(visit, deleteVariable, { params: { key: keyOf(visit) } });
  return redirect("/variables?done=deleted");
}

function find(ask: Ask, visit: Visit): Promise<EnvironmentVariable> {
  return ask(visit, getVariable, { params: { key: keyOf(visit) } });
}

function keyOf({ request: { params } }: Visit): string {
  return params["key"] ?? "";
}
