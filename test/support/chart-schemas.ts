import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";

/** A JSON schema, or a part of one. */
export interface Schema {
  readonly [key: string]: unknown;
}

interface KindOfVersion {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const draft = "http://json-schema.org/draft-07/schema#";
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
/** Types whose wire form is wider than what Kubernetes' OpenAPI says about them. */
const widened: Readonly<Record<string, Schema>> = {
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": { type: ["integer", "string"] },
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { type: ["number", "string"] },
};

/**
 * Standalone strict schemas of all kinds in Kubernetes' OpenAPI (`swagger.json`), by the file name under which kubeconform looks for
 * them. Strict: a field that the kind does not have is an error, and so is a null, which says nothing.
 */
export function schemasOfKubernetes(swagger: { readonly definitions: Readonly<Record<string, Schema>> }): Map<string, Schema> {
  const definitions = Object.fromEntries(Object.entries(swagger.definitions).map(([name, it]) => [name, widened[name] ?? strict(it)]));
  const schemas = new Map<string, Schema>();
  for (const [name, definition] of Object.entries(definitions)) {
    const kinds = (swagger.definitions[name]?.["x-kubernetes-group-version-kind"] ?? []) as readonly KindOfVersion[];
    // Options of requests belong to every group; they are no objects that a chart could hold.
    if (kinds.length !== 1) continue;
    for (const kind of kinds)
      schemas.set(fileName(kind), { $schema: draft, ...definition, definitions: reachable(definition, definitions) });
  }
  return schemas;
}

/** The same for a custom resource definition (YAML); metadata is Kubernetes' own, from `swagger`. */
export function schemasOfCrd(crd: string, swagger: { readonly definitions: Readonly<Record<string, Schema>> }): Map<string, Schema> {
  const { spec } = parse(crd) as {
    spec: { group: string; names: { kind: string }; versions: { name: string; schema: { openAPIV3Schema: Schema } }[] };
  };
  const metadata = strict(swagger.definitions[objectMeta] ?? {});
  const definitions = Object.fromEntries(Object.entries(swagger.definitions).map(([name, it]) => [name, widened[name] ?? strict(it)]));
  return new Map(
    spec.versions.map(({ name, schema }) => {
      const root = strict(schema.openAPIV3Schema);
      return [
        fileName({ group: spec.group, version: name, kind: spec.names.kind }),
        {
          $schema: draft,
          ...root,
          properties: { ...(root["properties"] as Schema), metadata },
          definitions: reachable(metadata, definitions),
        },
      ];
    }),
  );
}

/** `deployment-apps-v1.json`, `service-v1.json`: kind, first part of the group, version. */
function fileName({ group, version, kind }: KindOfVersion): string {
  return [kind.toLowerCase(), ...(group ? [group.split(".")[0]] : []), `${version}.json`].join("-");
}

/** Keeps what validates, without texts, and closes every object that names its fields. */
function strict(schema: Schema): Schema {
  const kept = Object.entries(schema).filter(([key]) => !key.startsWith("x-") && !dropped.has(key));
  const result: Record<string, unknown> = Object.fromEntries(kept.map(([key, value]) => [key, part(key, value)]));
  if (schema["properties"] && !("additionalProperties" in schema) && !schema["x-kubernetes-preserve-unknown-fields"])
    result["additionalProperties"] = false;
  if (schema["nullable"] && typeof schema["type"] === "string") result["type"] = [schema["type"], "null"];
  return result;
}

/** `format` names types of Go here, not those of JSON schema. */
const dropped = new Set(["description", "default", "example", "externalDocs", "format", "nullable"]);

function part(key: string, value: unknown): unknown {
  if (key === "properties")
    return Object.fromEntries(Object.entries(value as Readonly<Record<string, Schema>>).map(([name, it]) => [name, strict(it)]));
  if ((key === "items" || key === "additionalProperties") && typeof value === "object") return strict(value as Schema);
  // Below allOf, anyOf, oneOf and not stand conditions on an object that is described elsewhere: they stay open.
  return value;
}

/** The definitions that a schema refers to, directly or not. */
function reachable(schema: Schema, definitions: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const found: Record<string, Schema> = {};
  const visit = (it: Schema): void => {
    for (const [, name = ""] of JSON.stringify(it).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)) {
      const definition = definitions[name];
      if (found[name] || !definition) continue;
      found[name] = definition;
      visit(definition);
    }
  };
  visit(schema);
  return found;
}

/** `chart-schemas.ts <folder> <swagger.json> <crd.yaml>…` writes `kinds/` and `crds/` into the folder. */
function write(folder: string, swaggerFile: string, crdFiles: readonly string[]): void {
  mkdirSync(join(folder, "kinds"), { recursive: true });
  mkdirSync(join(folder, "crds"), { recursive: true });
  const swagger = JSON.parse(readFileSync(swaggerFile, "utf8")) as Parameters<typeof schemasOfKubernetes>[0];
  const schemas = [schemasOfKubernetes(swagger)];
  for (const file of crdFiles) {
    const crd = readFileSync(file, "utf8");
    writeFileSync(join(folder, "crds", basename(file)), crd);
    schemas.push(schemasOfCrd(crd, swagger));
  }
  for (const [name, schema] of schemas.flatMap((some) => [...some])) writeFileSync(join(folder, "kinds", name), JSON.stringify(schema));
}

if (import.meta.main) {
  const [folder = "", swagger = "", ...crds] = process.argv.slice(2);
  write(folder, swagger, crds);
}
