import { chartValues } from "./chart-values.ts";

/** A JSON schema, or a part of one. */
interface Schema {
  readonly [key: string]: unknown;
}

/**
 * A chart's `values.schema.json` in which each value is described as in `values.yaml`, so that an editor shows it; what stands below a
 * definition that several values share keeps its own description.
 */
export function withDescriptions(schemaText: string, valuesYaml: string): string {
  const schema = chartValues(valuesYaml).reduce(
    (described, { path, about }) => describedAt(described, path.split("."), about),
    JSON.parse(schemaText) as Schema,
  );
  return `${printed(schema, "")}\n`;
}

function describedAt(schema: Schema, [key, ...below]: readonly string[], about: string): Schema {
  if (key === undefined) return { description: about, ...without(schema, "description") };
  const properties = schema["properties"] as Readonly<Record<string, Schema>> | undefined;
  const property = properties?.[key];
  if (property === undefined) return schema;
  return { ...schema, properties: { ...properties, [key]: describedAt(property, below, about) } };
}

function without(schema: Schema, name: string): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== name));
}

/** As JSON, with lists of plain values in one line. */
function printed(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map((item) => printed(item, `${indent}  `))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${printed(item, `${indent}  `)}`);
  if (entries.length === 0 || (isList && value.every((item) => typeof item !== "object"))) {
    return isList ? `[${entries.join(", ")}]` : "{}";
  }
  const [open, close] = isList ? "[]" : "{}";
  return `${open}\n${entries.map((entry) => `${indent}  ${entry}`).join(",\n")}\n${indent}${close}`;
}
