import { checkFormTexts } from "../../texts/check-form.ts";
import { type Html, html } from "../../view/html.ts";
import type { CheckField } from "../check-types/check-field.ts";
import { type FieldContext, fieldView, flag } from "./field-view.ts";
import { type Retries, retriesOf, retryFlags, retryNumbers, retryPath, retryTypes } from "./retry-form.ts";

const texts = checkFormTexts.retries;
const numberFields = retryNumbers.map((name): CheckField => ({ path: `${retryPath}.${name}`, label: texts[name], kind: "number" }));

/** As long as nobody said it, a check looks once more; whoever has said it chooses among strategies, or none. */
export function retryFields(context: FieldContext): Html {
  const chosen = retriesOf(context.body[retryPath]);
  const problem = context.problems[`${retryPath}.type`] ?? context.problems[retryPath];
  return html`<details${(chosen !== null || problem !== undefined) && html` open`}><summary>${texts.title}</summary>
<div class="field"><label for="${retryPath}.type">${texts.type}</label>${problem !== undefined && html`<p class="problem">${problem}</p>`}${typeSelect(context, chosen)}</div>
${numberFields.map((field) => fieldView(field, context))}
${flag(retryFlags.elsewhere, texts.elsewhere, chosen?.sameRegion === false)}${flag(retryFlags.onlyNetwork, texts.onlyNetwork, chosen?.onlyOn?.includes("NETWORK_ERROR") === true)}</details>`;
}

function typeSelect({ body, stored }: FieldContext, chosen: Retries | null): Html {
  const value = chosen?.type ?? (body[retryPath] === null ? "NONE" : "");
  const said = [["NONE", texts.none] as const, ...retryTypes.map((type) => [type, texts.types[type]] as const)];
  const options = stored?.[retryPath] === undefined ? [["", texts.unsaid] as const, ...said] : said;
  return html`<select class="short" id="${retryPath}.type" name="${retryPath}.type">${options.map(([key, text]) => html`<option value="${key}"${key === value && html` selected`}>${text}</option>`)}</select>`;
}
