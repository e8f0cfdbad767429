import type { PageAnswer } from "../http/page-routes.ts";
import { apiReferenceTexts as texts } from "../texts/api-reference.ts";
import { type Html, html } from "../view/html.ts";
import { apiReferenceStyle } from "./api-reference-style.ts";
import { exampleOf, type JsonSchema, refName, resolved, type Schemas } from "./json-schema.ts";
import { page } from "./page.ts";
import { schemaView } from "./schema-view.ts";

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

interface Content {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Document {
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Schemas;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
}

interface Route {
  readonly verb: string;
  readonly path: string;
  readonly operation: DocumentedOperation;
}

/** The API reference for people, made from our OpenAPI document: one page, no script, nothing loaded from elsewhere. */
export function apiReference(openApi: object): PageAnswer {
  // The document is our own; this page reads only the parts named above.
  const document = openApi as Document;
  const routes = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]): Route => ({ verb, path, operation })),
  );
  const groups = document.tags.map(({ name }) => ({ name, routes: routes.filter(({ operation }) => operation.tags[0] === name) }));
  const body = html`<a class="skip" href="#content">${texts.skip}</a>
<div class="shell">
<nav aria-label="${texts.operations}"><a class="brand" href="#content">${document.info.title} <small>${texts.version(document.info.version)}</small></a>
${groups.map(({ name, routes: ofGroup }) => html`<h2>${name}</h2><ul>${ofGroup.map(navEntry)}</ul>`)}
<h2>${texts.schemas}</h2><ul class="plain">${Object.keys(document.components.schemas).map((name) => html`<li><a href="#schema-${name}">${name}</a></li>`)}</ul>
</nav>
<main id="content">
${introduction(document)}
${groups.map(({ name, routes: ofGroup }) => html`<section class="tag" id="${slug(name)}"><h2>${name}</h2>${ofGroup.map((route) => operationView(route, document))}</section>`)}
<section class="tag" id="schemas"><h2>${texts.schemas}</h2>${Object.entries(document.components.schemas).map(
    ([name, schema]) => html`<div class="schema" id="schema-${name}"><h3>${name}</h3>${schemaView(schema)}</div>`,
  )}</section>
</main>
</div>`;
  return page({ title: texts.title(document.info.title), style: apiReferenceStyle, body });
}

function introduction({ info, servers }: Document): Html {
  const code = (text: string): Html => html`<code>${text}</code>`;
  const facts: readonly (readonly [title: string, text: Html | string])[] = [
    [texts.baseUrl, code(servers[0]?.url ?? "")],
    [texts.keys, texts.aboutKeys(code(texts.keyHeader), code("x-service-account"))],
    [texts.errors, texts.aboutErrors(code(texts.errorShape))],
    [texts.lists, texts.aboutLists(code("Content-Range"), code("nextId"))],
    [texts.times, texts.aboutTimes],
    [texts.limits, texts.aboutLimits(code("RATE_LIMIT_<CLASS>"), code("Retry-After"))],
    [texts.roles, texts.aboutRoles],
  ];
  return html`<header><h1>${texts.title(info.title)}</h1>
<p>${texts.lead(info.title, html`<a href="/openapi.json">${"/openapi.json"}</a>`)}</p></header>
<div class="facts">
${facts.map(([title, text]) => html`<div><h2>${title}</h2><p>${text}</p></div>\n`)}</div>`;
}

/** Operations that differ only by their version are told apart by it. */
function navEntry({ verb, path, operation }: Route): Html {
  const version = /^\/v[2-9]\//.exec(path)?.[0].replaceAll("/", "") ?? "";
  const name = `${operation.summary.split(/[;,]/)[0] ?? ""} ${version}`.trim();
  return html`<li><a href="#${operation.operationId}"><span class="verb ${verb}">${verbText(verb)}</span><span>${name}</span></a></li>`;
}

function operationView(route: Route, document: Document): Html {
  const { verb, path, operation } = route;
  const parameters = parametersOf(operation, document);
  const requestSchema = bodySchema(operation.requestBody);
  return html`<article id="${operation.operationId}">
<div class="prose"><h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="route"><span class="verb ${verb}">${verb.toUpperCase()}</span><code>${path}</code></p>
${operation.description
  .slice(operation.summary.length + 1)
  .split("\n\n")
  .map((paragraph, index) => paragraph.trim() !== "" && html`<p class="${index === 0 ? "about" : "access"}">${paragraph.trim()}</p>`)}
${places.map((place) => parameterList(place, parameters))}
${requestSchema !== undefined && html`<h4>${texts.body}</h4>${schemaView(resolved(requestSchema, document.components.schemas))}`}
${answersView(operation, document)}</div>
<div class="code"><div><h4>${texts.request} <small>${texts.clickToSelect}</small></h4><pre class="copy" tabindex="0"><code>${curlOf(route, document)}</code></pre></div>${exampleAnswer(operation, document)}</div>
</article>`;
}

