import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, type FastifyServerOptions, fastify } from "fastify";
import { ConfigError } from "#daemon/env.ts";
import { listenAnywhere, listenProblem } from "#daemon/listen-anywhere.ts";
import type { Logger } from "#daemon/logger.ts";
import type { Service } from "#daemon/service.ts";
import type { Telemetry } from "#daemon/telemetry/telemetry.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import type { NewAuditEntry } from "../storage/storage.ts";
import { type AccessLogShare, addAccessLog } from "./access-log.ts";
import type { Authenticate } from "./authenticate.ts";
import { type ConnectionLimits, limitConnections } from "./budgets/connections.ts";
import { createHeldBytes, heldBytesLimits } from "./budgets/held-bytes.ts";
import { meteredBody } from "./budgets/metered-body.ts";
import { readRefusedBody } from "./budgets/refused-body.ts";
import { errorAnswer } from "./errors.ts";
import { addFormRoutes, type FormRoutes, sendPage } from "./form-routes.ts";
import { addTransportRules, trustIn } from "./forwarded.ts";
import type { Handler } from "./handler.ts";
import { addHostGuard, type MissingAt } from "./host-guard.ts";
import { addLiveRoutes, type LiveRoute } from "./live-routes.ts";
import { addOperationRoutes } from "./operation-routes.ts";
import { addOwnHosts } from "./own-host.ts";
import { addPageRoutes, type PageRoute } from "./page-routes.ts";
import { addPingRoutes, type PingRoutes } from "./ping-routes.ts";
import type { CountRequest } from "./rate-limit.ts";
import { addRequestSpans } from "./request-spans.ts";
import { addSocketRoutes, type SocketRoute, shouldUpgrade } from "./socket-routes.ts";
import { followTls, readTls, type TlsFiles, type TlsPair } from "./tls.ts";

export interface HttpServerDeps {
  readonly host: string;
  readonly port: number;
  /** Null: plain HTTP. */
  readonly tls: TlsFiles | null;
  /** In CIDR form: who may say in headers whom a request comes from. */
  readonly trustedProxies: readonly string[];
  /** Where the control plane itself is; null where nobody said. */
  readonly publicUrl: string | null;
  readonly handlers: readonly Handler[];
  readonly pages: readonly PageRoute[];
  /** Absent: there are none. */
  readonly forms?: FormRoutes;
  /** Absent: there are none. */
  readonly live?: readonly LiveRoute[];
  /** Absent: no connection becomes a WebSocket. */
  readonly sockets?: readonly SocketRoute[];
  /** A page that is open was let go, as it did not take what it was sent. */
  readonly onSlowViewer?: () => void;
  /** Absent: no name leads to a page of its own. */
  readonly missingAt?: MissingAt;
  /** Absent: no pings are taken. */
  readonly pings?: Omit<PingRoutes, "observe">;
  readonly authenticate: Authenticate;
  /** Counts one request of a caller against its class; throws AppError rate_limited. */
  readonly countRequest: CountRequest;
  /** Writes one change to the audit log; what it throws is the answer. */
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  readonly nowMs: () => number;
  /** Of one processor, that one agent's results may take. */
  readonly agentCpuPercent: number;
  readonly observe: (operation: string, status: number, seconds: number) => void;
  /** That bodies of requests may hold in memory, in all. */
  readonly bodyBytes: number;
  readonly connections: ConnectionLimits;
  readonly accessLog: AccessLogShare;
  /** Absent where nobody is told. */
  readonly telemetry?: Pick<Telemetry, "traces">;
  readonly log: Logger;
  /** Checks every answer against its schema; for tests. */
  readonly validateResponses: boolean;
  /** Called once, when stopping begins. */
  readonly onDrain: () => void;
}

export interface HttpServer extends Service {
  /** Where it listens; null before `start`. */
  address(): { readonly scheme: "http" | "https"; readonly host: string; readonly port: number } | null;
  /** Ends long polls early; `stop` does it too. */
  drain(): void;
}

