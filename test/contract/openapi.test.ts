import { describe, expect, it } from "vitest";
import { openApiDocument } from "#contract/openapi.ts";
import type { Operation } from "#contract/operation.ts";
import { agentOperations, operations } from "#contract/operations.ts";
import { CheckTypeName } from "#contract/primitives.ts";

const all: readonly Operation[] = [...operations, ...agentOperations];
const document = openApiDocument({ version: "1.2.3", serverUrl: "http://localhost:8080", operations: all });

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: string[];
  readonly parameters?: { $ref?: string; name: string; in: string; required: boolean; schema: Schema; example?: unknown }[];
  readonly responses: Record<string, unknown>;
  readonly requestBody?: {
    required: boolean;
    content: { "application/json": { schema: Schema; examples?: { request: { value: unknown } } } };
  };
  readonly security?: unknown[];
}

/** `a[b]` for each member of an object. */
function asInQuery(name: string, example: unknown): [string, unknown][] {
  if (example === undefined) return [];
  const isNested = typeof example === "object" && example !== null && !Array.isArray(example);
  return isNested ? Object.entries(example).map(([key, value]) => [`${name}[${key}]`, value]) : [[name, example]];
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: unknown;
  readonly const?: unknown;
}

/** Names of numbers that mean nothing without a unit. */
const hasUnit =
  /(time|timing|duration|interval|elapsed|offset|frequency|latency|delay|timeout|seconds|minutes|days|percentage|grace|rtt)s?$|^age$|Age$|Ms$|Time$/;
const namesUnit = /second|minute|hour|day|percent|millisecond|bytes|\bms\b|Ms\b|timestamp|epoch|unit|Seconds|Minutes|Days|Bytes/;

function isNumber({ type, anyOf = [] }: Schema): boolean {
  const types = [type, ...anyOf.map((one) => one.type)].flat();
  return types.includes("integer") || types.includes("number");
}

/** Fields at any depth, without those of components, which come by themselves. */
function fieldsOf(schema: Schema, name = "body"): (readonly [string, Schema])[] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([field, property]) => fieldsOf(property, `${name}.${field}`));
  return [[name, schema], ...inner, ...(schema.items === undefined ? [] : fieldsOf(schema.items, `${name}[]`))];
}

function isTyped({ $ref, type, anyOf, oneOf, allOf, enum: choices, const: constant }: Schema): boolean {
  return [$ref, type, anyOf, oneOf, allOf, choices, constant].some((one) => one !== undefined);
}

function described({ path, method }: Operation): Described {
  return document.paths[path]?.[method.toLowerCase()] as Described;
}

/** Every value under the key, at any depth. */
function valuesOf(key: string, json: unknown): unknown[] {
  if (Array.isArray(json)) return json.flatMap((item) => valuesOf(key, item));
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([name, value]) => (name === key ? [value] : valuesOf(key, value)));
}

function resolve(reference: string): unknown {
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);
}

