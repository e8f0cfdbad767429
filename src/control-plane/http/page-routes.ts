import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

export interface PageAnswer {
  readonly status?: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a page may know of the request for it. */
export interface PageRequest {
  /** As the browser wrote it, without the query; what stands in it may be percent-encoded. */
  readonly path: string;
  /** By their names in the route's path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The name that the browser asked for: in lower case, without its port; empty where it told none. */
  readonly host: string;
  readonly cookies: ReadonlyMap<string, string>;
  readonly accept: string;
  readonly remoteAddress: string;
}

/** What is served outside the REST operations: probes, metrics, documents and pages for people. Public, GET only. */
export interface PageRoute {
  /** With parameters as in paths of operations: `/dashboards/{url}`. */
  readonly path: `/${string}`;
  readonly answer: (request: PageRequest) => PageAnswer | Promise<PageAnswer>;
}

export function addPageRoutes(app: FastifyInstance, pages: readonly PageRoute[]): void {
  for (const page of pages) {
    app.get(page.path.replace(/\{(\w+)\}/g, ":$1"), async (request, reply) => send(reply, await page.answer(pageRequest(request))));
  }
}

/** Where a browser goes on by GET, without a trace of this address in its history. */
export function seeOther(location: string, headers: Readonly<Record<string, string>> = {}): PageAnswer {
  return { status: 303, type: "text/plain; charset=utf-8", body: "", headers: { ...headers, location } };
}

function send(reply: FastifyReply, { status, type, body, headers }: PageAnswer): FastifyReply {
  return reply
    .code(status ?? 200)
    .headers({ ...headers })
    .type(type)
    .send(body);
}

function pageRequest({ url, params, headers, ip }: FastifyRequest): PageRequest {
  const [path, query = ""] = splitOnce(url, "?");
  return {
    path,
    params: params as Readonly<Record<string, string>>, // the router found them by their names
    query: new URLSearchParams(query),
    host: hostName(headers.host ?? ""),
    cookies: cookiesOf(headers.cookie ?? ""),
    accept: headers.accept ?? "",
    remoteAddress: ip,
  };
}

/** Of `name:port` the name; a last dot says only that it is complete. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
}

/** The first of a name counts (RFC 6265 §5.4: the one with the longest path). */
function cookiesOf(header: string): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const part of header.split(";")) {
    const [name, value] = splitOnce(part.trim(), "=");
    if (value !== undefined && !cookies.has(name)) cookies.set(name, value);
  }
  return cookies;
}

function splitOnce(text: string, by: string): readonly [string, string?] {
  const at = text.indexOf(by);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + by.length)];
}
