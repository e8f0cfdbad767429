import type { Operation } from "./operation.ts";

type TextValue = string | number | boolean;
type QueryValue = TextValue | readonly TextValue[] | Readonly<Record<string, TextValue | undefined>>;

/** The parts of a call, of any operation. */
export interface CallParts {
  readonly params?: Readonly<Record<string, TextValue>>;
  readonly query?: Readonly<Record<string, QueryValue | undefined>>;
  readonly body?: unknown;
  /** Instead of a body, of an operation that takes bytes. */
  readonly bytes?: ClientBytes;
}

/** A body of bytes. `chunks` is called again where a call is repeated. */
export interface ClientBytes {
  readonly size: number;
  readonly chunks: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
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

/** What is sent, with its headers. `body` is asked for each time that the call is made. */
interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: () => { readonly body?: Uint8Array<ArrayBuffer> | ReadableStream; readonly duplex?: "half" };
}

export async function bodyOf({ body, bytes }: CallParts): Promise<Sent> {
  if (bytes !== undefined) return streamOf(bytes);
  if (body === undefined) return { headers: {}, body: () => ({}) };
  const json = new TextEncoder().encode(JSON.stringify(body));
  const headers = { "content-type": "application/json" };
  if (json.length < gzipFromBytes) return { headers, body: () => ({ body: json }) };
  const small = await packed(json);
  return { headers: { ...headers, "content-encoding": "gzip" }, body: () => ({ body: small }) };
}

/** Read as fast as the other side takes it. */
function streamOf({ size, chunks }: ClientBytes): Sent {
  const headers = { "content-type": "application/octet-stream", "content-length": String(size) };
  return { headers, body: () => ({ body: ReadableStream.from(chunks()), duplex: "half" }) };
}

async function packed(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
