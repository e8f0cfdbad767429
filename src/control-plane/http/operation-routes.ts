import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Access, FileOutput, Operation, ServerEvent } from "#contract/operation.ts";
import type { Logger } from "#daemon/logger.ts";
import { deliveryIdHeader } from "#domain/alerting/delivery-id.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import type { NewAuditEntry } from "../storage/storage.ts";
import { auditEntry, isChange } from "./audit.ts";
import type { Authenticate } from "./authenticate.ts";
import { type Account, createAgentBudget, payNothing } from "./budgets/agent-budget.ts";
import { readOn } from "./budgets/metered-body.ts";
import { type CallContext, type Callers, type Handler, type StreamedFile, WrittenJson } from "./handler.ts";
import { parseJsonBody } from "./json-body.ts";
import { nestedQuery } from "./nested-query.ts";
import { actorId, type CountRequest } from "./rate-limit.ts";
import { type BeforeChange, changeReader } from "./read-changes.ts";
import { routedPath } from "./routed-path.ts";
import { sendEvents } from "./send-events.ts";
import { sendFile } from "./send-file.ts";
import { refuseUnstorableText } from "./storable-text.ts";
import { parseInput } from "./validation.ts";
import { addWrongMethods, takesHead } from "./wrong-methods.ts";

export interface OperationRouteDeps {
  readonly handlers: readonly Handler[];
  readonly authenticate: Authenticate;
  readonly countRequest: CountRequest;
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  readonly nowMs: () => number;
  /** Of one processor, that one agent's results may take. */
  readonly agentCpuPercent: number;
  readonly observe: (operation: string, status: number, seconds: number) => void;
  readonly validateResponses: boolean;
  readonly draining: AbortSignal;
  readonly log: Logger;
}

const restBodyBytes = 1_048_576;
/** What an agent tells of itself. */
const sessionBodyBytes = 65_536;
/** Twice a batch of results, which may be one large result more than it should; counted after inflation. */
const agentBodyBytes = 8 * 1_048_576;

/** A project of code with its scripts; what one caller may hold in all bounds it too. */
const largeBodyBytes = 16 * 1_048_576;

function bodyLimitOf({ access, isLarge }: Operation): number {
  if (isLarge === true) return largeBodyBytes;
  if (access === "agent-session") return agentBodyBytes;
  return access === "agent-key" ? sessionBodyBytes : restBodyBytes;
}

/** One route per operation. The caller is known and counted before a byte of the body is read. */
export function addOperationRoutes(app: FastifyInstance, given: OperationRouteDeps): void {
  const deps = {
    ...given,
    beforeChange: changeReader(given.handlers, given.log),
    accountOf: createAgentBudget(given.agentCpuPercent, () => performance.now()),
  };
  app.decorateRequest("caller", undefined);
  app.decorateRequest("paidBy", undefined);
  addRoutes(
    app,
    deps,
    deps.handlers.filter(({ operation }) => operation.bytes !== true && !readsNothing(operation)),
  );
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    addRoutes(
      scope,
      deps,
      deps.handlers.filter(({ operation }) => operation.bytes === true),
    );
  });
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => {
      readOn(payload, restBodyBytes);
      done(null);
    });
    addRoutes(
      scope,
      deps,
      deps.handlers.filter(({ operation }) => readsNothing(operation)),
    );
  });
  addWrongMethods(
    app,
    deps.handlers.map(({ operation }) => operation),
  );
}

/** No key is asked for and no body is read, so a caller's tool may send what it likes (pings, trigger URLs). */
function readsNothing({ access, body }: Operation): boolean {
  return access === "public" && body === undefined;
}

interface RouteDeps extends OperationRouteDeps {
  readonly beforeChange: BeforeChange;
  readonly accountOf: ReturnType<typeof createAgentBudget>;
}

