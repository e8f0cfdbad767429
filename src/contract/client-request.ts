import type { Operation } from "./operation.ts";

type TextValue = string | number | boolean;
type QueryValue = TextValue | readonly TextValue[] | Readonly<Record<string, TextValue | undefined>>;

/** The parts of a call, of any operation. */
export interface CallParts {
  readonly params?: Readonly<Record<string, TextValue>>;
  readonly query?: Readonly<Record<string, QueryValue | undefined>>;
  readonly body?: unknown;
}

/** Bodies from this size on travel packed. */
const gzipFromBytes = 8_192;

/**
 * Where an operation is called. A list in the query becomes a repeated parameter, an object one per key (`startsAt[gt]`); what is undefined
 * is left out.
 */
export function addressOf(base: URL, { path }: Operation, { params = {}, query = {} }: CallParts): URL {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const address = new URL(base.pathname.replace(/\/$/, "") + filled, base);
  for (const [name, value] of Object.entries(query)) {
    for (const [key, item] of parametersOf(name, value)) address.searchParams.append(key, String(item));
  }
  return address;
}

function parametersOf(name: string, value: QueryValue | undefined): readonly (readonly [string, TextValue])[] {
  if (value === undefined) return [];
  if (typeof value !== "object") return [[name, value]];
  if (isList(value)) return value.map((item) => [name, item] as const);
  return Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[`${name}[${key}]`, item] as const]));
}

/** `Array.isArray` does not tell the compiler of lists that cannot be changed. */
function isList(value: object): value is readonly TextValue[] {
  return Array.isArray(value);
}

/** A body as it is sent, with its headers. */
export async function bodyOf(body: unknown): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly body?: Uint8Array }> {
  if (body === undefined) return { headers: {} };
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const headers = { "content-type": "application/json" };
  if (bytes.length < gzipFromBytes) return { headers, body: bytes };
  return { headers: { ...headers, "content-encoding": "gzip" }, body: await packed(bytes) };
}

async function packed(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
