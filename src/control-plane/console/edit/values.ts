import { secretMask } from "#contract/variables.ts";
import { assertionsOf } from "./assertion-choices.ts";
import type { CheckField } from "./check-field.ts";
import { type EditableType, fieldsOf } from "./fields.ts";
import { incidentIn } from "./incident-form.ts";
import { placesIn } from "./place-form.ts";
import { retriesIn } from "./retry-form.ts";
import { sharedFields } from "./shared-fields.ts";
import { variablesIn } from "./variable-rows.ts";

type Body = Readonly<Record<string, unknown>>;

/** The value at a path such as `request.url`; undefined where there is none. */
export function valueAt(body: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (isBody(value) ? value[name] : undefined), body);
}

function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The body with a value at a path; what stands beside it stays. */
function withValue(body: Body, path: string, value: unknown): Body {
  const [name = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...body, [name]: value };
  const inner = body[name];
  return { ...body, [name]: withValue(isBody(inner) ? inner : {}, rest.join("."), value) };
}

/** One assertion as the form has it. */
export interface AssertionRow {
  readonly source: string;
  readonly property: string;
  readonly comparison: string;
  readonly target: string;
}

/**
 * The body of a creation or an update from what was typed. Whatever is no number stays as it was typed, so that the operation tells what it
 * wants there.
 *
 * @param before as it is stored, or what a new one begins with: what the form does not show stays, such as the locks of headers
 */
export function bodyOf(type: EditableType, form: URLSearchParams, before: Body): Body {
  const text = (path: string): string => form.get(path)?.replaceAll("\r\n", "\n") ?? "";
  let body: Body = {
    name: text("name").trim(),
    tags: listOf(text("tags")),
    activated: form.has("activated"),
    muted: form.has("muted"),
  };
  // Not the rest of what was read: an update keeps what it does not name.
  const request = before["request"];
  if (isBody(request)) body = { ...body, request };
  const sent = [...fieldsOf[type], ...sharedFields(type)].filter((field) => isSaid(field, form, before));
  for (const field of sent) {
    const value = read(field, text(field.path), form, before);
    // What nobody ever said stays unsaid.
    if (value !== null || valueAt(before, field.path) !== undefined) body = withValue(body, field.path, value);
  }
  if (assertionsOf[type] !== null) body = withValue(body, "request.assertions", assertionRows(form, valueAt(before, "request.assertions")));
  const triggerIncident = incidentIn(form, before["triggerIncident"]);
  if (triggerIncident !== undefined) body = { ...body, triggerIncident };
  if (type === "HEARTBEAT") return body;
  if (type === "API") body = withoutEmptyAuth(body, form, before);
  const retryStrategy = retriesIn(form);
  if (retryStrategy !== undefined) body = { ...body, retryStrategy };
  if (hasVariables(type)) body = { ...body, environmentVariables: variablesIn(form, before["environmentVariables"]) };
  return { ...body, ...placesIn(form, before), ...intervalOf(text("interval")) };
}

/** Of API checks and monitors variables are the account's and the group's. */
export function hasVariables(type: EditableType): boolean {
  return type === "BROWSER" || type === "MULTI_STEP" || type === "PLAYWRIGHT" || type === "AGENTIC";
}

type Reader = (text: string, field: CheckField, form: URLSearchParams, before: Body) => unknown;

const readers: Readonly<Record<CheckField["kind"], Reader>> = {
  flag: (_, { path }, form) => form.has(path),
  pairs: (text, { path, between = ":" }, _, before) => pairsOf(text, between, valueAt(before, path)),
  list: listOf,
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
  const user = form.get("request.basicAuth.username")?.trim();
  const isNameless = valueAt(before, "request.basicAuth.username") === "";
  return user === "" && form.get("request.basicAuth.password") === "" && !isNameless ? withValue(body, "request.basicAuth", null) : body;
}

function numberOf(text: string): number | string {
  return Number.isFinite(Number(text)) ? Number(text) : text;
}

/** An update keeps what is left out, so what goes away becomes what it would be without. */
function noNumber({ path, ofProtocol }: CheckField, form: URLSearchParams, before: Body): number | null | undefined {
  if (ofProtocol === undefined) return null;
  return typeof valueAt(before, path) === "number" ? ofProtocol[form.get("request.protocol") ?? ""] : undefined;
}

function listOf(text: string): readonly string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

interface Pair {
  readonly key: string;
  readonly value: string;
  readonly locked?: boolean;
}

/** Lines of names and values. Who was locked under this name stays so. */
function pairsOf(text: string, between: string, before: unknown): readonly Pair[] {
  const known = new Map(listOfPairs(before).map((pair) => [pair.key, pair]));
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const at = line.indexOf(between);
      const key = (at < 0 ? line : line.slice(0, at)).trim();
      const value = at < 0 ? "" : line.slice(at + 1).trim();
      const was = known.get(key);
      const keeps = was?.locked === true && value === secretMask;
      return { key, value: keeps ? was.value : value, locked: was?.locked ?? false };
    });
}

/** The lines of a list of names and values. Asterisks stand for locked values that are stored; sent back, they keep them. */
export function pairLines(value: unknown, between: string, stored: unknown): string {
  const hidden = new Set(listOfPairs(stored).flatMap((pair) => (pair.locked === true ? pair.value : [])));
  const shown = ({ locked, value: held }: Pair): string => (locked === true && hidden.has(held) ? secretMask : held);
  return listOfPairs(value)
    .map((pair) => `${pair.key}${between}${between === ":" ? " " : ""}${shown(pair)}`)
    .join("\n");
}

function listOfPairs(value: unknown): readonly Pair[] {
  return Array.isArray(value) ? (value as readonly Pair[]) : [];
}

/** A row without a source is none. A regular expression that the form does not show stays with its row. */
function assertionRows(form: URLSearchParams, before: unknown): readonly AssertionRow[] {
  const [sources, properties, wanted, targets] = ["source", "property", "comparison", "target"].map((name) =>
    form.getAll(`assertion.${name}`),
  );
  const old = Array.isArray(before) ? (before as readonly (AssertionRow & { readonly regex?: string | null })[]) : [];
  return (sources ?? []).flatMap((source, index) => {
    if (source === "") return [];
    const row = { source, property: properties?.[index] ?? "", comparison: wanted?.[index] ?? "", target: targets?.[index] ?? "" };
    const regex = old[index]?.source === source ? old[index]?.regex : undefined;
    return [{ ...row, ...(regex !== undefined && { regex }) }];
  });
}

function intervalOf(text: string): { readonly frequency: number; readonly frequencyOffset?: number } {
  const [frequency = "", offset] = text.split("/");
  return { frequency: Number(frequency), ...(offset !== undefined && { frequencyOffset: Number(offset) }) };
}
