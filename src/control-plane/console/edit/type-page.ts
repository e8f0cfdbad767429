import type { CheckTypeName } from "#contract/primitives.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { checkTypeTexts } from "../../texts/check-fields.ts";
import { checkFormTexts as texts } from "../../texts/check-form.ts";
import { type Html, html } from "../../view/html.ts";
import { checkTypesInConsole } from "../check-types/index.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { editStyle } from "./edit-style.ts";

/** In the order of the table. Its keys are exactly its names. */
const editableTypes = Object.keys(checkTypesInConsole) as CheckTypeName[];

/** Which type of check somebody wants to make. */
export function typePage(visit: Visit): FormAnswer {
  const body = html`<p class="crumbs"><a href="/checks">${texts.checks}</a></p><h1>${texts.newCheck}</h1>
<p class="lead">${texts.whichType}</p>
${typeList(editableTypes)}`;
  return consolePage(visit, { title: texts.newCheck, style: editStyle, body });
}

function typeList(types: readonly CheckTypeName[]): Html {
  return html`<ul class="list types">${types.map((type) => {
    const { name, asks } = checkTypeTexts[type];
    return html`<li><a href="/checks/new?type=${type}"><strong>${name}</strong> <span>${asks}</span></a></li>`;
  })}</ul>`;
}
