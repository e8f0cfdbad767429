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
  readonly parameters?: { $ref?: string; name: string; in: string; required: boolean; schema: unknown }[];
  readonly responses: Record<string, unknown>;
  readonly requestBody?: { required: boolean };
  readonly security?: unknown[];
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
    expect(operation.successStatus === 204).toBe(operation.output === undefined && operation.file !== true);
    expect(requestBody !== undefined).toBe(operation.body !== undefined);
  });

  it("asks for the account on REST operations only", () => {
    const asking = all.filter((operation) =>
      described(operation).parameters?.some((parameter) => parameter.$ref === "#/components/parameters/ServiceAccount"),
    );
    expect(asking).toEqual(operations);
  });

  it("needs no key for locations and runtimes, and one for all else", () => {
    const open = all.filter((operation) => described(operation).security?.length === 0).map((operation) => operation.path);
    expect(open.sort()).toEqual(["/v1/locations", "/v1/runtimes", "/v1/runtimes/{id}"]);
  });

  it.each([
    { id: "createApiCheck", statuses: ["201", "400", "401", "403", "413", "429"] },
    { id: "getCheckV1", statuses: ["200", "400", "401", "403", "404", "429"] },
    { id: "deletePrivateLocation", statuses: ["204", "400", "401", "403", "404", "409", "429"] },
    { id: "awaitCheckSessionV2", statuses: ["200", "400", "401", "403", "404", "408", "429"] },
    { id: "listLocations", statuses: ["200", "429"] },
    { id: "openAgentSession", statuses: ["201", "400", "401", "403", "413", "426"] },
  ])("tells the statuses of $id", ({ id, statuses }) => {
    const operation = all.find((candidate) => candidate.id === id);
    expect(operation && Object.keys(described(operation).responses)).toEqual(statuses);
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
