import type { Operation } from "#contract/operation.ts";
import { operations } from "#contract/operations.ts";
import type { Trace } from "./search.ts";

/** How a key reads: the bytes of the answer, and whether it was one. */
export type Read = (path: string) => Promise<{ readonly ok: boolean; readonly bytes: Buffer }>;

const gets: readonly Operation[] = operations.filter(({ method, path }) => method === "GET" && !path.includes("{token}"));

/**
 * Reads everything that a key can read of its account: each GET operation, for each object that the lists before it tell. What has no list
 * (sessions) comes in `known`, by the name of the parameter.
 */
export async function readAccount(read: Read, known: Readonly<Record<string, readonly string[]>>): Promise<Trace[]> {
  const answers = new Map<string, Buffer | null>();
  const answerOf = async (path: string): Promise<Buffer | null> => {
    const before = answers.get(path);
    if (before !== undefined) return before;
    const { ok, bytes } = await read(path);
    answers.set(path, ok ? bytes : null);
    return ok ? bytes : null;
  };
  const valuesOf = async (name: string, before: string): Promise<readonly string[]> => {
    const given = known[name];
    if (given !== undefined) return given;
    const isListed = (path: string): boolean => gets.some((operation) => matches(operation.path, path));
    const list = [before, before.replace(/\/\w+$/, "")].find(isListed); // results of a test session stand in it
    if (list === undefined) return known["checkId"] ?? [];
    const answer = await answerOf(whole(list));
    return answer === null ? [] : idsIn(answer);
  };
  const visit = async (path: string): Promise<void> => {
    const [, before = "", name = ""] = /^(.*?)\/\{(\w+)\}/.exec(path) ?? [];
    if (name === "") return void (await answerOf(whole(path)));
    for (const value of await valuesOf(name, before)) await visit(path.replace(`{${name}}`, encodeURIComponent(value)));
  };
  for (const { path } of gets) await visit(path);
  return [...answers].flatMap(([path, bytes]) => (bytes === null ? [] : [{ place: `GET ${path}`, bytes }]));
}

/** Lists as long as they may be, with all that they have. */
function whole(path: string): string {
  const operation = gets.find((each) => matches(each.path, path));
  const known = Object.keys((operation?.query as { readonly shape?: object } | undefined)?.shape ?? {});
  const wanted = known.filter((name) => name in wholeQuery).map((name) => `${name}=${wholeQuery[name as keyof typeof wholeQuery]}`);
  return wanted.length === 0 ? path : `${path}?${wanted.join("&")}`;
}
const wholeQuery = { limit: 100, resultType: "ALL", applyGroupSettings: true, versions: true };

function matches(template: string, path: string): boolean {
  const [wanted, given] = [template.split("/"), path.split("/")];
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith("{") || part === given[index]);
}

const idNames = ["dashboardId", "testSessionResultId", "testSessionId", "id", "key", "name"] as const;

function idsIn(bytes: Buffer): string[] {
  const body = JSON.parse(bytes.toString()) as unknown;
  const lists = Array.isArray(body) ? [body] : Object.values(body as object).filter((value) => Array.isArray(value));
  return lists.flat().flatMap((item: unknown) => {
    if (typeof item !== "object" || item === null) return [];
    const name = idNames.find((each) => Object.hasOwn(item, each));
    return name === undefined ? [] : [String((item as Readonly<Record<string, unknown>>)[name])];
  });
}
