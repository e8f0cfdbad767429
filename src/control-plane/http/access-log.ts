import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Logger } from "#daemon/logger.ts";

/** One of this many requests that went well is told; all that did not are. 1: all; null: nobody is told of any. */
export type AccessLogShare = number | null;

/** `off`, `failures`, `all` or `1/100`. */
const AccessLogText = z.string().transform((text, context): AccessLogShare => {
  const word = text.trim();
  if (word === "off") return null;
  if (word === "failures") return Number.POSITIVE_INFINITY;
  if (word === "all") return 1;
  const [, share] = /^1\/([1-9]\d{0,5})$/.exec(word) ?? [];
  if (share !== undefined) return Number(share);
  context.addIssue({ code: "custom", message: "must be off, failures, all, or a share such as 1/100" });
  return z.NEVER;
});

export const accessLogEnv = {
  ACCESS_LOG: AccessLogText.default(null).describe(
    "a log line for each request: off, failures (status 400 and above), all, or all failures and a share of the successful requests, such as 1/100",
  ),
};

const longestAgent = 200;

/**
 * A line per request, at level info. The route stands for the address: paths may hold tokens (pings, triggers, signed links), and queries
 * what people search for. Neither headers with keys nor bodies are told.
 */
export function addAccessLog(app: FastifyInstance, share: AccessLogShare, log: Pick<Logger, "info">): void {
  if (share === null) return;
  let wentWell = 0;
  app.addHook("onResponse", async (request, reply) => {
    if (reply.statusCode < 400) {
      wentWell += 1;
      if (wentWell % share !== 0) return;
    }
    log.info(requestLine(request, reply), "request");
  });
}

function requestLine(request: FastifyRequest, reply: FastifyReply): object {
  const caller = request.getDecorator<string | null>("knownAs");
  const length = Number(reply.getHeader("content-length"));
  return {
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url ?? null,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
    ...(Number.isFinite(length) && { bytes: length }),
    address: request.ip,
    ...(caller !== null && { caller }),
    userAgent: request.headers["user-agent"]?.slice(0, longestAgent),
  };
}
