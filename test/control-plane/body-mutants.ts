import { z } from "zod";
import { exampleOf, type JsonSchema as ShownSchema } from "../../src/control-plane/pages/json-schema.ts";

/** A body that its operation must refuse, and the field that the answer must name. */
export interface Mutant {
  readonly what: string;
  readonly field: string;
  readonly body: unknown;
}

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly readOnly?: boolean;
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

const maxDepth = 6;
const megabyte = "x".repeat(1_000_000);

/** What a schema says of itself as JSON Schema, of what it accepts. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any", reused: "inline" }) as JsonSchema;
}

/**
 * Every property of a body in turn with a wrong type, with null, outside its bounds or endlessly long, everything else as in `base`,
 * which is a valid body. So the schema says what must be refused, and the server has to hold to it.
 */
export function bodyMutants(schema: z.ZodType, base: unknown): readonly Mutant[] {
  const root = jsonSchemaOf(schema);
  const defs = (root as { readonly $defs?: Readonly<Record<string, JsonSchema>> }).$defs ?? {};
  const mutants: Mutant[] = [];

  function walk(given: JsonSchema, value: unknown, path: readonly string[], put: (value: unknown) => unknown): void {
    if (given.readOnly === true || given.description === "accepted and ignored") return;
    const here = matching(resolved(given), value);
    if (path.length > 0) {
      for (const [what, bad] of badValues(branches(given), value)) {
        mutants.push({ what: `${path.join(".")}: ${what}`, field: path[0] ?? "", body: put(bad) });
      }
    }
    if (path.length >= maxDepth) return;
    if (here.properties !== undefined) {
      const object = isObject(value) ? value : (exampleOf(here as ShownSchema, {}) as Readonly<Record<string, unknown>>);
      for (const [name, property] of Object.entries(here.properties)) {
        walk(property, object[name], [...path, name], (changed) => put({ ...object, [name]: changed }));
      }
    }
    if (here.items !== undefined) {
      const [first, ...rest] = Array.isArray(value) ? (value as readonly unknown[]) : [];
      walk(here.items, first, [...path, "0"], (changed) => put([changed, ...rest]));
    }
  }

  function resolved(given: JsonSchema): JsonSchema {
    return given.$ref === undefined ? given : resolved(defs[given.$ref.slice(given.$ref.lastIndexOf("/") + 1)] ?? {});
  }

  /** Alternatives, flat. */
  function branches(given: JsonSchema): readonly JsonSchema[] {
    const one = resolved(given);
    const several = one.anyOf ?? one.oneOf;
    return several === undefined ? [one] : several.flatMap(branches);
  }

  /** Of several alternatives the one that the value is of, else the first with properties or items. */
  function matching(one: JsonSchema, value: unknown): JsonSchema {
    const fitting = branches(one).filter(({ properties, items }) => properties !== undefined || items !== undefined);
    const exact = fitting.find(({ properties = {} }) =>
      Object.entries(properties).every(
        ([name, { const: constant }]) => constant === undefined || (isObject(value) && value[name] === constant),
      ),
    );
    return exact ?? fitting[0] ?? one;
  }

  walk(root, base, [], (value) => value);
  return mutants;
}

function badValues(alternatives: readonly JsonSchema[], value: unknown): readonly (readonly [what: string, value: unknown])[] {
  const types = new Set(alternatives.flatMap(typesOf));
  if (types.has("any")) return [];
  return [
    ...wrongTypes(types),
    ...alternatives
      .filter((one) => typesOf(one)[0] !== "null")
      .flatMap((one, _, { length }) => (length === 1 ? outOfBounds(one, value) : [])),
  ];
}

function typesOf(schema: JsonSchema): readonly string[] {
  if (schema.type !== undefined) return [schema.type].flat();
  if (schema.const !== undefined) return [typeName(schema.const)];
  if (schema.enum !== undefined) return schema.enum.map(typeName);
  return schema.allOf?.flatMap(typesOf) ?? ["any"];
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const samples: readonly (readonly [type: string, value: unknown])[] = [
  ["array", []],
  ["object", {}],
  ["number", 7],
  ["string", "text"],
  ["boolean", true],
];

function wrongTypes(types: ReadonlySet<string>): readonly (readonly [string, unknown])[] {
  const isNumber = types.has("integer") || types.has("number");
  const wrong = samples.filter(([type]) => !types.has(type) && !(type === "number" && isNumber)).slice(0, 2);
  return [
    ...wrong.map(([type, value]) => [`${type} in place of ${[...types].join(" or ")}`, value] as const),
    ...(types.has("null") ? [] : [["null", null] as const]),
    ...(types.has("integer") && !types.has("number") ? [["1.5", 1.5] as const] : []),
  ];
}

type Bad = readonly (readonly [what: string, value: unknown])[];

function outOfBounds(schema: JsonSchema, value: unknown): Bad {
  const [type = ""] = typesOf(schema);
  if (schema.enum !== undefined || schema.const !== undefined)
    return [["none of the allowed values", type === "string" ? "NOPE" : 987_654]];
  return outOfBoundsOf[type]?.(schema, value) ?? [];
}

const outOfBoundsOf: Readonly<Record<string, (schema: JsonSchema, value: unknown) => Bad>> = {
  string: badTexts,
  number: badNumbers,
  integer: badNumbers,
  array: badArrays,
};

/** A format without a pattern is shown and not asked for: an id that is none names nothing (`PathId`). */
function badTexts({ maxLength, minLength = 0, format, pattern }: JsonSchema): Bad {
  return [
    maxLength === undefined ? ["1 MB of text", megabyte] : ["too long", "x".repeat(maxLength + 1)],
    ...(minLength > 0 ? [["empty", ""] as const] : []),
    ...(pattern === undefined && format !== "uri" ? [] : [["of another form", "\u0007 no"] as const]),
  ];
}

function badNumbers({ maximum, exclusiveMaximum, minimum, exclusiveMinimum }: JsonSchema): Bad {
  const beyond = (bound: number): number => Math.max(1, Math.abs(bound) * 1e-9);
  const above = exclusiveMaximum ?? (maximum === undefined ? 1e308 : maximum + beyond(maximum));
  const below = exclusiveMinimum ?? (minimum === undefined ? -1e308 : minimum - beyond(minimum));
  return [
    ["above its bounds", above],
    ["below its bounds", below],
  ];
}

function badArrays({ maxItems = 9_999, items = {} }: JsonSchema, value: unknown): Bad {
  const [first] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const entry = first ?? exampleOf(items as ShownSchema, {}) ?? 1;
  const fitting = Math.floor(900_000 / (JSON.stringify(entry).length + 1)); // a larger body is refused for its size
  return fitting > maxItems ? [["too many entries", Array.from({ length: maxItems + 1 }, () => entry)]] : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
