import { getCheckV1 } from "#contract/checks/operations.ts";
import { storedCheckTypes } from "#contract/checks/stored-types.ts";
import { CheckTypeName } from "#contract/primitives.ts";
import { refuseLargeBody, restBounds } from "../../http/budgets/json-bounds.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { parsePart } from "../../http/validation.ts";
import type { Ask } from "../ask.ts";
import type { FormProblems } from "../form-view.ts";
import { refusedFields } from "../refused-fields.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import { problemPlaces } from "./edit-page.ts";
import { type SyntaxProblem, syntaxProblem } from "./script-syntax.ts";
import { startOf } from "./start-of.ts";
import { bodyOf } from "./values.ts";

/** What is wrong with a form so far, for the script of its page; nothing is stored. */
export function validatePages(ask: Ask): readonly ConsolePage[] {
  return [
    {
      method: "POST",
      path: "/checks/new/validate",
      access: "write",
      answer: async ({ request: { form } }) => {
        const type = CheckTypeName.safeParse(form.get("type")).data;
        return type === undefined ? answer({}, null) : told(type, "create", bodyOf(type, form, startOf(type)));
      },
    },
    {
      method: "POST",
      path: "/checks/{id}/edit/validate",
      access: "write",
      answer: (visit) => ofStored(ask, visit),
    },
  ];
}

async function ofStored(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const check = await ask(visit, getCheckV1, { params: { id: visit.request.params["id"] ?? "" } });
  const { checkType: type } = check;
  return told(type, "update", bodyOf(type, visit.request.form, check));
}

/** What is wrong with the grammar of a script stands beside it as long as nothing else does. */
function told(type: CheckTypeName, form: "create" | "update", body: object): FormAnswer {
  const syntax = syntaxProblem(type, body);
  return answer({ ...(syntax !== null && { script: syntax.text }), ...problemsOf(type, form, body) }, syntax);
}

/** By the very schema that the creation or the update has. */
function problemsOf(type: CheckTypeName, form: "create" | "update", body: object): FormProblems {
  refuseLargeBody(body, restBounds);
  try {
    parsePart(storedCheckTypes[type][form], body);
    return {};
  } catch (error) {
    return refusedFields(error, problemPlaces(type));
  }
}

function answer(problems: FormProblems, syntax: SyntaxProblem | null): FormAnswer {
  return { type: "application/json; charset=utf-8", body: JSON.stringify({ problems, line: syntax?.line ?? null }) };
}