/** Fastify behind our operations: routing, limits, errors. Nothing else in the control plane knows the framework. */
export function createHttpServer(deps: HttpServerDeps): HttpServer {
  const draining = new AbortController();
  const pair = deps.tls === null ? null : readTls(deps.tls);
  const app = createApp(deps, pair);
  const following = deps.tls === null || pair === null ? null : followTls(app.server, deps.tls, pair, deps.log);
  addOperationRoutes(app, { ...deps, draining: draining.signal });
  addPageRoutes(app, deps.pages);
  if (deps.forms) addFormRoutes(app, { ...deps.forms, ...deps });
  addLiveRoutes(app, { ...deps, routes: deps.live ?? [], draining: draining.signal });
  addSocketRoutes(app, { routes: deps.sockets ?? [], draining: draining.signal });
  if (deps.pings) addPingRoutes(app, { ...deps.pings, observe: deps.observe });

  let stopped: Promise<void> | undefined;
  const drain = (): void => {
    if (draining.signal.aborted) return;
    deps.onDrain();
    draining.abort(new AppError("cancelled", "The control plane is stopping"));
  };
  return {
    name: "HTTP server",
    async start() {
      const listen = (host: string): Promise<unknown> => app.listen({ host, port: deps.port });
      const onIPv4 = (code: string): void => deps.log.warn({ code }, "no IPv6 here: listening on 0.0.0.0 instead of HOST ::");
      await listenAnywhere(deps.host, listen, onIPv4).catch((cause: unknown) => {
        throw new ConfigError(listenProblem({ ...deps, portName: "PORT", hostName: "HOST" }, codeOf(cause)), { cause });
      });
      await following?.start();
    },
    stop(deadline) {
      drain();
      stopped ??= Promise.all([following?.stop(deadline), closeWithin(app, deadline)]).then(() => undefined);
      return stopped;
    },
    address() {
      const bound = app.server.address() as AddressInfo | null;
      return bound === null ? null : { scheme: deps.tls === null ? "http" : "https", host: deps.host, port: bound.port };
    },
    drain,
  };
}

/** Waits for running requests until the deadline, then cuts what is left. */
async function closeWithin(app: FastifyInstance, deadline: AbortSignal): Promise<void> {
  const closed = app.close();
  const cut = deadline.aborted ? Promise.resolve() : once(deadline, "abort");
  await Promise.race([closed, cut]);
  app.server.closeAllConnections();
  await closed;
}

