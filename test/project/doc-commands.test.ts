import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Operation } from "#contract/operation.ts";
import { operations } from "#contract/operations.ts";
import { commandsIn, placeholder, type Words } from "./doc-commands.ts";

/* What documents tell people to type is tried as far as it can be without them: that there is such a command, flag, address, field and value. */

interface Found {
  readonly page: string;
  readonly words: Words;
}

const pages = ["README.md", "CONTRIBUTING.md", ...globSync(["docs/**/*.md", "charts/*/README.md"])];
const all: readonly Found[] = pages.flatMap((page) => commandsIn(readFileSync(page, "utf8")).map((words) => ({ page, words })));

/** What each command says is wrong with it, with its page. */
function problems(of: (words: Words) => readonly string[], found = all): readonly string[] {
  return found.flatMap(({ page, words }) => of(words).map((problem) => `${page}: ${problem} in ${words.join(" ").slice(0, 120)}`));
}

const [help = ""] = ["--help"].map((flag) =>
  execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", "--conditions=source", "src/cli.ts", flag], {
    encoding: "utf8",
  }),
);
const flags = new Set([...help.matchAll(/--([a-z][a-z-]+)/g)].map(([, name = ""]) => name));
const names = new Set([...help.matchAll(/^ {2}([a-z][a-z-]+) /gm)].map(([, name = ""]) => name));

/** What follows `outpost` where that is a program: by itself, in a container, or as the script of npm. */
function outpostWords(words: Words): Words | null {
  const [first = ""] = words;
  if (first === "outpost") return words.slice(1);
  if (first === "npm" && words.includes("outpost") && words.includes("--")) return words.slice(words.indexOf("--") + 1);
  const from = Math.max(words.indexOf("exec"), words.indexOf("run"), words.indexOf("--"));
  const at = words.indexOf("outpost", from + 1);
  return ["docker", "podman", "kubectl", "sudo"].includes(first) && from > 0 && at > 0 ? words.slice(at + 1) : null;
}

function outpostProblems(words: Words): readonly string[] {
  const given = outpostWords(words);
  if (given === null) return [];
  const [name = ""] = given.filter((word) => !word.startsWith("-"));
  const unknown = given.flatMap((word) => /^--([a-z][a-z-]*)/.exec(word)?.[1] ?? []).filter((flag) => !flags.has(flag));
  return [...(names.has(name) || given.includes("--help") ? [] : [`no command "${name}"`]), ...unknown.map((flag) => `no flag --${flag}`)];
}

function operationOf(method: string, path: string): Operation | undefined {
  const parts = path.split("/");
  const matches = (own: string): boolean => {
    const ownParts = own.split("/");
    return ownParts.length === parts.length && ownParts.every((part, index) => /^[:{]/.test(part) || part === parts[index]);
  };
  return operations.find((one) => one.method === method && matches(one.path));
}

const withValue = new Set([
  "-X",
  "-H",
  "-d",
  "-o",
  "-m",
  "-u",
  "-w",
  "--data-binary",
  "--cacert",
  "--cert",
  "--key",
  "--resolve",
  "--max-time",
  "-T",
]);

interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly bodies: Words;
}

/** What curl would send to the REST API; null: it asks for something else. */
function callOf(words: Words): Call | null {
  const address = words.slice(1).find((word, index) => !word.startsWith("-") && !withValue.has(words[index] ?? "")) ?? "";
  const [, path, query = ""] = /^(?:\$\w+|https?:\/\/[^/]+)(\/(?:v\d|next)\/[^?]*)(?:\?(.*))?$/.exec(address) ?? [];
  if (words[0] !== "curl" || path === undefined) return null;
  const given = words.filter((_, index) => words[index - 1] === "-d");
  if (words.some((word) => /^-\w*G/.test(word))) return { method: "GET", path, query: given.join("&"), bodies: [] };
  const method = words[words.indexOf("-X", 1) + 1] ?? "";
  return { method: words.includes("-X") ? method : given.length === 0 ? "GET" : "POST", path, query, bodies: given };
}

function curlProblems(words: Words): readonly string[] {
  const call = callOf(words);
  if (call === null) return [];
  const operation = operationOf(call.method, call.path);
  if (operation === undefined) return [`no operation ${call.method} ${call.path}`];
  const bodies = call.bodies.filter((body) => !body.startsWith("@"));
  return [...queryProblems(operation, call.query), ...bodies.flatMap((body) => bodyProblems(operation, body))];
}

