/** The parts of a JSON Schema that the reference shows. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

export type Schemas = Readonly<Record<string, JsonSchema>>;

/** `ApiCheck` of `#/components/schemas/ApiCheck`. */
export function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

/** The schema itself, or the one that it refers to. */
export function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  return schema.$ref === undefined ? schema : (schemas[refName(schema.$ref)] ?? {});
}

/** The alternatives without `null`, and whether null was among them. */
export function withoutNull(schema: JsonSchema): { readonly branches: readonly JsonSchema[]; readonly nullable: boolean } {
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches === undefined) return { branches: [schema], nullable: false };
  const others = branches.filter(({ type }) => type !== "null");
  return { branches: others, nullable: others.length < branches.length };
}

/** A value that the schema accepts, as small as it can be: required fields only. For examples that can be sent as they are. */
export function exampleOf(schema: JsonSchema, schemas: Schemas, name = "", depth = 0): unknown {
  const inner = (part: JsonSchema, partName = name): unknown => (depth > 8 ? null : exampleOf(part, schemas, partName, depth + 1));
  if (schema.$ref !== undefined) return inner(resolved(schema, schemas));
  const known = schema.default ?? schema.const ?? schema.enum?.[0];
  if (known !== undefined) return known;
  const branch = withoutNull(schema).branches[0];
  return branch === undefined || branch === schema ? madeUp(schema, name, inner) : inner(branch);
}

function madeUp(schema: JsonSchema, name: string, inner: Inner): unknown {
  const type = [schema.type].flat()[0] ?? "object";
  return exampleMakers[type]?.(schema, name, inner) ?? null;
}

type Inner = (schema: JsonSchema, name?: string) => unknown;

const exampleMakers: Readonly<Record<string, (schema: JsonSchema, name: string, inner: Inner) => unknown>> = {
  string: stringExample,
  integer: ({ minimum = 0 }) => Math.max(minimum, 1),
  number: ({ minimum = 0 }) => Math.max(minimum, 1),
  boolean: () => true,
  array: ({ items = {}, minItems = 0 }, _name, inner) => (minItems > 0 ? [inner(items)] : []),
  object: ({ properties = {}, required = [] }, _name, inner) =>
    Object.fromEntries(
      Object.entries(properties).flatMap(([name, field]) => (required.includes(name) ? [[name, inner(field, name)]] : [])),
    ),
};

const exampleTexts: Readonly<Record<string, string>> = {
  url: "https://example.com/",
  hostname: "example.com",
  query: "example.com",
  slugName: "my-network",
  name: "Front page",
  from: "2026-01-01",
  to: "2026-01-31",
};

function stringExample({ format }: JsonSchema, name: string): string {
  if (format === "uuid") return "3f2b1c64-9d0e-4c6b-8a51-7f0c2d9e4b11";
  if (format === "date-time") return "2026-01-31T12:00:00.000Z";
  return exampleTexts[name] ?? (format === "uri" ? "https://example.com/" : name === "" ? "text" : name);
}
