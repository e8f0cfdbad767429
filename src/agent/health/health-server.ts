import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigError } from "#daemon/env.ts";
import type { Exposition } from "#daemon/exposition.ts";
import { listenAnywhere, listenProblem } from "#daemon/listen-anywhere.ts";
import type { Logger } from "#daemon/logger.ts";
import { nodeHttp } from "#daemon/node-http.ts";

/** A probe sends a few hundred bytes at once; whoever takes longer only holds a connection. */
const requestLimitMs = 3_000;
const connectionLimit = 512;

export interface HealthSources {
  readonly isReady: () => boolean;
  readonly isAlive: () => boolean;
  /** For people; without secrets. */
  readonly detail: () => object;
  /** @param accept the header; empty where there was none */
  readonly metrics: (accept: string) => Promise<Exposition>;
}

/** The probes of spec 4.17 and /metrics. */
export interface HealthServer {
  /** @throws {ConfigError} when the port is taken or the address is not this machine's */
  start(): Promise<void>;
  /** The port in use, which the system chose when 0 was asked for. */
  port(): number;
  stop(): Promise<void>;
}

export function createHealthServer(
  listen: { readonly port: number; readonly host: string },
  sources: HealthSources,
  log: Pick<Logger, "warn">,
): HealthServer {
  const server = nodeHttp.createServer({
    headersTimeout: requestLimitMs,
    requestTimeout: requestLimitMs,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 1_000,
  });
  server.maxConnections = connectionLimit;
  server.on("request", (request, response) => {
    void answer(sources, request, response);
  });
  return {
    async start() {
      await listenOn(server, listen.port, listen.host, log);
    },
    port: () => (server.address() as AddressInfo).port, // a TCP listener's address is never a path
    async stop() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function listenOn(server: Server, port: number, host: string, log: Pick<Logger, "warn">): Promise<void> {
  const listen = (address: string): Promise<unknown> => once(server.listen({ port, host: address }), "listening");
  const onIPv4 = (code: string): void => log.warn({ code }, "no IPv6 here: the probes listen on 0.0.0.0 instead of AGENT_HEALTH_HOST ::");
  await listenAnywhere(host, listen, onIPv4).catch((cause: NodeJS.ErrnoException) => {
    const where = { portName: "AGENT_HEALTH_PORT", hostName: "AGENT_HEALTH_HOST", port, host };
    throw new ConfigError(listenProblem(where, cause.code ?? ""), { cause });
  });
}

async function answer(sources: HealthSources, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url?.split("?")[0] ?? "";
  if (request.method !== "GET" && request.method !== "HEAD") return send(response, 405, { message: "Only GET" });
  switch (path) {
    case "/-/readiness":
      return send(response, sources.isReady() ? 200 : 503, sources.detail());
    case "/-/liveness":
      return send(response, sources.isAlive() ? 200 : 503, { alive: sources.isAlive() });
    case "/health":
      return send(response, 200, sources.detail());
    case "/metrics": {
      const { type, body } = await sources.metrics(request.headers.accept ?? "");
      response.writeHead(200, { "content-type": type, vary: "accept" }).end(body);
      return;
    }
    default:
      return send(response, 404, { message: "Not Found" });
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(JSON.stringify(body));
}
