import { randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Span, Traces } from "#daemon/telemetry/telemetry.ts";
import { type TraceContext, traceContextOf } from "#domain/trace-context.ts";

/** Asked every few seconds by whoever watches: they say nothing about the way of a request. */
const probes = /^\/(-\/(liveness|readiness)|health|metrics)$/;

/**
 * A span for each request, by the semantic conventions of HTTP servers. The route stands for the address, as paths may hold tokens and queries what
 * people search for; no header is told. Strangers cannot put their requests into a trace, nor have them recorded.
 */
export function addRequestSpans(app: FastifyInstance, traces: Traces | null): void {
  if (traces === null) return;
  app.addHook("onResponse", async (request, reply) => {
    const span = spanOf(request, reply, traces);
    if (span !== null) traces.record(span);
  });
}

function spanOf(request: FastifyRequest, reply: FastifyReply, traces: Traces): Span | null {
  const route = request.routeOptions.url;
  if (route !== undefined && probes.test(route)) return null;
  const parent = parentOf(request);
  const traceId = parent?.traceId ?? randomBytes(16).toString("hex");
  if (!traces.isSampled(traceId, parent?.isSampled ?? null)) return null;
  const endMs = Date.now();
  return {
    name: route === undefined ? request.method : `${request.method} ${route}`,
    kind: "server",
    traceId,
    spanId: randomBytes(8).toString("hex"),
    parentId: parent?.spanId ?? null,
    startMs: endMs - reply.elapsedTime,
    endMs,
    attributes: {
      "http.request.method": request.method,
      "http.route": route,
      "http.response.status_code": reply.statusCode,
      "url.scheme": request.protocol,
      "outpost.request.id": request.id,
    },
    error: reply.statusCode >= 500 ? `status ${reply.statusCode}` : null,
  };
}

function parentOf(request: FastifyRequest): TraceContext | null {
  const header = request.headers["traceparent"];
  const isKnown = request.getDecorator<string | null>("knownAs") !== null;
  return isKnown && typeof header === "string" ? traceContextOf(header) : null;
}
