import { apiReferenceTexts as texts } from "../texts/api-reference.ts";
import { type Html, html } from "../view/html.ts";
import { type JsonSchema, refName, withoutNull } from "./json-schema.ts";

/** The fields of a schema as a nested list; named schemas are links to where they are described. */
export function schemaView(schema: JsonSchema): Html {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length > 0)
    return html`<dl class="fields">${fields.map(([name, field]) => fieldView(name, field, schema.required?.includes(name) ?? false))}</dl>`;
  return html`<p class="type">${typeView(schema)}${constraintsView(schema)}</p>${nestedView(schema)}`;
}

function fieldView(name: string, field: JsonSchema, required: boolean): Html {
  return html`<div class="field"><dt><code class="name">${name}</code> <span class="type">${typeView(field)}</span>${
    required && html` <span class="required">${texts.required}</span>`
  }${constraintsView(field)}</dt><dd>${field.description !== undefined && html`<p>${field.description}</p>`}${nestedView(field)}</dd></div>`;
}

/** Fields of an unnamed object or of an unnamed array's entries. */
function nestedView(schema: JsonSchema): Html | false {
  const inner = withoutNull(schema)
    .branches.map((branch) => branch.items ?? branch)
    .filter(({ properties }) => properties !== undefined && Object.keys(properties).length > 0);
  if (inner.length === 0) return false;
  return html`<details><summary>${texts.fields}</summary>${inner.map(schemaView)}</details>`;
}

/** `string (uuid)`, `array of ApiAssertion`, `integer or null`. */
export function typeView(schema: JsonSchema): Html {
  if (schema.$ref !== undefined) return html`<a href="#schema-${refName(schema.$ref)}">${refName(schema.$ref)}</a>`;
  const { branches, nullable } = withoutNull(schema);
  if (branches.length > 1 || nullable) {
    return html`${branches.map((branch, index) => [index > 0 && texts.or, typeView(branch)])}${nullable && texts.orNull}`;
  }
  if (schema.type === "array") return texts.arrayOf(typeView(schema.items ?? {}));
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  const type = schema.type === undefined ? texts.anyValue : [schema.type].flat().join(texts.or);
  return html`${type}${schema.format !== undefined && ` (${schema.format})`}`;
}

const longestEnum = 24;

function constraintsView(schema: JsonSchema): Html {
  const only = withoutNull(schema).branches;
  const facts = only.length === 1 && only[0] !== undefined ? { ...only[0], ...schema } : schema;
  const values = facts.enum ?? facts.items?.enum;
  const bounds = [
    range(facts.minimum ?? facts.exclusiveMinimum, facts.maximum, ""),
    range(facts.minLength, facts.maxLength, texts.characters),
    range(facts.minItems, facts.maxItems, texts.entries),
  ].filter((text) => text !== "");
  return html`${bounds.map((text) => html` <span class="bound">${text}</span>`)}${
    schema.default !== undefined && html` <span class="bound">${texts.default} <code>${JSON.stringify(schema.default)}</code></span>`
  }${values !== undefined && html`<span class="values">${values.slice(0, longestEnum).map((value) => html`<code>${String(value)}</code> `)}${values.length > longestEnum && "…"}</span>`}`;
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  if (min === undefined && max === undefined) return "";
  if (max === undefined) return `≥ ${min}${unit}`;
  return min === undefined ? `≤ ${max}${unit}` : `${min} … ${max}${unit}`;
}
