import { type Pair, pairOf } from "../http-parts.ts";
import { type Fields, fieldsOf, listOf, textOf } from "../yaml-text.ts";
import { resolved } from "./references.ts";

/** What the parameters of an operation add to its request. */
export interface FilledParameters {
  readonly path: string;
  readonly queryParameters: readonly Pair[];
  readonly headers: readonly Pair[];
  /** Why the operation cannot be called, by parameter. */
  readonly problems: readonly string[];
}

/** These say of themselves that they are not parameters (OpenAPI 3.1, Parameter Object). */
const notParameters = /^(accept|content-type|authorization)$/i;

/** Fills in what is required from the examples and defaults of the document. Optional parameters are left out. */
export function fillParameters(document: Fields, path: string, declared: readonly unknown[]): FilledParameters {
  const parameters = declaredParameters(document, declared);
  const sent = parameters.filter(isNeeded).map((parameter) => ({ ...placeOf(parameter), texts: exampleTexts(document, parameter) }));
  const problems = sent.flatMap(({ place, name, texts }) =>
    texts === undefined ? [`the required ${place} parameter "${name}" has no example, default or enum that can be sent`] : [],
  );
  if (declared.length > 0 && parameters.length === 0) problems.push("its parameters refer to something outside of the document");
  const at = (wanted: string) => sent.filter(({ place }) => place === wanted).map(({ name, texts = [] }) => ({ name, texts }));
  const filledPath = at("path").reduce(
    (text, { name, texts }) => text.replaceAll(`{${name}}`, texts.map(encodeURIComponent).join(",")),
    path,
  );
  if (problems.length === 0 && /\{[^{}]*\}/.test(filledPath)) problems.push("its path has a parameter that is not declared");
  const cookies = at("cookie").flatMap(({ name, texts }) => texts.map((text) => `${name}=${text}`));
  return {
    path: filledPath,
    queryParameters: at("query").flatMap(({ name, texts }) => texts.map((text) => pairOf(name, text))),
    headers: [
      ...at("header").map(({ name, texts }) => pairOf(name, texts.join(","))),
      ...(cookies.length > 0 ? [pairOf("Cookie", cookies.join("; "))] : []),
    ],
    problems,
  };
}

/** One of the operation, which stands last, overrides that of its path. */
function declaredParameters(document: Fields, declared: readonly unknown[]): Fields[] {
  const found = declared.flatMap((one): Fields[] => [resolved(document, one)].filter((parameter) => parameter !== undefined));
  return [...new Map(found.map((parameter) => [`${textOf(parameter["in"])} ${textOf(parameter["name"])}`, parameter])).values()];
}

function isNeeded(parameter: Fields): boolean {
  const { place, name } = placeOf(parameter);
  return (parameter["required"] === true || place === "path") && !(place === "header" && notParameters.test(name));
}

function placeOf(parameter: Fields): { readonly place: string; readonly name: string } {
  return { place: textOf(parameter["in"]) ?? "", name: textOf(parameter["name"]) ?? "" };
}

/** One text, or one per entry where entries are sent apart (`explode`); undefined for what has no example or no plain form. */
function exampleTexts(document: Fields, parameter: Fields): string[] | undefined {
  const content = Object.values(fieldsOf(parameter["content"]))[0];
  const value = exampleIn(document, parameter) ?? exampleIn(document, fieldsOf(content));
  if (value === undefined || value === null) return undefined;
  if (content !== undefined) return [typeof value === "string" ? value : JSON.stringify(value)];
  const texts = [value].flat().map(textOf);
  if (!texts.every((text) => text !== undefined)) return undefined;
  const isApart = parameter["in"] === "query" && (parameter["explode"] ?? true) === true;
  return isApart ? texts : [texts.join(",")];
}

function exampleIn(document: Fields, holder: Fields): unknown {
  const first = Object.values(fieldsOf(holder["examples"]))[0];
  const schema = resolved(document, holder["schema"]) ?? {};
  const inSchema = [schema["example"], listOf(schema["examples"])[0], schema["default"], schema["const"], listOf(schema["enum"])[0]];
  return [holder["example"], resolved(document, first)?.["value"], ...inSchema].find((value) => value !== undefined);
}
