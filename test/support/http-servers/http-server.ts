import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type RawServer, serve } from "./raw-server.ts";

export interface HttpServer extends RawServer {
  readonly url: string;
}

/** A node:http server on a free loopback port. */
export async function httpServer(handle: RequestListener, host = "127.0.0.1"): Promise<HttpServer> {
  const served = await serve(createServer(handle), "listening", () => undefined, host);
  return { ...served, url: `http://${host.includes(":") ? `[${host}]` : host}:${served.port}` };
}

export interface EchoedRequest {
  readonly method: string;
  readonly url: string;
  /** Names and values alternate, as received. */
  readonly rawHeaders: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers with the request that came, as JSON. */
export function echo(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url, rawHeaders, headers } = request;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ method, url, rawHeaders, headers, body: Buffer.concat(chunks).toString() }));
  });
}