function addRoutes(app: FastifyInstance, deps: RouteDeps, handlers: readonly Handler[]): void {
  for (const { operation, handle } of handlers) {
    app.route({
      method: operation.method,
      url: routedPath(operation.path),
      ...(operation.method === "GET" && { exposeHeadRoute: takesHead(operation) }),
      config: { isEverywhere: true, isStream: operation.bytes === true || readsNothing(operation) },
      bodyLimit: bodyLimitOf(operation),
      onRequest: async (request) => {
        const caller = await known(operation, request, deps);
        if (caller !== undefined && ("agent" in caller || "location" in caller)) {
          request.setDecorator("paidBy", deps.accountOf(operation, caller)); // throws where it is overdrawn
        }
        if (operation.rateLimit !== "none") deps.countRequest(operation.rateLimit, callerId(operation, caller, request));
        request.setDecorator("caller", caller);
        if (caller !== undefined) request.setDecorator("knownAs", callerId(operation, caller, request));
      },
      onResponse: async (request, reply) => {
        if (operation.bytes === true) readOn(request.raw, agentBodyBytes);
        deps.observe(operation.id, reply.statusCode, reply.elapsedTime / 1000);
        deps.log.debug(
          { requestId: request.id, operation: operation.id, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
          "request answered",
        );
      },
      handler: async (request, reply) => {
        const context = contextOf(request, reply, deps.draining);
        const { caller } = context;
        const paidBy = request.getDecorator<Account | undefined>("paidBy") ?? payNothing;
        paidBy.spend("bytes", Buffer.isBuffer(request.body) ? request.body.length : 0);
        // What a handler does before it waits is the schemas of what agents report.
        const { input, given, changedBy } = paidBy.measured(() => {
          const isAudited = isChange(operation, caller) && caller.account !== undefined; // no account: refused before anything is done
          return { ...readInput(operation, request), changedBy: isAudited ? caller : undefined };
        });
        const afterChange = changedBy === undefined ? undefined : await deps.beforeChange(operation, input.params, context);
        const answer = await paidBy
          .measured(() => handle(input as never, context as never))
          .catch((error: unknown) => {
            if (operation.rateLimit === "triggers" && hasCode(error, "not_found")) deps.countRequest("wrong-keys", request.ip);
            throw error;
          });
        const isWithoutChange = operation.changesNothing?.(input.query as never, answer as never) === true;
        if (changedBy !== undefined && afterChange !== undefined && !isWithoutChange) {
          const done = { given, body: input.body, answer, changes: await afterChange(), status: statusOf(operation, answer) };
          await deps.audit(auditEntry(operation, { caller: changedBy, request, ...done, nowMs: deps.nowMs() }));
        }
        return send(reply, operation, input.query, answer, deps.validateResponses);
      },
    });
  }
}

/**
 * Keys that nobody issued are counted by address, and tokens of no trigger with them. Only they: whoever has a right key is served, also behind the proxy that others
 * guess through. An agent's session token lapses in the normal course of things, so it is no guess.
 *
 * @throws {AppError} unauthorized, forbidden; rate_limited instead of unauthorized above the limit
 */
async function known(operation: Operation, request: FastifyRequest, deps: OperationRouteDeps): Promise<Callers[Access]> {
  try {
    return await deps.authenticate(operation, request);
  } catch (error) {
    if (hasCode(error, "unauthorized") && operation.access !== "agent-session") deps.countRequest("wrong-keys", request.ip);
    throw error;
  }
}

/** What the operation's schemas read, and the body as it came. Not an agent's: it is large and in no audit log, so nothing of it waits for the answer. */
function readInput(operation: Operation, request: FastifyRequest) {
  const agents = operation.access === "agent-session";
  const given = operation.bytes === true ? undefined : givenBody(operation, request);
  if (agents && operation.bytes !== true) request.body = undefined;
  refuseUnstorableText([request.params, request.query]);
  const parsed = parseInput(operation, { params: request.params, query: nestedQuery(request.query), body: given });
  const input = operation.bytes === true ? { ...parsed, body: givenBytes(request) } : parsed;
  return { input, given: agents ? undefined : given };
}

/**
 * The body as JSON.
 *
 * @throws {AppError} invalid_input
 */
function givenBody({ access, isLarge }: Operation, request: FastifyRequest): unknown {
  const bytes = request.body as Buffer | undefined; // the server hands on the bytes; without a body there are none
  if (bytes === undefined || bytes.length === 0) return undefined;
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(request.headers["content-type"] ?? "");
  if (!isJson) throw new AppError("invalid_input", "The content type must be application/json");
  return parseJsonBody(bytes, access === "agent-session" ? "agent" : isLarge === true ? "project" : "client");
}

/** The body itself, still to be read. @throws {AppError} invalid_input */
function givenBytes({ headers, body }: FastifyRequest): unknown {
  if (body === undefined || headers["content-type"] !== "application/octet-stream") {
    throw new AppError("invalid_input", "The content type must be application/octet-stream");
  }
  return body;
}

function contextOf(request: FastifyRequest, reply: FastifyReply, draining: AbortSignal): CallContext {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return {
    caller: request.getDecorator<Callers[Access]>("caller"),
    get signal() {
      return AbortSignal.any([gone.signal, draining]);
    },
    request: { id: request.id, url: request.url, ip: request.ip, method: request.method },
    isAlert: request.headers[deliveryIdHeader] !== undefined,
    header: (name) => request.headers[name]?.toString(),
    onUndelivered(undo) {
      if (reply.raw.destroyed && !reply.raw.writableFinished) return undo();
      reply.raw.once("close", () => {
        if (!reply.raw.writableFinished) undo();
      });
    },
  };
}

async function send(reply: FastifyReply, operation: Operation, query: unknown, answer: unknown, validate: boolean): Promise<FastifyReply> {
  reply.code(statusOf(operation, answer));
  if (operation.file === true) return sendFile(reply, answer as FileOutput | StreamedFile);
  if (operation.events === true) return sendEvents(reply, answer as AsyncIterable<ServerEvent | null>);
  if (operation.text !== undefined) return sendText(reply, operation.text, answer as string, operation.maxAgeSeconds);
  if (operation.output === undefined) return reply.send();
  let body = answer;
  if (operation.paged === true) {
    const { items, total } = answer as { readonly items: readonly unknown[] | WrittenJson; readonly total: number };
    reply.header("content-range", contentRange(query as PageQuery | undefined, items.length, total));
    body = items;
  }
  const text = body instanceof WrittenJson ? Buffer.concat(body.pieces) : JSON.stringify(body);
  if (validate) assertAnswers(operation, text.toString());
  return reply.type("application/json; charset=utf-8").send(text);
}

function statusOf({ alternative, successStatus }: Operation, answer: unknown): number {
  return alternative?.holds(answer as never) === true ? alternative.status : successStatus;
}

/** A picture may be shown inside a page; nothing in it runs or loads anything. */
function sendText(reply: FastifyReply, type: string, text: string, maxAgeSeconds: number | undefined): FastifyReply {
  if (maxAgeSeconds !== undefined) reply.header("cache-control", `public, max-age=${maxAgeSeconds}`);
  return reply.header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox").type(type).send(text);
}

interface PageQuery {
  readonly page?: number;
  readonly limit?: number;
}

/** `items 10-19/57`; clients read the total after the slash (behaviour 1). */
function contentRange(query: PageQuery | undefined, count: number, total: number): string {
  if (count === 0) return `items */${total}`;
  const first = ((query?.page ?? 1) - 1) * (query?.limit ?? count);
  return `items ${first}-${first + count - 1}/${total}`;
}

function assertAnswers(operation: Operation, text: string): void {
  const parsed = operation.output?.safeParse(JSON.parse(text));
  if (parsed?.success === false) throw new Error(`${operation.id} answered outside its schema`, { cause: parsed.error });
}

/**
 * Whose window a request counts in: the key's, the user's, the agent's; where there is no key, the address's or that of the token in the path. The
 * rest of a trigger's path can be written in several ways.
 */
function callerId({ rateLimit }: Operation, caller: Callers[Access], request: FastifyRequest): string {
  if (caller === undefined) return rateLimit === "triggers" ? (request.params as { readonly token: string }).token : request.ip;
  if ("agent" in caller) return `agent ${caller.agent.id}`;
  if ("location" in caller) return caller.key.id;
  return actorId(caller.actor);
}
