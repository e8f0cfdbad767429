import { isPinged, traitsOf } from "#contract/checks/traits.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { commaList } from "#domain/comma-list.ts";
import type { CheckField } from "../check-types/check-field.ts";
import { checkTypesInConsole } from "../check-types/index.ts";
import { assertionsIn } from "./assertion-rows.ts";
import { incidentIn } from "./incident-form.ts";
import { pairsIn } from "./pairs.ts";
import { placesIn } from "./place-form.ts";
import { retriesIn } from "./retry-form.ts";
import { nameField, sharedFields, tagsField } from "./shared-fields.ts";
import { isUntouched } from "./shown-text.ts";
import { type Body, isBody, valueAt } from "./value-at.ts";
import { variablesIn } from "./variable-rows.ts";

/** The body with a value at a path; what stands beside it stays. */
function withValue(body: Body, path: string, value: unknown): Body {
  const [name = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...body, [name]: value };
  const inner = body[name];
  return { ...body, [name]: withValue(isBody(inner) ? inner : {}, rest.join("."), value) };
}

/**
 * The body of a creation or an update from what was typed. Whatever is no number stays as it was typed, so that the operation tells what it
 * wants there.
 *
 * @param before as it is stored, or what a new one begins with: what the form does not show stays, such as the locks of headers
 */
export function bodyOf(type: CheckTypeName, form: URLSearchParams, before: Body): Body {
  const { fields, assertions } = checkTypesInConsole[type].form;
  let body: Body = {
    name: valueIn(nameField, form, before) ?? "",
    tags: valueIn(tagsField, form, before) ?? [],
    activated: form.has("activated"),
    muted: form.has("muted"),
  };
  // An update replaces these whole, so what the form does not show of them goes along; what it does not name at all it keeps.
  for (const name of ["request", "alertSettings"]) if (isBody(before[name])) body = { ...body, [name]: before[name] };
  const sent = [...fields, ...sharedFields(type)].filter((field) => isSaid(field, form, before));
  for (const field of sent) {
    const value = valueIn(field, form, before);
    // What nobody ever said stays unsaid.
    if (value !== null || valueAt(before, field.path) !== undefined) body = withValue(body, field.path, value);
  }
  if (assertions !== null) body = withValue(body, "request.assertions", assertionsIn(form, valueAt(before, "request.assertions")));
  if (fields.some(({ kind }) => kind === "password")) body = withoutEmptyAuth(body, form, before);
  const more = { triggerIncident: incidentIn(form, before["triggerIncident"]), ...(!isPinged(type) && runsIn(type, form, before)) };
  return { ...body, ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined)) };
}

/** Where, when and with what it runs. */
function runsIn(type: CheckTypeName, form: URLSearchParams, before: Body): object {
  const environmentVariables = hasVariables(type) ? variablesIn(form, before["environmentVariables"]) : undefined;
  const retryStrategy = retriesIn(form, before["retryStrategy"]);
  return { retryStrategy, environmentVariables, ...placesIn(form, before), ...intervalOf(form.get("interval") ?? "") };
}

/** As it is stored where nobody touched it: not everything that can be stored can be typed. */
function valueIn(field: CheckField, form: URLSearchParams, before: Body): unknown {
  const stored = valueAt(before, field.path);
  return isUntouched(field, form, stored) ? stored : read(field, textIn(field, form, stored), form, before);
}

/** What was typed. Where all lines ended in two characters they still do: it may be what a protocol wants. */
function textIn({ path }: CheckField, form: URLSearchParams, stored: unknown): string {
  const text = form.get(path)?.replaceAll("\r\n", "\n") ?? "";
  const isDos = typeof stored === "string" && /\r\n/.test(stored) && !/(?<!\r)\n/.test(stored);
  return isDos ? text.replaceAll("\n", "\r\n") : text;
}

/** Of API checks and monitors variables are the account's and the group's. */
export function hasVariables(type: CheckTypeName): boolean {
  return traitsOf(type).scripts === "whole";
}

type Reader = (text: string, field: CheckField, form: URLSearchParams, before: Body) => unknown;

const readers: Readonly<Record<CheckField["kind"], Reader>> = {
  flag: (_, { path }, form) => form.has(path),
  pairs: (text, { path, between = ":" }, _, before) => pairsIn(text, between, valueAt(before, path)),
  list: commaList,
  number: (text, field, form, before) => (text === "" ? noNumber(field, form, before) : numberOf(text)),
  password: (text, { path }, _, before) => (text === "" ? (valueAt(before, path) ?? "") : text),
  choice: (text, { isNumber }) => (isNumber === true ? numberOf(text) : text),
  snippet: numberOf,
  group: numberOf,
  runtime: (text) => text,
  text: (text) => text,
  area: (text) => text,
  code: (text) => text,
};

/** Blanks around a text mean nothing but where they may be meant. */
const isVerbatim: ReadonlySet<CheckField["kind"]> = new Set(["area", "code", "password"]);

function read(field: CheckField, text: string, form: URLSearchParams, before: Body): unknown {
  const value = isVerbatim.has(field.kind) ? text : text.trim();
  return field.isNullable === true && value === "" ? null : readers[field.kind](value, field, form, before);
}

/** A field that the form showed, and that says something. */
function isSaid({ path, kind, within, options = [], usual = options[0] }: CheckField, form: URLSearchParams, before: Body): boolean {
  const isUnsaid = within === "alerts" && valueAt(before, path) === undefined;
  if (kind === "flag") return !isUnsaid || form.has(path);
  return form.has(path) && !(isUnsaid && form.get(path) === usual);
}

/** Who empties the name of the user takes both away. */
function withoutEmptyAuth(body: Body, form: URLSearchParams, before: Body): Body {
  const path = "request.basicAuth";
  const user = form.get(`${path}.username`)?.trim();
  const stored = valueAt(before, `${path}.username`);
  const isNameless = typeof stored === "string" && stored.trim() === "";
  if (user !== "" || form.get(`${path}.password`) !== "" || isNameless) return body;
  return withValue(body, path, valueAt(before, path) === undefined ? undefined : null);
}

function numberOf(text: string): number | string {
  return Number.isFinite(Number(text)) ? Number(text) : text;
}

/** An update keeps what is left out, so what goes away becomes what it would be without. */
function noNumber({ path, ofProtocol }: CheckField, form: URLSearchParams, before: Body): number | null | undefined {
  if (ofProtocol === undefined) return null;
  return typeof valueAt(before, path) === "number" ? ofProtocol[form.get("request.protocol") ?? ""] : undefined;
}

/** Nothing where the form asks for none. */
function intervalOf(text: string): { readonly frequency?: number; readonly frequencyOffset?: number } {
  if (text === "") return {};
  const [frequency = "", offset] = text.split("/");
  return { frequency: Number(frequency), ...(offset !== undefined && { frequencyOffset: Number(offset) }) };
}