function createApp(deps: HttpServerDeps, tls: TlsPair | null): FastifyInstance {
  const { forms, missingAt, log, bodyBytes, connections, trustedProxies, publicUrl, accessLog, sockets = [] } = deps;
  const app = serverOf(tls, sockets, {
    trustProxy: trustIn(trustedProxies),
    bodyLimit: 1_048_576,
    keepAliveTimeout: 75_000,
    // A client has this long to send its whole request; long polls wait for the answer, not for the request.
    requestTimeout: 120_000,
    genReqId: ({ headers }) => requestId(headers["x-request-id"]),
    rewriteUrl: ({ url = "/" }) => ownPart(url),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 300 },
    // A URL that cannot be decoded never reaches the error handler.
    frameworkErrors: (error, request, reply) => {
      const { status, headers, body } = errorAnswer(error);
      (reply as FastifyReply)
        .headers({ ...baseHeaders, ...headers, "x-request-id": request.id })
        .code(status)
        .send(body);
    },
  });
  limitConnections(app.server, connections, (which, open) => {
    const limit = which === "total" ? "MAX_CONNECTIONS" : "MAX_CONNECTIONS_PER_ADDRESS";
    log.warn({ limit, connections: open }, "too many connections; closed some");
  });
  app.removeAllContentTypeParsers();
  // The route parses, as it knows what its operation takes.
  app.addContentTypeParser("*", { parseAs: "buffer" }, async (_request: unknown, bytes: Buffer) => bytes);
  app.addHook("onRequest", begin);
  addTransportRules(app, { publicUrl, trustedProxies });
  addOwnHosts(app, new Set((forms?.routes ?? []).flatMap(({ host }) => host ?? [])));
  if (missingAt !== undefined) addHostGuard(app, missingAt);
  const nothingThere = (request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> => {
    if (forms !== undefined && isOfBrowser(request)) return sendPage(reply, forms.noPage());
    const { status, body } = errorAnswer(new AppError("not_found", `There is no ${request.method} ${request.url.split("?")[0] ?? ""}`));
    return reply.code(status).send(body);
  };
  app.setNotFoundHandler(nothingThere);
  // Not left to the handler: it would read the body first.
  app.addHook("onRequest", async (request, reply) => {
    if (request.is404) await nothingThere(request, reply);
  });
  const holdOf = createHeldBytes(heldBytesLimits(bodyBytes));
  app.decorateRequest("knownAs", null);
  addAccessLog(app, accessLog, log);
  addRequestSpans(app, deps.telemetry?.traces ?? null);
  app.addHook("preParsing", async (request, reply, payload) => {
    const { isStream = false } = request.routeOptions.config;
    if (isStream || !bringsBody(request)) return payload;
    const hold = holdOf({ address: request.ip, who: request.getDecorator<string | null>("knownAs") });
    reply.raw.once("close", hold.release);
    const body = meteredBody(payload, request.headers["content-encoding"], hold);
    reply.raw.once("close", () => body.destroy()); // what was refused in its middle is not unpacked to its end
    // Whoever is slow on purpose would keep the connection.
    return body.once("error", (error) => hasCode(error, "try_again") && reply.header("connection", "close"));
  });
  app.setErrorHandler(async (error, request, reply) => {
    await readRefusedBody(error, request, reply);
    const { status, headers, body } = errorAnswer(codeOf(error) === "FST_ERR_CTP_BODY_TOO_LARGE" ? tooLarge(request) : error);
    if (status >= 500) log.error({ requestId: request.id, operation: request.routeOptions.url, status, err: error }, "request failed");
    return reply.headers(headers).code(status).send(body);
  });
  return app;
}

/** Before anything else. A content type without a value says nothing. */
async function begin({ id, headers }: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers(baseHeaders).header("x-request-id", id);
  if (headers["content-type"]?.trim() === "") delete headers["content-type"];
}

/** With the limit, which the framework's own error does not name. */
function tooLarge({ headers, routeOptions: { bodyLimit } }: FastifyRequest): AppError {
  const length = headers["content-encoding"] === undefined ? headers["content-length"] : undefined;
  const received = length === undefined ? "" : `it has ${length} bytes, and `;
  return new AppError("too_large", `The body is larger than allowed: ${received}at most ${bodyLimit} bytes are taken`);
}

/** Each kind of server has options of its own, and a type that differs in nothing that is used here. */
function serverOf(tls: TlsPair | null, sockets: readonly SocketRoute[], options: FastifyServerOptions): FastifyInstance {
  const timeouts = { headersTimeout: 10_000, connectionsCheckingInterval: 5_000 };
  const limits = { ...timeouts, maxHeaderSize: 16_384, shouldUpgradeCallback: shouldUpgrade(sockets) };
  const own = tls === null ? { http: limits } : { https: { ...limits, ...tls, handshakeTimeout: 10_000 } };
  return fastify({ ...options, ...own });
}

/** Of a whole URL, which a request may begin with (RFC 9112 §3.2.2), the part that is about us: nobody is led to another host by it. */
function ownPart(url: string): string {
  const [, rest] = /^https?:\/\/[^/?]*(.*)$/is.exec(url) ?? [];
  if (rest === undefined) return url;
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function bringsBody({ headers }: FastifyRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Who reads the answer is a person. */
function isOfBrowser({ method, headers }: FastifyRequest): boolean {
  return method === "GET" && (headers.accept ?? "").includes("text/html");
}

const baseHeaders = { "x-content-type-options": "nosniff", "cache-control": "no-store", "referrer-policy": "no-referrer" };

function requestId(given: string | string[] | undefined): string {
  return typeof given === "string" && /^[\w-]{1,64}$/.test(given) ? given : crypto.randomUUID();
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
}