function queryProblems({ query }: Operation, text: string): readonly string[] {
  const known = Object.keys(query?.shape ?? {});
  return [...new URLSearchParams(text).keys()].filter((name) => !known.includes(name)).map((name) => `no parameter ${name}`);
}

function bodyProblems({ body }: Operation, text: string): readonly string[] {
  if (body === undefined) return ["a body is not taken"];
  if (text.includes("…")) return [];
  const value: unknown = JSON.parse(text);
  const at = (path: readonly PropertyKey[]): unknown =>
    path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value);
  const { error } = body.safeParse(value);
  return (error?.issues ?? [])
    .filter(({ path }) => !String(at(path)).includes(placeholder))
    .map(({ path, message }) => `${path.join(".")}: ${message}`);
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const schemas = new Map(
  ["agent", "control-plane"].map((chart) => [chart, JSON.parse(readFileSync(`charts/${chart}/values.schema.json`, "utf8")) as Schema]),
);

function helmProblems(words: Words): readonly string[] {
  const chart = words.map((word) => /(?:^|\/)charts\/(agent|control-plane)$/.exec(word)?.[1]).find((name) => name !== undefined);
  const schema = words[0] === "helm" ? schemas.get(chart ?? "") : undefined;
  if (schema === undefined) return [];
  const set = words.flatMap((word, index) => (words[index - 1]?.startsWith("--set") === true ? [word] : []));
  return set.filter((one) => !isValue(schema, one.split("=", 1)[0] ?? "")).map((one) => `no value ${one}`);
}

function isValue(root: Schema, path: string): boolean {
  let here = root;
  for (const part of path.replaceAll(/\[(\d+)\]/g, ".$1").split(/(?<!\\)\./)) {
    const inner = inside(here, part);
    if (inner === undefined) return here.properties === undefined && here.additionalProperties !== false; // it takes anything
    here = inner.$ref === undefined ? inner : (root.$defs?.[inner.$ref.split("/").at(-1) ?? ""] ?? {});
  }
  return true;
}

function inside({ properties, items, additionalProperties: others }: Schema, part: string): Schema | undefined {
  return properties?.[part] ?? (/^\d+$/.test(part) ? items : undefined) ?? (typeof others === "object" ? others : undefined);
}

describe("commands in documents", () => {
  const count = (start: string): number => all.filter(({ words }) => words[0] === start).length;

  it("are read as the shell reads them", () => {
    const block =
      '```sh\nkey=$(outpost keys create --role \'READ ONLY\') # with a key\ncurl -s $U/v1/x/<id of it> \\\n  -d \'{"a": "b; c"}\' | jq . && echo "it\'s"\n```\n';
    expect(commandsIn(block)).toEqual([
      [`key=${placeholder}`],
      ["curl", "-s", `$U/v1/x/${placeholder}`, "-d", '{"a": "b; c"}'],
      ["jq", "."],
      ["echo", "it's"],
      ["outpost", "keys", "create", "--role", "READ ONLY"],
    ]);
  });

  it("of outpost name commands and flags that there are", () => {
    expect(all.filter(({ words }) => outpostWords(words) !== null).length).toBeGreaterThan(30);
    expect(problems(outpostProblems)).toEqual([]);
  });

  it("of curl call operations that there are, with parameters and bodies that they take", () => {
    expect(count("curl")).toBeGreaterThan(20);
    expect(problems(curlProblems)).toEqual([]);
  });

  it("of helm set values that the charts have", () => {
    expect(count("helm")).toBeGreaterThan(10);
    expect(problems(helmProblems)).toEqual([]);
  });

  it("would be noticed where they do not", () => {
    const page =
      "```sh\noutpost keys make --rolle X\noutpost kees create\ncurl $U/v1/chekcs\ncurl '$U/v1/checks?limt=1'\ncurl $U/v1/api-keys -d '{\"name\": 1}'\nhelm install a charts/agent --set repliccas=2\n```\n";
    const found = commandsIn(page).map((words) => ({ page: "a page", words }));
    expect(problems(outpostProblems, found)).toHaveLength(2);
    expect(problems(curlProblems, found)).toHaveLength(3);
    expect(problems(helmProblems, found)).toHaveLength(1);
  });
});
