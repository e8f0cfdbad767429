import { z } from "zod";

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Turns zod schemas into JSON Schema 2020-12, the dialect of OpenAPI 3.1. Schemas with an id (`.meta({ id })`) become components.
 * What is accepted and what is sent differ where a schema has defaults: a component of both is then also there as `<id>Input`.
 */
export class SchemaComponents {
  readonly schemas: Record<string, JsonSchema> = {};
  readonly #sent: ReadonlySet<string>;

  /** @param outputs all that is sent, so that the names of accepted components can keep clear of it */
  constructor(outputs: readonly z.ZodType[]) {
    for (const output of outputs) this.sent(output);
    this.#sent = new Set(Object.keys(this.schemas));
  }

  sent(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, "output", (id) => id);
  }

  accepted(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, "input", (id) => (this.#sent.has(id) ? `${id}Input` : id));
  }

  #convert(schema: z.ZodType, io: "input" | "output", nameOf: (id: string) => string): JsonSchema {
    const { $schema: _dialect, $defs = {}, ...root } = z.toJSONSchema(schema, { io, override: tidy });
    for (const [id, definition] of Object.entries($defs)) this.schemas[nameOf(id)] = pointToComponents(definition, nameOf) as JsonSchema;
    return pointToComponents(root, nameOf) as JsonSchema;
  }
}

/** The components of parameters, by name, and which of them must be given. */
export function parameterSchemas(
  components: SchemaComponents,
  schema: z.ZodObject,
): { name: string; required: boolean; schema: JsonSchema }[] {
  const { properties, required } = components.accepted(schema) as { properties: Record<string, JsonSchema>; required?: string[] };
  return Object.entries(properties).map(([name, property]) => ({ name, required: required?.includes(name) ?? false, schema: property }));
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>;

/** Says what zod leaves out and drops what it adds without need. */
const tidy: Override = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  // Fields are added in minor versions, so an answer is never closed.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // Left out for schemas that transform; ours transform only the spelling of the same value.
  if (def.type === "default") jsonSchema.default ??= def.defaultValue as typeof jsonSchema.default;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.enum?.every(Number.isInteger)) jsonSchema.type = "integer";
};

/** `#/$defs/X` to `#/components/schemas/<name of X>`, at any depth. */
function pointToComponents(json: unknown, nameOf: (id: string) => string): unknown {
  if (Array.isArray(json)) return json.map((item) => pointToComponents(item, nameOf));
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) =>
      key === "$ref" && typeof value === "string"
        ? [key, `#/components/schemas/${nameOf(value.slice("#/$defs/".length))}`]
        : [key, pointToComponents(value, nameOf)],
    ),
  );
}
