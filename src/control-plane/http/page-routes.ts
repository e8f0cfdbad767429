import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Headers } from "./authenticate.ts";
import { cookiesOf } from "./cookies.ts";
import { leastPacked } from "./packed-page.ts";
import { routedPath } from "./routed-path.ts";

export interface PageAnswer {
  readonly status?: number;
  readonly type: string;
  readonly body: string | Buffer;
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
  /** `accept-encoding`. */
  readonly encodings: string;
  readonly remoteAddress: string;
  /** The header; empty where there was none. */
  readonly authorization: string;
}

/** What is served outside the REST operations: probes, metrics, documents and pages for people. Public, GET only. */
export interface PageRoute {
  /** With parameters as in paths of operations: `/dashboards/{url}`. */
  readonly path: `/${string}`;
  /** Also at names that lead to a page of their own. */
  readonly isEverywhere?: boolean;
  readonly answer: (request: PageRequest) => PageAnswer | Promise<PageAnswer>;
}

export function addPageRoutes(app: FastifyInstance, pages: readonly PageRoute[]): void {
  for (const page of pages) {
    const { isEverywhere = false } = page;
    app.get(routedPath(page.path), { config: { isEverywhere } }, async (request, reply) => {
      const asked = pageRequest(request);
      return send(reply, await packed(await page.answer(asked), asked.encodings));
    });
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

const pack = promisify(gzip);

/**
 * Documents are full of repetitions, of which the fastest level leaves a tenth. Only what anybody may keep and so holds no secret is packed:
 * of all else the length would tell something to whoever can put text beside a secret.
 */
async function packed(answer: PageAnswer, encodings: string): Promise<PageAnswer> {
  const { body, headers = {} } = answer;
  if (typeof body !== "string" || body.length < leastPacked || !headers["cache-control"]?.startsWith("public")) return answer;
  const vary = { ...headers, vary: "accept-encoding" };
  if (!/\bgzip\b/.test(encodings)) return { ...answer, headers: vary };
  return { ...answer, body: await pack(body, { level: 1 }), headers: { ...vary, "content-encoding": "gzip" } };
}

function pageRequest({ url, params, headers, ip }: FastifyRequest): PageRequest {
  const [path = "", ...query] = url.split("?");
  return {
    path,
    params: params as Readonly<Record<string, string>>, // the router found them by their names
    query: new URLSearchParams(query.join("?")),
    host: hostOf(headers),
    cookies: cookiesOf(headers.cookie ?? ""),
    accept: headers.accept ?? "",
    encodings: String(headers["accept-encoding"] ?? ""),
    remoteAddress: ip,
    authorization: headers.authorization ?? "",
  };
}

/** The name that a browser asked for, without its port; a last dot says only that it is complete. Empty where it told none. */
export function hostOf({ host }: Headers): string {
  return String(host ?? "")
    .toLowerCase()
    .replace(/:\d*$/, "")
    .replace(/\.$/, "");
}
