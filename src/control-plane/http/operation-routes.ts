import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Access, FileOutput, Operation } from "#contract/operation.ts";
import type { Logger } from "#daemon/logger.ts";
import type { Authenticate } from "./authenticate.ts";
import type { CallContext, Callers, Handler } from "./handler.ts";
import { refuseNulCharacters } from "./nul-characters.ts";
import { parsePart } from "./validation.ts";

export interface OperationRouteDeps {
  readonly handlers: readonly Handler[];
  readonly authenticate: Authenticate;
  readonly countRequest: (limitClass: string, caller: string) => void;
  readonly observe: (operation: string, status: number, seconds: number) => void;
  readonly validateResponses: boolean;
  readonly draining: AbortSignal;
  readonly log: Logger;
}

const restBodyBytes = 1_048_576;
/** A batch of results; counted after inflation. */
const agentBodyBytes = 32 * 1_048_576;

/** One route per operation. The caller is known and counted before a byte of the body is read. */
export function addOperationRoutes(app: FastifyInstance, deps: OperationRouteDeps): void {
  app.decorateRequest("caller", undefined);
  for (const { operation, handle } of deps.handlers) {
    app.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ":$1"),
      bodyLimit: operation.access === "agent-session" ? agentBodyBytes : restBodyBytes,
      onRequest: async (request) => {
        const caller = await deps.authenticate(operation.access, request.headers);
        if (operation.rateLimit !== "none") deps.countRequest(operation.rateLimit, callerId(caller, request.ip));
        request.setDecorator("caller", caller);
      },
      onResponse: async (request, reply) => {
        deps.observe(operation.id, reply.statusCode, reply.elapsedTime / 1000);
        deps.log.debug(
          { requestId: request.id, operation: operation.id, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
          "request answered",
        );
      },
      handler: async (request, reply) => {
        refuseNulCharacters([request.params, request.query]);
        if (operation.access !== "agent-session") refuseNulCharacters(request.body);
        const input = {
          params: parsePart(operation.params, request.params),
          query: parsePart(operation.query, request.query),
          body: parsePart(operation.body, request.body),
        };
        const answer = await handle(input as never, contextOf(request, reply, deps.draining) as never);
        return send(reply, operation, input.query, answer, deps.validateResponses);
      },
    });
  }
}

function contextOf(request: FastifyRequest, reply: FastifyReply, draining: AbortSignal): CallContext {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return {
    caller: request.getDecorator<Callers[Access]>("caller"),
    get signal() {
      return AbortSignal.any([gone.signal, draining]);
    },
    onUndelivered(undo) {
      if (reply.raw.destroyed && !reply.raw.writableFinished) return undo();
      reply.raw.once("close", () => {
        if (!reply.raw.writableFinished) undo();
      });
    },
  };
}

function send(reply: FastifyReply, operation: Operation, query: unknown, answer: unknown, validate: boolean): FastifyReply {
  reply.code(operation.successStatus);
  if (operation.file === true) return sendFile(reply, answer as FileOutput);
  if (operation.text !== undefined) return sendText(reply, operation.text, answer as string);
  if (operation.output === undefined) return reply.send();
  let body = answer;
  if (operation.paged === true) {
    const { items, total } = answer as { readonly items: readonly unknown[]; readonly total: number };
    reply.header("content-range", contentRange(query as PageQuery | undefined, items.length, total));
    body = items;
  }
  const text = JSON.stringify(body);
  if (validate) assertAnswers(operation, text);
  return reply.type("application/json; charset=utf-8").send(text);
}

/** To be saved, never to be shown: what is in it came from targets. */
function sendFile(reply: FastifyReply, { name, contentType, body }: FileOutput): FastifyReply {
  return reply
    .header("content-disposition", `attachment; filename="${name}"`)
    .header("content-security-policy", "default-src 'none'; sandbox") // where something shows it all the same
    .type(contentType)
    .send(body);
}

/** A picture may be shown inside a page; nothing in it runs or loads anything. */
function sendText(reply: FastifyReply, type: string, text: string): FastifyReply {
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

/** Whose window a request counts in: the key's, the agent's, or the address where there is no key. */
function callerId(caller: Callers[Access], address: string): string {
  if (caller === undefined) return address;
  return "agent" in caller ? `agent ${caller.agent.id}` : caller.key.id;
}
