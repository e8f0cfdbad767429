import { ErrorBody } from "./error-body.ts";
import { type JsonSchema, parameterSchemas, SchemaComponents } from "./openapi-schemas.ts";
import type { Access, Operation } from "./operation.ts";

/** An OpenAPI 3.1 document, as far as its readers here need to know. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly unknown[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface OpenApiOptions {
  readonly version: string;
  readonly serverUrl: string;
  readonly operations: readonly Operation[];
}

/** Describes operations as an OpenAPI 3.1 document. */
export function openApiDocument({ version, serverUrl, operations }: OpenApiOptions): OpenApiDocument {
  const components = new SchemaComponents([ErrorBody, ...operations.flatMap((operation) => operation.output ?? [])]);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describeOperation(operation, components);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Outpost", version },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "API key; agents: key of their location, then session token" },
      },
      parameters: { ServiceAccount: serviceAccount, AnyAccount: anyAccount },
      headers: {
        ContentRange: { description: "`items <first>-<last>/<total>`", schema: { type: "string" } },
        RetryAfter: { description: "seconds to wait", schema: { type: "integer", minimum: 0 } },
      },
      responses: errorResponses(components),
      schemas: components.schemas,
    },
  };
}

/** Optional where the key belongs to one account. */
const serviceAccount = {
  name: "x-service-account",
  in: "header",
  required: false,
  description: "account that the request is made for",
  schema: { type: "string", format: "uuid" },
};

/** Public operations are of no account. */
const anyAccount = { ...serviceAccount, description: "ignored, whatever it holds", schema: { type: "string" } };

const errors: Readonly<Record<number, { name: string; description: string }>> = {
  400: { name: "BadRequest", description: "the request is malformed or invalid; `attributes.issues` names path and message" },
  401: { name: "Unauthorized", description: "no key, or an unknown one" },
  403: { name: "Forbidden", description: "the key may not do this, or not for this account" },
  404: { name: "NotFound", description: "no such resource in this account" },
  408: { name: "RequestTimeout", description: "the wait ran out; ask again" },
  409: { name: "Conflict", description: "it is taken, in use, or changed meanwhile" },
  413: { name: "ContentTooLarge", description: "the body is over its limit" },
  426: { name: "UpgradeRequired", description: "the agent's protocol is too old or too new" },
  429: { name: "TooManyRequests", description: "over the rate limit of the key" },
  431: { name: "HeadersTooLarge", description: "address and headers are larger than 16 KiB together" },
};

const retryable: readonly number[] = [408, 429];

function errorResponses(components: SchemaComponents): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(errors).map(([status, { name, description }]) => [
      name,
      {
        description,
        ...(retryable.includes(Number(status)) && { headers: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } } }),
        content: json(components.sent(ErrorBody)),
      },
    ]),
  );
}

const accessDescriptions: Readonly<Record<Access, string>> = {
  public: "Needs no key.",
  read: "Needs a key of any role.",
  run: "Needs a key of role READ_RUN or higher.",
  write: "Needs a key of role READ_WRITE or higher.",
  admin: "Needs a key of role ADMIN or OWNER.",
  "agent-key": "Needs the key of a location.",
  "agent-session": "Needs an agent's session token.",
};

function describeOperation(operation: Operation, components: SchemaComponents): Record<string, unknown> {
  const parameters = parametersOf(operation, components);
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: describe(operation),
    ...(operation.access === "public" && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && {
      requestBody: {
        required: !operation.body.safeParse(undefined).success,
        content: json(components.accepted(operation.bodyShown ?? operation.body), operation.example?.body),
      },
    }),
    ...(operation.bytes && { requestBody: { required: true, content: { "application/octet-stream": { schema: anyBytes } } } }),
    responses: {
      [operation.successStatus]: successResponse(operation, components),
      ...alternativeResponse(operation, components),
      ...Object.fromEntries(errorStatuses(operation).map((status) => [status, errorReference(status)])),
    },
  };
}

/** Paragraphs: what it does, who may, what counts it. */
function describe({ summary, description, access, rateLimit }: Operation): string {
  const limit = rateLimit === "none" ? "Not rate limited." : `Counts against the rate limit \`${rateLimit}\`.`;
  const does = description === undefined ? `${summary}.` : `${summary}. ${description}`;
  return `${does}\n\n${accessDescriptions[access]} ${limit}`;
}

