import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { operations } from "#contract/operations.ts";
import { secretFields } from "#contract/secret-fields.ts";

/** Names under which people keep secrets. */
const looksSecret =
  /pass(word|phrase)|secret|token|credential|private|authorization|(api|service)_?key|pingtoken|proxyurl|^(key|value|url)$/i;

/** What looks like a secret by its name, and why it is none. */
const notSecret: Readonly<Record<string, string>> = {
  key: "the name of a header, parameter or variable",
  secret: "a flag: the value beside it is one",
  privateLocations: "names of locations",
  isPrivate: "a flag",
};

interface Leaf {
  readonly path: string;
  readonly name: string;
  readonly isMarked: boolean;
}

/** Every field of a schema that holds text, by its path without places in lists. */
function leavesOf(schema: z.ZodType, path: string, name: string, isMarked: boolean, seen: readonly z.ZodType[]): Leaf[] {
  if (seen.includes(schema)) return [];
  const marked = isMarked || secretFields.has(schema);
  const inside = (inner: unknown, innerPath = path, innerName = name): Leaf[] =>
    leavesOf(inner as z.ZodType, innerPath, innerName, innerName === name ? marked : false, [...seen, schema]);
  const { def } = schema as unknown as { readonly def: Readonly<Record<string, unknown>> & { readonly type: string } };
  switch (def.type) {
    case "object":
      return Object.entries(def["shape"] as Readonly<Record<string, unknown>>).flatMap(([key, inner]) =>
        inside(inner, `${path}.${key}`, key),
      );
    case "array":
      return inside(def["element"], `${path}[]`);
    case "record":
      return inside(def["valueType"], `${path}{}`);
    case "string":
      return [{ path, name, isMarked: marked }];
    default:
      return partsOf(def).flatMap((part) => inside(part));
  }
}

/** What a schema is made of that adds nothing to the path. */
function partsOf(def: Readonly<Record<string, unknown>> & { readonly type: string }): readonly unknown[] {
  if (def.type === "lazy") return [(def["getter"] as () => unknown)()];
  if (def.type === "union") return def["options"] as readonly unknown[];
  return ["in", "out", "left", "right", "innerType"].flatMap((name) => def[name] ?? []);
}

const bodies = operations.flatMap((operation) => ("body" in operation ? [{ id: operation.id, body: operation.body as z.ZodType }] : []));
const all = bodies.flatMap(({ id, body }) => leavesOf(body, id, "", false, []));

describe("fields that can hold a secret", () => {
  it("are marked in the contract, each that looks like one", () => {
    const unmarked = all.filter(({ name, isMarked, path }) => !isMarked && looksSecret.test(name) && !isKnown(name, path));
    expect([...new Set(unmarked.map(({ path }) => path))]).toEqual([]);
    expect(all.filter(({ isMarked }) => isMarked).length).toBeGreaterThan(50);
  });

  it("are found where one is planted and forgotten", () => {
    const planted = leavesOf(z.object({ deep: z.array(z.object({ password: z.string().nullish() })) }), "planted", "", false, []);
    expect(planted.filter(({ name, isMarked }) => !isMarked && looksSecret.test(name))).toEqual([
      { path: "planted.deep[].password", name: "password", isMarked: false },
    ]);
  });

  it("are all told in the document of secrets", () => {
    const page = readFileSync("docs/secrets.md", "utf8");
    const names = new Set(all.filter(({ isMarked }) => isMarked).map(({ name }) => name));
    const words: Readonly<Record<string, string>> = {
      value: "headers and parameters",
      password: "basicAuth.password",
      url: "addresses of webhooks",
      key: "keys and passphrases of client certificates",
      passphrase: "keys and passphrases of client certificates",
      pingToken: "ping addresses of heartbeats",
      proxyUrl: "passwords of a location's proxy",
      webhookSecret: "`webhookSecret`",
      serviceKey: "`serviceKey`",
      apiKey: "`apiKey`",
    };
    expect([...names].toSorted()).toEqual(Object.keys(words).toSorted());
    for (const [name, words_] of Object.entries(words)) expect([name, page.includes(words_)]).toEqual([name, true]);
  });
});

/** Addresses that a check asks, values that assertions compare: what everybody who reads the check must read. */
function isKnown(name: string, path: string): boolean {
  if (name === "key") return !path.startsWith("createClientCertificate");
  if (name === "url") return /request\.url$|apiCheckDefaults\.url$|StatusPage|Dashboard|metadata|\.links?/i.test(path);
  if (name === "value") return /metadata|assertions/i.test(path);
  return Object.hasOwn(notSecret, name);
}
