import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import { type AddressInfo, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { WebSocketServer } from "ws";
import type { JobCertificate } from "../../../src/contract/agent-protocol.ts";
import { Authority, type CertificateWish } from "../../agent/runners/ssl/authority.ts";

/** Speaks HTTP/2, HTTP/1.1 and WebSocket, with nobody who shows no certificate of its clients' authority, and says who came. */
export class StrictServer implements AsyncDisposable {
  readonly url: string;
  readonly #server: Http2SecureServer;
  readonly #sockets: Socket[] = [];

  private constructor(server: Http2SecureServer, host: string) {
    this.#server = server;
    server.on("connection", (socket: Socket) => this.#sockets.push(socket));
    this.url = `https://${host}:${(server.address() as AddressInfo).port}`;
  }

  static async start(authority: Authority, host: string, clients: string, wish: CertificateWish = {}): Promise<StrictServer> {
    const name = `server-${host}-${clients}`;
    authority.issue(name, { names: `${isIP(host) === 0 ? "DNS" : "IP"}:${host}`, ...wish });
    const keys = { key: authority.read(`${name}.key`), cert: authority.read(`${name}.pem`), ca: authority.read(`${clients}.pem`) };
    const server = createSecureServer({ ...keys, allowHTTP1: true, requestCert: true, rejectUnauthorized: true }, (request, response) =>
      answer(request as unknown as IncomingMessage, response as unknown as ServerResponse),
    ); // what both protocols have
    const sockets = new WebSocketServer({ noServer: true });
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      sockets.handleUpgrade(request, socket, head, (one) => one.send(whoIs(request))),
    );
    await once(server.listen(0, isIP(host) === 0 ? "127.0.0.1" : host), "listening");
    return new StrictServer(server, host);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

function whoIs({ socket, httpVersion }: IncomingMessage): string {
  return `${(socket as TLSSocket).getPeerX509Certificate()?.subject} by HTTP/${httpVersion}`;
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "", "https://any");
  const to = url.searchParams.get("to");
  const open = { "access-control-allow-origin": "*" };
  if (to !== null) return void response.writeHead(302, { location: to, ...open }).end();
  if (url.pathname === "/script.js")
    return void response.writeHead(200, { "content-type": "text/javascript" }).end(`window.who = ${JSON.stringify(whoIs(request))};`);
  if (url.pathname === "/worker.js")
    return void response
      .writeHead(200, { "content-type": "text/javascript" })
      .end(`onmessage = (one) => fetch(one.data).then((said) => said.text()).then((text) => one.source.postMessage(text));`);
  response.writeHead(200, { "content-type": "text/html", ...open }).end(whoIs(request));
}

/** Two people with a certificate of an authority of their own each; the servers' is `root`. */
export function peoplesAuthority(): Authority {
  const authority = new Authority();
  for (const name of ["alice", "bob"])
    authority.issue(`${name}s`, { isCa: true, names: null, signer: `${name}s` }).issue(name, { signer: `${name}s`, names: null });
  return authority;
}

/** What a job has of such a certificate. */
export function certificateOf(authority: Authority, name: string, host: string): JobCertificate {
  return { host, cert: authority.read(`${name}.pem`), key: authority.read(`${name}.key`), ca: null, passphrase: null };
}