const places = ["path", "query", "header"] as const;
type Place = (typeof places)[number];

function parameterList(place: Place, parameters: readonly Parameter[]): Html | false {
  const here = parameters.filter((parameter) => parameter.in === place);
  if (here.length === 0) return false;
  const properties = Object.fromEntries(
    here.map(({ name, schema, description }) => [name, description === undefined ? schema : { ...schema, description }]),
  );
  const required = here.filter((parameter) => parameter.required === true).map(({ name }) => name);
  return html`<h4>${texts.places[place]}</h4>${schemaView({ properties, required })}`;
}

function answersView(operation: DocumentedOperation, document: Document): Html {
  const statuses = Object.entries(operation.responses).map(([status, response]) => ({
    status,
    answer: resolvedAnswer(response, document),
  }));
  const success = statuses.find(({ status }) => status.startsWith("2"));
  const schema = success === undefined ? undefined : bodySchema(success.answer);
  return html`${schema !== undefined && html`<h4>${texts.answer}</h4>${schemaView(schema)}`}<h4>${texts.statuses}</h4><ul class="statuses">${statuses.map(
    ({ status, answer }) => html`<li><code>${status}</code><span>${answer.description}</span></li>`,
  )}</ul>`;
}

function exampleAnswer(operation: DocumentedOperation, document: Document): Html | false {
  const found = Object.entries(operation.responses).find(([status]) => status.startsWith("2"));
  const schema = found === undefined ? undefined : bodySchema(found[1]);
  if (found === undefined || schema === undefined) return false;
  const example =
    schema.type === "array" ? [exampleOf(schema.items ?? {}, document.components.schemas)] : exampleOf(schema, document.components.schemas);
  return html`<div><h4>${texts.answer} <small>${found[0]}</small></h4><pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre></div>`;
}

/** A command that can be pasted once `$KEY` is set. */
function curlOf({ verb, path, operation }: Route, document: Document): string {
  const parameters = parametersOf(operation, document);
  const valueOf = ({ name, schema, example }: Parameter): unknown => example ?? exampleOf(schema, document.components.schemas, name);
  const filled = path.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const parameter = parameters.find((one) => one.name === name && one.in === "path");
    return parameter === undefined ? placeholder : encodeURIComponent(String(valueOf(parameter)));
  });
  const query = parameters
    .filter((parameter) => parameter.in === "query" && (parameter.required === true || parameter.example !== undefined))
    .flatMap((parameter) => queryTexts(parameter.name, valueOf(parameter)))
    .join("&");
  const body = bodyExample(operation, document);
  return [
    `curl ${verb === "get" ? "" : `-X ${verb.toUpperCase()} `}'${document.servers[0]?.url ?? ""}${filled}${query === "" ? "" : `?${query}`}'`,
    ...(operation.security?.length === 0 ? [] : [`  -H "Authorization: Bearer $KEY"`]),
    ...(body === undefined ? [] : [`  -H 'Content-Type: application/json'`, `  -d '${body}'`]),
  ].join(" \\\n");
}

function queryTexts(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => queryTexts(name, entry));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, entry]) => queryTexts(`${name}[${key}]`, entry));
  return [`${name}=${encodeURIComponent(String(value))}`];
}

/** The documented example; for operations without one, what the schema asks for. */
function bodyExample({ requestBody }: DocumentedOperation, document: Document): string | undefined {
  const content = requestBody?.content["application/json"];
  if (content === undefined) return undefined;
  const [example] = Object.values(content.examples ?? {});
  const value = example === undefined ? exampleOf(content.schema, document.components.schemas) : example.value;
  return JSON.stringify(value, null, 2).replaceAll("'", "'\\''");
}

function parametersOf(operation: DocumentedOperation, document: Document): readonly Parameter[] {
  return (operation.parameters ?? []).map((parameter) =>
    parameter.$ref === undefined ? parameter : (document.components.parameters[refName(parameter.$ref)] ?? parameter),
  );
}

function resolvedAnswer(answer: Answer, document: Document): Answer {
  return answer.$ref === undefined ? answer : (document.components.responses[refName(answer.$ref)] ?? answer);
}

function bodySchema(
  holder: { readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>> } | undefined,
): JsonSchema | undefined {
  return holder?.content?.["application/json"]?.schema;
}

const verbText = (verb: string): string => ({ delete: "DEL" })[verb] ?? verb.toUpperCase();

const slug = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
