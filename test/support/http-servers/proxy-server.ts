import { createServer, request as httpRequest } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect } from "node:net";
import { type RawServer, serve } from "./raw-server.ts";

export interface ProxyServer extends RawServer {
  /** What was asked of it: `CONNECT host:port` or `GET http://…`. */
  readonly asked: string[];
}

export interface ProxyOptions {
  /** The Proxy-Authorization it wants. */
  readonly credentials?: string;
  /** Status of every CONNECT, instead of a tunnel. */
  readonly connectStatus?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Address to listen on. */
  readonly host?: string;
}

/** A forward proxy for plain requests (absolute form) and CONNECT tunnels, on loopback. */
export async function proxyServer(options: ProxyOptions = {}): Promise<ProxyServer> {
  const asked: string[] = [];
  const server = options.tls === undefined ? createServer() : createSecureServer(options.tls);
  const refuses = (authorization: string | undefined): boolean =>
    options.credentials !== undefined && authorization !== options.credentials;
  server.on("request", (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (refuses(request.headers["proxy-authorization"])) return void response.writeHead(407).end();
    const upstream = httpRequest(request.url ?? "", { method: request.method ?? "GET", headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on("error", () => response.writeHead(502).end());
    request.pipe(upstream);
  });
  server.on("connect", (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.on("error", () => undefined);
    const status = refuses(request.headers["proxy-authorization"]) ? 407 : options.connectStatus;
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const target = new URL(`http://${request.url}`);
    const upstream = connect(Number(target.port), target.hostname.replace(/^\[|\]$/g, ""), () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("close", () => upstream.destroy());
  });
  return { ...(await serve(server, "listening", () => undefined, options.host)), asked };
}
