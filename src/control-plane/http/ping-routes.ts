import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { deliveryIdHeader } from "#domain/alerting/delivery-id.ts";
import { readOn } from "./budgets/metered-body.ts";
import { atHost } from "./own-host.ts";

export interface IncomingPing {
  readonly token: string;
  /** Where it came from, as it says: its Origin, or its Referer. */
  readonly source: string | null;
  readonly userAgent: string | null;
  readonly remoteAddress: string;
  /** It says that it is a message of an alert channel. */
  readonly isAlert: boolean;
}

export interface PingRoutes {
  /** @throws {AppError} not_found, rate_limited, invalid_input */
  readonly ping: (ping: IncomingPing) => Promise<void>;
  /** Where pings have a host of their own, without a slash at its end; there the token follows at once. */
  readonly pingUrl: string | null;
  readonly observe: (operation: string, status: number, seconds: number) => void;
}

const ignoredBytes = 8 * 1_048_576;

/** Jobs send what they like to send, so no body is looked at, whatever its type. */
export function addPingRoutes(app: FastifyInstance, { ping, pingUrl, observe }: PingRoutes): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { headers, params, ip } = request;
    const { token } = params as { readonly token: string };
    await ping({
      token,
      source: told(headers.origin) ?? told(headers.referer),
      userAgent: told(headers["user-agent"]),
      remoteAddress: ip,
      isAlert: headers[deliveryIdHeader] !== undefined,
    });
    return reply.type("text/plain; charset=utf-8").send("OK\n");
  };

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => {
      readOn(payload, ignoredBytes);
      done(null);
    });
    const route = {
      method: ["GET", "HEAD", "POST"],
      exposeHeadRoute: false,
      config: { isEverywhere: true, isStream: true },
      handler: answer,
      onResponse: async (_request: FastifyRequest, reply: FastifyReply) =>
        observe("pingHeartbeat", reply.statusCode, reply.elapsedTime / 1000),
    };
    scope.route({ ...route, url: "/ping/:token" });
    if (pingUrl === null) return;
    const { hostname, pathname } = new URL(pingUrl);
    scope.route({ ...route, url: `${pathname.replace(/\/$/, "")}/:token`, constraints: atHost(hostname) });
  });
}

const maxLength = 500;

function told(header: string | undefined): string | null {
  return header === undefined || header === "" || header === "null" ? null : header.slice(0, maxLength);
}
