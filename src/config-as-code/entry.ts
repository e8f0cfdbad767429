import type { z } from "zod";
import { tellIssue } from "#contract/issue-sentences.ts";
import { secretMask } from "#contract/variables.ts";
import { type Body, foundAt, isBody, replacedAt, replacedTexts } from "#domain/json-paths.ts";
import type { Kind } from "./kinds.ts";

/** One object as a file tells it: the body of its creation, defaults filled in, other objects named by their keys. */
export interface Entry {
  readonly kind: Kind;
  readonly body: Body;
  /** Fields that the file names; of an object of the account: all. */
  readonly given: ReadonlySet<string>;
  /** Variables of the environment that were not set: asterisks stand for them. */
  readonly missing: readonly string[];
  /** Folders that it names, by their fields. */
  readonly folders?: Readonly<Record<string, string>>;
}

/** Something wrong in a file. */
export interface Problem {
  readonly where: string;
  readonly message: string;
}

/** Ids that fit the schemas where a file has keys. */
const anyNumber = 1;
const anyUuid = "00000000-0000-4000-8000-000000000000";

/** A secret of a file: its value comes from a variable of the environment. */
const fromEnvironment = /^\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}$/;

/** Reads an entry of a file. `env` gives the secrets that it names. */
export function entryOf(kind: Kind, written: unknown, env: Readonly<Record<string, string | undefined>>, where: string): Entry | Problem[] {
  if (!isBody(written)) return [{ where, message: "must be an object" }];
  const folderFields = kind.folderFields?.(written) ?? [];
  const folders = folderFields.flatMap((name) => (written[name] === undefined ? [] : [[name, written[name]] as const]));
  const noFolder = folders.find(([, folder]) => typeof folder !== "string" || folder === "");
  if (noFolder !== undefined) return [{ where, message: `${noFolder[0]} must be a folder, as seen from the file` }];
  const given = Object.fromEntries(Object.entries(written).filter(([name]) => !folderFields.includes(name)));
  const missing: string[] = [];
  const filled = replacedTexts(given, (text) => {
    const variable = fromEnvironment.exec(text)?.[1];
    if (variable === undefined) return text;
    const value = env[variable];
    if (value === undefined || value === "") missing.push(variable);
    return value === undefined || value === "" ? secretMask : value;
  }) as Body;
  const schema = kind.schemaOf(filled);
  if (schema === undefined) return [{ where, message: `has a type that there is not: ${String(filled["checkType"] ?? filled["type"])}` }];
  const unknown = Object.keys(filled).filter((name) => !Object.hasOwn(schema.shape, name));
  if (unknown.length > 0)
    return [{ where, message: `${unknown.join(", ")}: no such field; fields: ${[...folderFields, ...writableNames(schema)].join(", ")}` }];
  const keys = kind.references.map(({ path }) => foundAt(filled, path));
  const parsed = schema.safeParse(withIds(kind, filled), { reportInput: true });
  const notNamed = kind.references.filter((_, index) => keys[index]?.some((key) => typeof key !== "string"));
  const problems = [
    ...notNamed.map(({ path, section }) => ({ where, message: `${path} must be the name of an entry of ${section}, not an id` })),
    ...(parsed.success ? [] : parsed.error.issues.map((issue) => problemOf(issue, where))),
  ];
  if (problems.length > 0 || !parsed.success) return problems;
  const body = kind.references.reduce<unknown>((value, { path }, index) => {
    const names = [...(keys[index] ?? [])];
    return replacedAt(value, path, () => names.shift());
  }, parsed.data);
  const named = Object.fromEntries(folders) as Record<string, string>; // each was looked at above
  return { kind, body: asJson(body) as Body, given: new Set(Object.keys(given)), missing, folders: named };
}

/** What an object of the account would be in a file. */
export function entryOfObject(kind: Kind, object: Body, keyOfId: (section: string, id: unknown) => string | undefined): Entry {
  const read = kind.asBody?.(object) ?? object;
  const schema = kind.schemaOf(read);
  if (schema === undefined) throw new Error(`a ${kind.title} of a type that this Outpost does not know`);
  const names = writableNames(schema);
  const picked = Object.fromEntries(Object.entries(read).filter(([name]) => names.includes(name)));
  const kept = (kind.leftOut ?? []).reduce<unknown>((value, path) => replacedAt(value, path, () => undefined), picked);
  const parsed = schema.safeParse(asJson(kept), { reportInput: true });
  if (!parsed.success) {
    const told = parsed.error.issues.map((issue) => problemOf(issue, kind.title).message).join("; ");
    throw new Error(`the ${kind.title} ${kind.keyOf(read)} cannot be told in a file: ${told}`);
  }
  const body = kind.references.reduce<unknown>(
    (value, { path, section }) => replacedAt(value, path, (id) => keyOfId(section, id) ?? id),
    parsed.data,
  );
  return { kind, body: asJson(body) as Body, given: new Set(names), missing: [] };
}

/** The entry as a file tells it: secrets taken from the environment. */
export function entryText(entry: Entry, key: string): Body {
  const prefix = `${entry.kind.title} ${key}`;
  return replacedTexts(shortBody(entry), (text, path) =>
    text === secretMask ? `\${env:${variableName(`${prefix} ${path}`)}}` : text,
  ) as Body;
}

/** Without what the entry's schema fills in anyway. */
export function shortBody({ kind, body }: Entry): Body {
  const schema = kind.schemaOf(body);
  const told = inReadingOrder(kind.asText?.(body) ?? body).filter(([name, value]) => {
    if ([...(kind.alwaysTold ?? []), ...(kind.keptWhenOmitted ?? [])].includes(name)) return true;
    const omitted = schema?.shape[name]?.safeParse(undefined);
    return !(omitted?.success === true && sameJson(omitted.data, value));
  });
  return Object.fromEntries(told);
}

/** What an object is called and what it is come first. */
function inReadingOrder(body: Body): readonly (readonly [string, unknown])[] {
  const first = ["name", "key", "slugName", "type", "checkType"];
  const rank = ([name]: readonly [string, unknown]): number => (first.includes(name) ? first.indexOf(name) : first.length);
  return Object.entries(body).toSorted((a, b) => rank(a) - rank(b));
}

/** `alert channel WEBHOOK Chat config.webhookSecret` to `ALERT_CHANNEL_WEBHOOK_CHAT_CONFIG_WEBHOOKSECRET`. */
function variableName(text: string): string {
  const name = text.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
  return name.replace(/^_+|_+$/g, "");
}

function writableNames(schema: z.ZodObject): string[] {
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    const { readOnly, description } = (field as z.ZodType).meta() ?? {};
    return readOnly === true || description === "accepted and ignored" ? [] : [name];
  });
}

function withIds(kind: Kind, body: Body): unknown {
  return kind.references.reduce<unknown>(
    (value, { path, idType }) => replacedAt(value, path, () => (idType === "number" ? anyNumber : anyUuid)),
    body,
  );
}

function problemOf(issue: z.core.$ZodIssue, where: string): Problem {
  const { path, message } = tellIssue(issue, () => true);
  return { where, message: path === "" ? message : `${path} ${message}` };
}

/** Without `undefined`, and whatever a schema made of it, as it travels. */
function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Whether two JSON values are equal; the order of members does not matter, and an absent one is like undefined. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  if (!isBody(a) || !isBody(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => sameJson(a[name], b[name]));
}