function parametersOf(operation: Operation, components: SchemaComponents): unknown[] {
  const parametersIn = (place: "path" | "query", schema: Operation["params"], examples: Readonly<Record<string, unknown>> = {}) =>
    schema
      ? parameterSchemas(components, schema).map(({ name, required, schema: { description, ...rest } }) => ({
          name,
          in: place,
          required,
          ...(description !== undefined && { description }),
          ...(isObject(rest) && { style: "deepObject", explode: true }),
          schema: rest,
          ...shownExample(examples, name),
        }))
      : [];
  return [
    ...parametersIn("path", operation.params, operation.example?.params),
    ...parametersIn("query", operation.query, operation.example?.query),
    ...(isAgents(operation)
      ? []
      : [{ $ref: `#/components/parameters/${operation.access === "public" ? "AnyAccount" : "ServiceAccount"}` }]),
  ];
}

/** It travels as `name[key]=value`. */
function isObject(schema: JsonSchema): boolean {
  const branches = schema["anyOf"];
  return schema["type"] === "object" || (Array.isArray(branches) && branches.every((branch: JsonSchema) => branch["type"] === "object"));
}

/** An example is written as the query is, `a[b]`; the document has it as an object. */
function shownExample(examples: Readonly<Record<string, unknown>>, name: string): { readonly example?: unknown } {
  if (examples[name] !== undefined) return { example: examples[name] };
  const nested = Object.entries(examples).filter(([key]) => key.startsWith(`${name}[`));
  return nested.length === 0 ? {} : { example: Object.fromEntries(nested.map(([key, value]) => [key.slice(name.length + 1, -1), value])) };
}

function successResponse(operation: Operation, components: SchemaComponents): Record<string, unknown> {
  return {
    description: operation.output
      ? "the answer"
      : operation.file
        ? "the file"
        : operation.events
          ? "the events, as they come"
          : operation.text
            ? "the text"
            : "done",
    ...(operation.paged && { headers: { "Content-Range": { $ref: "#/components/headers/ContentRange" } } }),
    ...(operation.output && { content: json(components.sent(operation.output)) }),
    ...(operation.file && { content: anyFile }),
    ...(operation.events && { content: { "text/event-stream": { schema: oneEvent } } }),
    ...(operation.text && { content: { [operation.text.split(";")[0] ?? ""]: { schema: { type: "string" } } } }),
  };
}

function alternativeResponse({ alternative, output }: Operation, components: SchemaComponents): Record<string, unknown> {
  if (alternative === undefined || output === undefined) return {};
  return { [alternative.status]: { description: alternative.description, content: json(components.sent(output)) } };
}

/** The statuses that an operation declares, and those that follow from what it reads and who may call. */
function errorStatuses({ params, query, body, bytes, access, rateLimit, errors: declared = [] }: Operation): number[] {
  const statuses = new Set([...declared, 431]);
  if (params ?? query ?? body ?? bytes) statuses.add(400);
  if (params) statuses.add(404);
  if (body ?? bytes) statuses.add(413);
  if (access !== "public") statuses.add(401).add(403);
  if (rateLimit !== "none") statuses.add(429);
  return [...statuses].sort((a, b) => a - b);
}

function errorReference(status: number): JsonSchema {
  const error = errors[status];
  if (!error) throw new Error(`no description of status ${status}`);
  return { $ref: `#/components/responses/${error.name}` };
}

const isAgents = ({ access }: Operation): boolean => access === "agent-key" || access === "agent-session";

/** OpenAPI 3.1 has no word for a stream: readers take the schema as that of each event. */
const oneEvent = {
  type: "object",
  properties: { event: { type: "string" }, data: { type: "string", description: "JSON" } },
  required: ["event", "data"],
};

/** Its content type is the stored file's own. `format` is for readers that know OpenAPI 3.0. */
const anyBytes = { type: "string", format: "binary" };
const anyFile = { "*/*": { schema: anyBytes } };

function json(schema: JsonSchema, example?: unknown) {
  return { "application/json": { schema, ...(example !== undefined && { examples: { request: { value: example } } }) } };
}
