import { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { WebSocketServer } from "ws";
import { AppError } from "#domain/app-error.ts";
import type { KeyedRequest } from "./audited-request.ts";
import type { Headers } from "./authenticate.ts";

/** A connection that stays open, and takes and brings bytes. */
export interface OpenSocket {
  /** Never waits. */
  readonly send: (bytes: Uint8Array) => void;
  /** What was sent and is still here. */
  readonly waitingBytes: () => number;
  /** @param reason of at most 100 characters */
  readonly close: (code: SocketCloseCode, reason: string) => void;
}

/** RFC 6455 §7.4.1: it went well; we stop; the other side broke a rule; a message was too large; try again later. */
export type SocketCloseCode = 1000 | 1001 | 1008 | 1009 | 1013;

export interface SocketListener {
  readonly onBytes: (bytes: Buffer) => void;
  /** Once, whoever closed it. */
  readonly onClose: () => void;
}

export interface SocketRequest extends KeyedRequest {
  readonly headers: Headers;
}

/** An address at which connections become WebSockets. */
export interface SocketRoute {
  readonly path: `/${string}`;
  /** What is spoken over it; a client must offer it. */
  readonly protocol: string;
  /** Of one message; a larger one ends the connection before it is read. */
  readonly maxMessageBytes: number;
  readonly open: (socket: OpenSocket, request: SocketRequest) => SocketListener;
}

interface SocketRouteDeps {
  readonly routes: readonly SocketRoute[];
  /** Aborts when the server stops taking work. */
  readonly draining: AbortSignal;
}

interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** How long a client has to answer that a connection ends. */
const closeMs = 2_000;

/** Requests that ask to go on as a WebSocket, where there is a route for it: other upgrades are no concern of ours, and are answered as if nobody asked. */
export function shouldUpgrade(routes: readonly SocketRoute[]) {
  const paths = new Set<string>(routes.map(({ path }) => path));
  return ({ url = "", headers }: { readonly url?: string | undefined; readonly headers: Headers }): boolean =>
    String(headers["upgrade"] ?? "").toLowerCase() === "websocket" && paths.has(url.split("?")[0] ?? "");
}

/** They come as any request does, through the same hooks and to the same errors, and then leave HTTP. */
export function addSocketRoutes(app: FastifyInstance, { routes, draining }: SocketRouteDeps): void {
  const upgrades = new WeakMap<object, Upgrade>();
  app.server.on("upgrade", (request, socket, head) => {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    upgrades.set(request, { socket, head });
    socket.on("error", () => socket.destroy());
    response.assignSocket(socket as never); // it is the connection's own, whatever its type says
    response.once("finish", () => socket.end());
    app.routing(request, response);
  });
  for (const route of routes) {
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: route.maxMessageBytes,
      handleProtocols: () => route.protocol,
    });
    app.get(route.path, async (request, reply) => {
      const upgrade = upgrades.get(request.raw);
      if (draining.aborted) throw new AppError("unavailable", "The control plane is stopping");
      if (upgrade === undefined || !offers(request, route.protocol)) {
        throw new AppError("upgrade_required", `This address speaks WebSocket, with the subprotocol "${route.protocol}", and nothing else`);
      }
      reply.hijack();
      reply.raw.detachSocket(upgrade.socket as never);
      server.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket) => follow(socket, route, request, draining));
    });
  }
}

function offers({ headers }: FastifyRequest, protocol: string): boolean {
  const offered = String(headers["sec-websocket-protocol"] ?? "").split(",");
  return offered.some((one) => one.trim() === protocol);
}

type WebSocket = Parameters<Parameters<WebSocketServer["handleUpgrade"]>[3]>[0];

function follow(socket: WebSocket, route: SocketRoute, { id, url, ip, method, headers }: FastifyRequest, draining: AbortSignal): void {
  const close = (code: SocketCloseCode, reason: string): void => {
    if (socket.readyState > socket.OPEN) return;
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), closeMs).unref();
  };
  const stop = (): void => close(1001, "The control plane is stopping");
  const send = (bytes: Uint8Array): void => {
    if (socket.readyState === socket.OPEN) socket.send(bytes);
  };
  const listener = route.open({ send, close, waitingBytes: () => socket.bufferedAmount }, { id, url, ip, method, headers });
  draining.addEventListener("abort", stop, { once: true });
  socket.on("message", (data, isBinary) => {
    if (isBinary) listener.onBytes(bytesOf(data));
    else close(1008, "only binary messages");
  });
  socket.on("error", () => socket.terminate()); // a frame that is too large or broken; "close" follows
  socket.on("close", () => {
    draining.removeEventListener("abort", stop);
    listener.onClose();
  });
}

function bytesOf(data: Buffer | ArrayBuffer | readonly Buffer[]): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return data instanceof ArrayBuffer ? Buffer.from(data) : Buffer.concat(data);
}
