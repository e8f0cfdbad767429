import type { Client } from "#contract/client.ts";
import { secretMask } from "#contract/variables.ts";
import { type Body, foundAt, isBody } from "#domain/json-paths.ts";
import { isSensitiveHeader } from "#domain/scrub/sensitive.ts";
import { entryOfObject, entryText, shortBody } from "./entry.ts";
import { fileOfChecks } from "./file.ts";
import { freeKey } from "./keyed-entries.ts";
import { type Kind, kinds } from "./kinds.ts";
import { listObjects } from "./objects.ts";

/** One check, told in two ways. */
export interface CheckTexts {
  /** A file for `outpost apply` with this check alone; its secrets come from the environment. */
  readonly yaml: string;
  /** The body of `POST /v1/checks` that makes it once more in its account; asterisks stand for its secrets. */
  readonly json: string;
}

/** Reads a check over REST and tells it without its secrets: also those that the client may read. */
export async function checkTexts(client: Client, id: string): Promise<CheckTexts> {
  const check = withoutSecrets(await client.getCheckV1({ params: { id } })) as Body;
  const kind = kindOf("checks");
  const keys = await keysOfReferences(client, kind, check);
  const named = entryOfObject(kind, check, (section, referred) => keys.get(section)?.get(referred));
  const numbered = entryOfObject(kind, check, () => undefined);
  return { yaml: fileOfChecks([entryText(named, kind.keyOf(named.body))]), json: JSON.stringify(shortBody(numbered), null, 2) };
}

/** Only the sections that the check refers to are read. */
async function keysOfReferences(
  client: Client,
  { references }: Kind,
  check: Body,
): Promise<ReadonlyMap<string, ReadonlyMap<unknown, string>>> {
  const sections = references.filter(({ path }) => foundAt(check, path).length > 0).map(({ section }) => section);
  const read = [...new Set(sections)].map(async (section) => [section, await keysOf(client, kindOf(section))] as const);
  return new Map(await Promise.all(read));
}

/** What a file would call each object, by its id. */
async function keysOf(client: Client, kind: Kind): Promise<ReadonlyMap<unknown, string>> {
  const taken = new Set<string>();
  const keys = new Map<unknown, string>();
  for (const object of await listObjects(client, kind)) {
    const key = freeKey(kind.keyOf(object), taken);
    taken.add(key);
    keys.set(object[kind.idField], key);
  }
  return keys;
}

function kindOf(section: string): Kind {
  const kind = kinds.find((one) => one.section === section);
  if (kind === undefined) throw new Error(`there is no section ${section}`);
  return kind;
}

/** Asterisks in the place of locked and secret values, passwords, and headers that are secret by their name. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value === "string") return hasPassword.test(value) ? secretMask : value;
  if (!isBody(value)) return value;
  const { key, locked, secret, value: held, password } = value;
  const isSecret = locked === true || secret === true || (typeof key === "string" && isSensitiveHeader(key));
  return {
    ...Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutSecrets(item)])),
    ...(isSecret && held !== undefined && { value: secretMask }),
    ...(typeof password === "string" && password !== "" && { password: secretMask }),
  };
}

/** An address like https://user:password@host. */
const hasPassword = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]*:[^/?#\s@]+@/i;
