import type { z } from "zod";
import { exampleOf, type JsonSchema as ShownSchema } from "../../src/control-plane/pages/json-schema.ts";
import { type JsonSchema, jsonSchemaOf } from "./body-mutants.ts";

/** A body that differs from `base` in one property, and where. */
export interface Variant {
  /** Such as `request.method`; `*` for the entry of a list. */
  readonly field: string;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  readonly body: unknown;
  /** What the schema says is meant where the property is left out; undefined where it does not say. */
  readonly byDefault: unknown;
  readonly isNullable: boolean;
}

const maxDepth = 5;

/**
 * Every property that a body can have in turn with each kind of value that its schema allows: words of an enum, both ends of a range,
 * an empty and a filled list, each alternative, null. Whether they fit what stands beside them only the server knows.
 */
export function bodyVariants(schema: z.ZodType, base: unknown, known: Known): readonly Variant[] {
  const found: Variant[] = [];
  const root = jsonSchemaOf(schema);
  const defs = (root as { readonly $defs?: Readonly<Record<string, JsonSchema>> }).$defs ?? {};

  type Put = (value: unknown) => unknown;
  type Path = Variant["path"];

  function walk(given: JsonSchema, value: unknown, path: Path, put: Put): void {
    if (given.readOnly === true || given.description === "accepted and ignored") return;
    const alternatives = branchesOf(given, defs);
    if (path.length > 0) {
      const isNullable = alternatives.some(({ type }) => [type].flat().includes("null"));
      propose(knownOrAny(alternatives, path), { path, byDefault: given.default, isNullable }, put);
    }
    if (path.length >= maxDepth) return;
    for (const branch of alternatives) {
      descend(branch, value, path, put);
      const [first, ...rest] = Array.isArray(value) ? (value as readonly unknown[]) : [];
      if (branch.items !== undefined) walk(branch.items, first, [...path, 0], (changed) => put([changed, ...rest]));
    }
  }

  function propose(values: readonly unknown[], of: Pick<Variant, "path" | "byDefault" | "isNullable">, put: Put): void {
    const field = of.path.map((step) => (typeof step === "number" ? "*" : step)).join(".");
    const seen = new Map(values.map((value) => [JSON.stringify(value), value]));
    for (const value of seen.values()) found.push({ ...of, field, value, body: put(value) });
  }

  function descend({ properties = {}, ...branch }: JsonSchema, value: unknown, path: Path, put: Put): void {
    const constants = Object.entries(properties).filter(([, one]) => one.const !== undefined);
    const isThis = isObject(value) && constants.every(([name, one]) => (value[name] ?? one.default) === one.const);
    if (path.length === 0 && !isThis) return; // a body of another type is another resource
    const example = (): unknown => filled(exampleOf({ properties, ...branch } as ShownSchema, defs as never));
    const object = isThis ? value : (example() as Readonly<Record<string, unknown>>);
    for (const [name, property] of Object.entries(properties))
      if (property.const === undefined) walk(property, object[name], [...path, name], (changed) => put({ ...object, [name]: changed }));
  }

  function valueNamed(name: string): unknown {
    return known[name] ?? (name.endsWith("Color") || name.endsWith("ColorMuted") ? "#0AF" : undefined);
  }

  function knownOrAny(alternatives: readonly JsonSchema[], path: readonly (string | number)[]): readonly unknown[] {
    const name = String(path.findLast((step) => typeof step === "string"));
    const isEntry = typeof path.at(-1) === "number";
    const value = valueNamed(name);
    if (value === undefined) return alternatives.flatMap((branch) => valuesOf(branch, name, defs)).map(filled);
    return isEntry || !alternatives.some(({ type }) => type === "array") ? [value] : [[], [value]];
  }

  function filled(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(filled);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, valueNamed(name) ?? filled(one)]));
  }

  walk(root, base, [], (value) => value);
  return found;
}

/** Names of properties that hold ids, each with one that there is. */
export type Known = Readonly<Record<string, unknown>>;
type Defs = Readonly<Record<string, JsonSchema>>;

/** What the schema says of a property, alternatives flat. */
function branchesOf(given: JsonSchema, defs: Defs): readonly JsonSchema[] {
  if (given.$ref !== undefined) return branchesOf(defs[given.$ref.slice(given.$ref.lastIndexOf("/") + 1)] ?? {}, defs);
  const several = given.anyOf ?? given.oneOf ?? given.allOf;
  return several === undefined ? [given] : several.flatMap((one) => branchesOf(one, defs));
}

function valuesOf(schema: JsonSchema, name: string, defs: Defs): readonly unknown[] {
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum !== undefined) return schema.enum.length > 8 ? [schema.enum[0], schema.enum[1], schema.enum.at(-1)] : schema.enum;
  const types = [schema.type ?? []].flat();
  return types.flatMap((type) => valuesOfType[type]?.(schema, name, defs) ?? []);
}

const valuesOfType: Readonly<Record<string, (schema: JsonSchema, name: string, defs: Defs) => readonly unknown[]>> = {
  null: () => [null],
  boolean: () => [true, false],
  integer: ({ minimum = 0, maximum = 9_999 }) => [minimum, Math.min(minimum + 1, maximum), maximum],
  number: ({ minimum = 0, maximum = 9_999 }) => [minimum, maximum],
  string: (schema, name) => [
    exampleOf({ type: "string", ...(schema.format !== undefined && { format: schema.format }) } as ShownSchema, {}, name),
    ...((schema.minLength ?? 0) === 0 ? [""] : []),
    ...(schema.format === undefined && schema.pattern === undefined ? ['Ünï code, \n\t"quoted" <b> & 🚀'] : []),
  ],
  array: ({ items = {} }, name, defs) => [[], [exampleOf(items as ShownSchema, defs as never, name)]],
  object: (schema, _name, defs) => [exampleOf(schema as ShownSchema, defs as never)],
};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
