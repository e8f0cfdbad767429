import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { type HttpServer, httpServer } from "../../../support/http-servers/http-server.ts";

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A service that keeps what it is sent. */
export interface Receiver extends HttpServer {
  readonly received: readonly Received[];
  /** The last of it as JSON. */
  readonly json: () => Record<string, unknown>;
}

/** What it answers; by default 200 and `ok`. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export async function receiver(answer: Answer = (response) => response.end("ok")): Promise<Receiver> {
  const received: Received[] = [];
  const server = await httpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      answer(response, request);
    });
  });
  return { ...server, received, json: () => JSON.parse(received.at(-1)?.body ?? "null") as Record<string, unknown> };
}

export const neverAborted: AbortSignal = new AbortController().signal;
