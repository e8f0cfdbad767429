import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { FileOutput } from "#contract/operation.ts";
import type { Logger } from "#daemon/logger.ts";
import type { Headers } from "./authenticate.ts";
import { readRefusedBody } from "./budgets/refused-body.ts";
import { errorAnswer } from "./errors.ts";
import { parseForm, refuseFormByHead, signedInBounds, visitorBounds } from "./form-body.ts";
import type { StreamedFile } from "./handler.ts";
import { atHost } from "./own-host.ts";
import { leastPacked, packedPage } from "./packed-page.ts";
import type { PageAnswer } from "./page-routes.ts";
import type { CountRequest } from "./rate-limit.ts";
import { routedPath } from "./routed-path.ts";
import { sendFile } from "./send-file.ts";
import { refuseUnstorableText } from "./storable-text.ts";

/** What is known of a request before a byte of its body is read. */
export interface FormHead {
  readonly id: string;
  readonly method: "GET" | "POST";
  /** Path and query. */
  readonly url: string;
  /** Who connected: behind a proxy, the proxy. */
  readonly ip: string;
  readonly headers: Headers;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/** A request of a person's browser. */
export interface FormRequest extends FormHead {
  /** What a form sent; empty for GET. */
  readonly form: URLSearchParams;
}

export interface FormAnswer extends PageAnswer {
  /** Values of `set-cookie`. */
  readonly cookies?: readonly string[];
  /** May be packed, with these texts kept apart (`packed-page.ts`); absent: it is sent as it is. */
  readonly packedApart?: readonly string[];
  /** Sent in the place of the body, to be saved. */
  readonly file?: FileOutput | StreamedFile;
}

/** A page with forms, or what takes one of them. */
export interface FormRoute {
  readonly method: "GET" | "POST";
  /** With parameters as in paths of operations: `/checks/{id}`. */
  readonly path: `/${string}`;
  /** Also at names that lead to a page of their own. */
  readonly isEverywhere?: boolean;
  /** The only name at which it answers, and at which nothing else does. Absent: any. */
  readonly host?: string;
  /**
   * Whether a form's body is worth reading, by cookies, origin and rights. Absent: anybody may send one.
   *
   * @returns an answer in the place of the form's; undefined to go on
   * @throws {AppError} forbidden
   */
  readonly judge?: (head: FormHead) => Promise<FormAnswer | undefined>;
  /** `judge` lets only people pass who are signed in: their forms may be larger, and no address is counted. */
  readonly isOfSignedIn?: boolean;
  readonly answer: (request: FormRequest) => Promise<FormAnswer>;
  /** What somebody who is signed in is told about an error; undefined: as everybody. */
  readonly errorPage?: (head: FormHead, told: ErrorTold) => Promise<PageAnswer | undefined>;
}

/** An error, as a person is told. */
export interface ErrorTold {
  readonly status: number;
  readonly message: string;
  /** After which it may go well. */
  readonly againSeconds?: number;
  /** Only people who are signed in come so far. */
  readonly isSignedIn?: boolean;
}

export interface FormRoutes {
  readonly routes: readonly FormRoute[];
  readonly errorPage: (told: ErrorTold) => PageAnswer;
  /** What a person is told where nothing is. */
  readonly noPage: () => PageAnswer;
}

interface FormRouteDeps extends FormRoutes {
  readonly countRequest: CountRequest;
  readonly observe: (operation: string, status: number, seconds: number) => void;
  readonly log: Logger;
}

export function addFormRoutes(app: FastifyInstance, { routes, errorPage, countRequest, observe, log }: FormRouteDeps): void {
  for (const { method, path, isEverywhere = false, host, judge, isOfSignedIn = false, answer, errorPage: ownErrorPage } of routes) {
    const bounds = isOfSignedIn ? signedInBounds : visitorBounds;
    app.route({
      method,
      url: routedPath(path),
      config: { isEverywhere, ...(host !== undefined && { host }) },
      ...(host !== undefined && { constraints: atHost(host) }),
      bodyLimit: bounds.bytes,
      onRequest: async (request, reply) => {
        if (method !== "POST") return undefined;
        if (!isOfSignedIn) countRequest("forms", request.ip);
        refuseFormByHead(request.headers, bounds);
        const instead = await judge?.(formHead(method, request));
        if (instead !== undefined) return sendPage(reply, instead);
        if (isOfSignedIn) request.setDecorator("knownAs", request.headers.cookie ?? null);
        return undefined;
      },
      handler: async (request, reply) => {
        const head = formHead(method, request);
        const bytes = request.body as Buffer | undefined; // the server hands on the bytes; without a body there are none
        const form = parseForm(method === "POST" ? bytes : undefined, request.headers["content-type"], bounds);
        refuseUnstorableText([...form]);
        return sendPage(reply, await packed(await answer({ ...head, form }), request.headers["accept-encoding"]));
      },
      errorHandler: async (error, request, reply) => {
        await readRefusedBody(error, request, reply);
        const { status, headers, body } = errorAnswer(error);
        if (status >= 500) log.error({ requestId: request.id, operation: path, status, err: error }, "request failed");
        const again = status === 429 ? { againSeconds: Number(headers["retry-after"]) } : {};
        const told = { status, message: body.message, isSignedIn: isOfSignedIn, ...again };
        const own = await orNothing(async () => ownErrorPage?.(formHead(method, request), told));
        const page = own ?? errorPage(told);
        const { "www-authenticate": _scheme, ...ofPages } = headers; // people sign in with a form
        return sendPage(reply, { ...page, status, headers: { ...page.headers, ...ofPages } });
      },
      onResponse: async (_request, reply) => observe(`${method} ${path}`, reply.statusCode, reply.elapsedTime / 1000),
    });
  }
}

/** What tells of an error may meet the same one. */
async function orNothing<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}

/** Nothing but what says so itself: other pages show secrets. */
async function packed(answer: FormAnswer, encodings: string | readonly string[] = ""): Promise<FormAnswer> {
  const { body, packedApart, headers } = answer;
  if (packedApart === undefined || typeof body !== "string" || body.length < leastPacked) return answer;
  const vary = { ...headers, vary: "accept-encoding" };
  if (!/\bgzip\b/.test(String(encodings))) return { ...answer, headers: vary };
  return { ...answer, body: await packedPage(body, packedApart), headers: { ...vary, "content-encoding": "gzip" } };
}

export function sendPage(
  reply: FastifyReply,
  { status, type, body, headers, cookies, file }: FormAnswer,
): FastifyReply | Promise<FastifyReply> {
  if (file !== undefined) return sendFile(reply, file);
  if (cookies !== undefined && cookies.length > 0) reply.header("set-cookie", cookies);
  // Not `no-referrer`: with it browsers would send forms without telling where they come from.
  reply.header("referrer-policy", "same-origin");
  return reply
    .code(status ?? 200)
    .headers({ ...headers })
    .type(type)
    .send(body);
}

/** @throws {AppError} invalid_input */
export function formHead(method: FormRoute["method"], request: FastifyRequest): FormHead {
  const { id, url, ip, headers } = request;
  const params = request.params as Readonly<Record<string, string>>; // every parameter of a path is text
  const query = new URLSearchParams(url.split("?").slice(1).join("?"));
  for (const part of [params, [...query]]) refuseUnstorableText(part);
  return { id, method, url, ip, headers, params, query };
}
