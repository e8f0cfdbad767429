import type { ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply } from "fastify";
import { AppError } from "#domain/app-error.ts";
import { type FormHead, formHead } from "./form-routes.ts";
import { routedPath } from "./routed-path.ts";

/** A page that is open somewhere and hears what changes. */
export interface Viewer {
  /** Never waits: who does not take what was sent is let go. */
  readonly send: (events: Buffer) => void;
  readonly end: () => void;
}

/** What pages go on hearing while they are open, as server-sent events. */
export interface LiveRoute {
  readonly path: `/${string}`;
  /** @returns what takes the viewer in, and answers what lets it go. @throws {AppError} for whom nothing is told */
  readonly open: (request: FormHead) => Promise<(viewer: Viewer) => () => void>;
}

interface LiveRouteDeps {
  readonly routes: readonly LiveRoute[];
  /** Aborts when the server stops taking work. */
  readonly draining: AbortSignal;
  readonly observe: (operation: string, status: number, seconds: number) => void;
  readonly onSlowViewer?: () => void;
}

/** Proxies give a connection up that is silent for a minute. */
const heartbeatMs = 15_000;
const heartbeat = Buffer.from(":\n\n");
/** How long a browser waits before it comes back. */
const retry = Buffer.from("retry: 2000\n\n");
/** What may wait for one viewer; a whole page of checks is a quarter of it. */
const maxWaitingBytes = 1_048_576;

const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  // nginx would keep back what it has not enough of.
  "x-accel-buffering": "no",
  connection: "close",
};

export function addLiveRoutes(app: FastifyInstance, { routes, draining, observe, onSlowViewer = () => undefined }: LiveRouteDeps): void {
  const open = new Set<Viewer>();
  draining.addEventListener("abort", () => {
    for (const viewer of open) viewer.end();
  });
  for (const route of routes) {
    app.get(routedPath(route.path), async (request, reply) => {
      if (draining.aborted) throw new AppError("unavailable", "The control plane is stopping");
      const takeIn = await route.open(formHead("GET", request));
      observe(`GET ${route.path}`, 200, reply.elapsedTime / 1000);
      const { viewer, gone } = begin(reply, onSlowViewer);
      open.add(viewer);
      const letGo = takeIn(viewer);
      gone(() => {
        open.delete(viewer);
        letGo();
      });
      if (draining.aborted) viewer.end();
    });
  }
}

/** Answers with a body that has no end. */
function begin(reply: FastifyReply, onSlow: () => void): { readonly viewer: Viewer; readonly gone: (listener: () => void) => void } {
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...streamHeaders }))
    if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200);
  raw.socket?.setKeepAlive(true, 2 * heartbeatMs);
  const send = (events: Buffer): void => sendTo(raw, events, onSlow);
  send(retry);
  const beats = setInterval(send, heartbeatMs, heartbeat);
  const end = (): void => void raw.end();
  const gone = (listener: () => void): void => {
    const over = (): void => {
      clearInterval(beats);
      listener();
    };
    if (raw.destroyed) over();
    else raw.once("close", over);
  };
  return { viewer: { send, end }, gone };
}

function sendTo(raw: ServerResponse, events: Buffer, onSlow: () => void): void {
  if (raw.destroyed || raw.writableEnded) return;
  if (raw.writableLength + events.length <= maxWaitingBytes) return void raw.write(events);
  raw.destroy();
  onSlow();
}
