import type { Access, Operation } from "#contract/operation.ts";
import { bodyMutants, jsonSchemaOf } from "./body-mutants.ts";
import type { Request } from "./example-world.ts";

/** One request that must be refused. */
export interface BadRequest {
  readonly what: string;
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the answer must name. */
  readonly field?: string;
  /** Where only these will do; else any status of the client's fault. */
  readonly status?: readonly number[];
  /** With a 200 this body and no other will do, too: there is no such object, and the operation says so in its own words. */
  readonly nothing?: unknown;
}

/** What operations answer of an object that the caller's account does not have, where that is no error. */
export const nothingOf: Readonly<Record<string, unknown>> = {
  // Groups outlive their project, so nobody looks whether there is one.
  listTestSessionErrorGroupsOfProject: [],
  // What is to be gone is gone: clients destroy a project twice (the contract's page on clients, 3).
  destroyProject: { project: null, diff: [] },
};

type Role = "READ_ONLY" | "READ_RUN" | "READ_WRITE";
/** The highest role that is too low. */
const tooLow: { readonly [A in Access]?: Role } = { run: "READ_ONLY", write: "READ_RUN", admin: "READ_WRITE" };
const unknownKey = `sv_${"0".repeat(32)}`;

export function badCallers({ access }: Operation, { path, body }: Request, keys: Readonly<Record<Role, string>>): readonly BadRequest[] {
  if (access === "public") return [];
  const role = tooLow[access];
  return [
    { what: "no key", path, ...asJson(body), key: undefined, status: [401] },
    { what: "a key that nobody issued", path, ...asJson(body), key: unknownKey, status: [401] },
    ...(role === undefined ? [] : [{ what: `the role ${role}`, path, ...asJson(body), key: keys[role], status: [403] }]),
  ];
}

const hostileIds = [
  "%00",
  "%ff",
  "..%2f..%2fchecks",
  "0",
  "-1",
  "9999999999999999999",
  "1e5",
  "null",
  "%F0%9F%92%A5",
  "'%20or%201%3D1--",
  "a".repeat(301),
  crypto.randomUUID(),
];

/** Each id of the path in turn. What has the form of an id names nothing, so that is a 404. */
export function badPaths(operation: Operation, { path, body }: Request): readonly BadRequest[] {
  if (operation.text === "image/svg+xml") return []; // a page that shows a badge is no place for errors: it says "unknown"
  const segments = operation.path.split("/");
  const [given = "", query] = path.split("?");
  const real = given.split("/");
  return segments.flatMap((segment, index) =>
    segment.startsWith("{")
      ? hostileIds.map((id) => ({
          what: `${segment} ${id.slice(0, 20)}`,
          path: [real.with(index, id).join("/"), query].filter(Boolean).join("?"),
          ...asJson(body),
          status: [400, 404],
          nothing: nothingOf[operation.id],
        }))
      : [],
  );
}

/** Each parameter of the query in turn with what it cannot be. */
export function badQueries({ query }: Operation, { path, body }: Request): readonly BadRequest[] {
  if (query === undefined) return [];
  const [address = "", given = ""] = path.split("?");
  return Object.entries(jsonSchemaOf(query).properties ?? {}).flatMap(([name, schema]) => {
    const values = ["%00", ...(isFree(schema) ? [] : ["no%20such%20value", "%20"])];
    return values.map((value) => {
      const others = new URLSearchParams(given);
      for (const other of others.keys().toArray()) if (other === name || other.startsWith(`${name}[`)) others.delete(other);
      return {
        what: `${name}=${value}`,
        path: `${address}?${[others.toString(), `${name}=${value}`].filter(Boolean).join("&")}`,
        ...asJson(body),
        ...(value !== "%00" && { field: name }),
      };
    });
  });
}

/** A parameter that takes any text. */
function isFree(schema: ReturnType<typeof jsonSchemaOf>): boolean {
  const alternatives = schema.anyOf ?? schema.oneOf ?? [schema.items ?? schema];
  return alternatives.some(
    ({ type, enum: choices, format, pattern }) => (type === undefined || type === "string") && (choices ?? format ?? pattern) === undefined,
  );
}

const deep = `${'{"a":['.repeat(200)}1${"]}".repeat(200)}`;

/** What no body may be, whatever the operation takes. */
export function badBodies(
  { method, access, body: schema, bytes, isLarge }: Operation,
  { path, body = {} }: Request,
): readonly BadRequest[] {
  if (method === "GET" || (access === "public" && schema === undefined)) return [];
  const text = JSON.stringify(body);
  const within = (member: string): string => (text === "{}" ? `{${member}}` : `{${member},${text.slice(1)}`);
  const limitMegabytes = isLarge === true ? 16 : 1;
  const of = (what: string, bad: string | Uint8Array): BadRequest => ({ what, path, body: bad, status: [400] });
  const whole = text.startsWith("{")
    ? [
        of("a key twice", within('"zz":1,"zz":2')),
        of("U+0000", within('"zz":["\\u0000"]')),
        of("half a surrogate pair", within('"zz":{"\\udc00":1}')),
        of("deep nesting", within(`"zz":${deep}`)),
      ]
    : [];
  return [
    ...whole,
    of("malformed JSON", text.slice(0, -1)),
    of("invalid UTF-8", Buffer.concat([Buffer.from('{"zz":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])),
    of("two bodies", `${text}${text}`),
    { what: "another content type", path, body: "a=1", headers: { "content-type": "application/x-www-form-urlencoded" }, status: [400] },
    // What is no JSON has a limit of its own.
    ...(bytes === true
      ? []
      : [
          { what: `more than ${limitMegabytes} MB`, path, body: within(`"zz":"${"x".repeat(1_100_000 * limitMegabytes)}"`), status: [413] },
        ]),
    ...(schema === undefined ? [] : [of("null", "null"), of("an array", "[[]]"), of("a text", '"text"')]),
  ];
}

export function badProperties({ body: schema, bodyShown }: Operation, { path, body = {} }: Request): readonly BadRequest[] {
  if (schema === undefined) return [];
  return bodyMutants(bodyShown ?? schema, body).map(({ what, field, body: bad }) => ({ what, field, path, body: JSON.stringify(bad) }));
}

export function asJson(body: unknown): { readonly body?: string } {
  return body === undefined ? {} : { body: JSON.stringify(body) };
}

/** The same body, with a field that nobody knows in each of its objects. */
export function withUnknownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (typeof value !== "object" || value === null) return value;
  return {
    ...Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withUnknownFields(entry)])),
    zzUnknown: [{ a: null }],
  };
}