describe("the OpenAPI document", () => {
  it("is 3.1 and JSON: nothing is lost on the way out", () => {
    expect(document).toMatchObject({ openapi: "3.1.0", info: { version: "1.2.3" }, servers: [{ url: "http://localhost:8080" }] });
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  it("resolves every reference", () => {
    const references = new Set(valuesOf("$ref", document) as string[]);
    expect(references.size).toBeGreaterThan(40);
    expect([...references].filter((reference) => !reference.startsWith("#/components/") || resolve(reference) === undefined)).toEqual([]);
    expect(valuesOf("$defs", document)).toEqual([]);
  });

  it("uses every component", () => {
    const references = new Set(valuesOf("$ref", document) as string[]);
    const names = Object.keys(document.components["schemas"] ?? {}).filter((name) => !references.has(`#/components/schemas/${name}`));
    expect(names).toEqual([]);
  });

  it("names every operation once", () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((operation) => (operation as Described).operationId),
    );
    expect(ids).toHaveLength(all.length);
    expect(new Set(ids).size).toBe(all.length);
  });

  it.each(all.map((operation) => ({ ...operation })))("describes $method $path", (operation) => {
    const { parameters = [], responses, summary, description, tags, requestBody } = described(operation);
    expect(summary).not.toBe("");
    expect(description).toContain(summary);
    expect(tags).toEqual([operation.tag]);
    expect(parameters.filter((parameter) => parameter.in === "path").map((parameter) => parameter.name)).toEqual(
      placeholders(operation.path),
    );
    expect(parameters.filter((parameter) => parameter.in === "path" && !parameter.required)).toEqual([]);
    expect(responses[operation.successStatus]).toBeDefined();
    expect(operation.successStatus === 204).toBe(
      operation.events === undefined && operation.output === undefined && operation.file !== true && operation.text === undefined,
    );
    expect(requestBody !== undefined).toBe(operation.body !== undefined || operation.bytes === true);
  });

  it("asks for the account on REST operations only", () => {
    const asking = all.filter((operation) =>
      described(operation).parameters?.some((parameter) => parameter.$ref === "#/components/parameters/ServiceAccount"),
    );
    const rest: readonly Operation[] = operations;
    expect(asking).toEqual(rest.filter(({ access }) => access !== "public"));
  });

  it("says of each operation whether it needs a key, who may, and which rate limit counts it", () => {
    for (const operation of all) {
      const { security, description } = described(operation);
      expect([operation.id, security?.length === 0]).toEqual([operation.id, operation.access === "public"]);
      expect(description).toMatch(/\n\nNeeds .*\. (Counts against the rate limit `[a-z-]+`|Not rate limited)\.$/);
    }
  });

  it.each([
    { id: "createApiCheck", statuses: ["201", "400", "401", "403", "413", "429", "431"] },
    { id: "getCheckV1", statuses: ["200", "400", "401", "403", "404", "429", "431"] },
    { id: "deletePrivateLocation", statuses: ["204", "400", "401", "403", "404", "409", "429", "431"] },
    { id: "awaitCheckSessionV2", statuses: ["200", "400", "401", "403", "404", "408", "429", "431"] },
    { id: "listLocations", statuses: ["200", "429", "431"] },
    { id: "openAgentSession", statuses: ["201", "400", "401", "403", "409", "413", "426", "431"] },
  ])("tells the statuses of $id", ({ id, statuses }) => {
    const operation = all.find((candidate) => candidate.id === id);
    expect(operation && Object.keys(described(operation).responses)).toEqual(statuses);
  });

  it("says which of two names must be there, and that only one of two objects is named", () => {
    const { TcpRequestInput, ChannelSubscriptionInput } = document.components["schemas"] as Record<string, { allOf: unknown }>;
    expect(TcpRequestInput?.allOf).toEqual([{ anyOf: [{ required: ["hostname"] }, { required: ["url"] }] }]);
    expect(ChannelSubscriptionInput?.allOf).toMatchObject([{ oneOf: [{ required: ["checkId"] }, { required: ["groupId"] }] }]);
  });

  it("has no pattern that generators of test cases cannot read", () => {
    const patterns = [...new Set(valuesOf("pattern", document))] as string[];
    expect(patterns.filter((pattern) => /\\[pPu]/.test(pattern))).toEqual([]);
    expect(patterns.length).toBeGreaterThan(10);
  });

  it("says where a flag is a flag, a list a list, and what the default is", () => {
    const list = all.find((operation) => operation.id === "listChecksV1") as Operation;
    const schemas = Object.fromEntries((described(list).parameters ?? []).map(({ name, schema }) => [name, schema]));
    expect(schemas).toMatchObject({
      limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
      page: { type: "integer", exclusiveMinimum: 0, default: 1 },
      tag: { type: "array", items: { type: "string" } },
      checkType: { enum: CheckTypeName.options },
      applyGroupSettings: { type: "boolean", default: false },
    });
  });

  it("tells what is accepted apart from what is sent", () => {
    const { KeyValue, KeyValueInput } = document.components["schemas"] as Record<string, { required: string[] }>;
    expect(KeyValue?.required).toEqual(["key", "value", "locked"]);
    expect(KeyValueInput?.required).toEqual(["key"]);
  });

  it("has an example of every operation but those of agents, whose bodies name leases that only an agent holds", () => {
    expect(all.filter(({ example }) => example === undefined).map(({ id }) => id)).toEqual(agentOperations.map(({ id }) => id));
  });

  it("shows the examples where they belong", () => {
    for (const operation of all.filter(({ example }) => example !== undefined)) {
      const { params = {}, query = {}, body } = operation.example ?? {};
      const { parameters = [], requestBody } = described(operation);
      const shown = parameters.flatMap(({ name, example }) => asInQuery(name, example));
      expect([operation.id, Object.fromEntries(shown)]).toEqual([operation.id, { ...params, ...query }]);
      expect(requestBody?.content["application/json"]?.examples?.request.value).toEqual(body);
    }
  });

  it("gives every parameter and every field of a body a type", () => {
    const rest: readonly Operation[] = operations; // what an agent saw may be anything
    const untyped = rest.flatMap((operation) => {
      const { parameters = [], requestBody } = described(operation);
      const schemas = [
        ...parameters.flatMap(({ name, schema }) => (schema === undefined ? [] : [[name, schema] as const])),
        ...(requestBody?.content["application/json"] === undefined ? [] : fieldsOf(requestBody.content["application/json"].schema)),
      ];
      return schemas.filter(([, schema]) => !isTyped(schema)).map(([name]) => `${operation.id} ${name}`);
    });
    expect(untyped).toEqual([]);
  });

  it("tells the unit of every number that has one", () => {
    const numbers = valuesOf("properties", document).flatMap((properties) => Object.entries(properties as Record<string, Schema>));
    const silent = numbers.filter(
      ([name, schema]) =>
        isNumber(schema) &&
        hasUnit.test(name) &&
        !/ignored/.test(schema.description ?? "") &&
        !namesUnit.test(`${name} ${schema.description ?? ""}`),
    );
    expect([...new Set(silent.map(([name, { description }]) => `${name}: ${description ?? "no description"}`))]).toEqual([]);
    expect(numbers.length).toBeGreaterThan(500);
  });

  it("never closes an object, so that fields can be added", () => {
    expect(valuesOf("additionalProperties", document)).not.toContain(false);
  });

  it("finds a reference that leads nowhere", () => {
    expect(resolve("#/components/schemas/Nothing")).toBeUndefined();
  });
});

function placeholders(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
}
