import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { basicCredentials } from "#daemon/basic-credentials.ts";
import { nodeHttp } from "#daemon/node-http.ts";
import { peerName } from "../net/connection.ts";
import { createMirrorAuthority, type MirrorAuthority } from "../net/mirror-authority.ts";
import { socketFailure } from "../net/probe-error.ts";
import { Allowance } from "./allowance.ts";
import { forward } from "./forward.ts";
import { lookUp } from "./look-up.ts";
import { type Network, openTunnel } from "./network.ts";
import { OwnPorts } from "./own-ports.ts";
import { userOfPeer } from "./peer-user.ts";
import { presentCertificate, type TunnelEnds } from "./present-certificate.ts";
import { queuedBytes } from "./queued-bytes.ts";
import { type Refusal, Refused, refusalOf } from "./refusal.ts";

/** What a script may have open at the same time; each connection can hold some MB in the kernel. */
const connectionsOfScripts = 32;
/** What was refused is kept up to here. */
const mostRefusals = 50;
const headLimitMs = 5_000;
/** A client reads so many bytes and knows the head of a tunnel: what follows is the target's. */
const tunnelHeadBytes = 128;
const user = "run";

export interface ProxyOptions {
  readonly mostConnections?: number;
  /** Connections of this user's processes need no password: for browsers, which would ask for every request whether there is one. */
  readonly trustedUser?: number | null;
  /** Programs of the run may listen on ports of its own (`own-ports.ts`). */
  readonly hasOwnPorts?: boolean;
}

/** What the policy did not let through. */
export interface EgressRefusal {
  readonly host: string;
  readonly code: string;
  readonly message: string;
}

/** Of a host that has a client certificate. */
export interface TlsProblem {
  readonly host: string;
  /** What is wrong with the host's own certificate, as OpenSSL's code, or how its handshake ended, as a sentence. */
  readonly about: "certificate" | "handshake";
  readonly message: string;
}

type WithIdentities = Network & Required<Pick<Network, "identityFor">>;

/**
 * The one way out for code that we did not write: an HTTP proxy on loopback, with a port and a password of its own for each process or
 * tree of processes (docs/adr/0024-script-egress.md). It takes CONNECT and requests with a whole address; names are resolved and every
 * address is judged here, when it is dialled. It also answers `/lookup` and `/records`, as its clients cannot ask name servers.
 */
export class EgressProxy {
  readonly port: number;
  /** Value of Proxy-Authorization. */
  readonly authorization: string;
  /** Resolves when nobody listens any more, closed or not. */
  readonly ended: Promise<unknown>;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #closing = new AbortController();
  readonly #allowance = new Allowance();
  readonly #trustedUser: number | null;
  readonly #refusals = new Map<string, EgressRefusal>();
  readonly #tlsProblems = new Map<string, TlsProblem>();
  readonly #ownPorts: OwnPorts | null;
  #authority: MirrorAuthority | undefined;
  #network: Network | null = null;

  /** Of all that are open in this process: no check and no other script has business there. */
  static readonly #openPorts = new Set<number>();

  static readonly isOpenAt = (port: number): boolean => EgressProxy.#openPorts.has(port);

  private constructor(server: Server, trustedUser: number | null, ownPorts: OwnPorts | null) {
    this.#server = server;
    this.#trustedUser = trustedUser;
    this.#ownPorts = ownPorts;
    this.port = (server.address() as AddressInfo).port;
    EgressProxy.#openPorts.add(this.port);
    this.ended = once(server, "close").then(() => EgressProxy.#openPorts.delete(this.port));
    this.authorization = basicCredentials(user, randomBytes(24).toString("base64url"));
    server.on("connection", (socket: Socket) => this.#keep(socket));
    server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) => void this.#tunnel(request, client as Socket, head));
    server.on("request", (request, response) => void this.#answer(request, response));
    server.on("clientError", (_error, socket) => socket.destroy());
  }

  /** @throws {Error} when there is no free port */
  static async open({
    mostConnections = connectionsOfScripts,
    trustedUser = null,
    hasOwnPorts = false,
  }: ProxyOptions = {}): Promise<EgressProxy> {
    const server = nodeHttp.createServer({ headersTimeout: headLimitMs, connectionsCheckingInterval: 1_000, keepAliveTimeout: 1_000 });
    server.maxConnections = mostConnections;
    server.listen(await portOfNobody(), "127.0.0.1");
    await once(server, "listening");
    server.unref(); // it never keeps the agent alive
    return new EgressProxy(server, trustedUser, hasOwnPorts ? new OwnPorts() : null);
  }

  /** What the kernel holds for the connections of its clients, on both sides. */
  queuedBytes(): number {
    return this.#sockets.size === 0 ? 0 : queuedBytes(this.port);
  }

  /** Of each host the first. */
  get refusals(): readonly EgressRefusal[] {
    return [...this.#refusals.values()];
  }

  /** What went wrong with hosts that have a client certificate, of each the first. */
  get tlsProblems(): readonly TlsProblem[] {
    return [...this.#tlsProblems.values()];
  }

  /** Who stands for such hosts; clients of this proxy have to know it. */
  get authority(): MirrorAuthority {
    return (this.#authority ??= createMirrorAuthority());
  }

  /** Until then everything is refused. */
  serve(network: Network): void {
    this.#network = network;
  }

  /** Ends what is open. */
  close(): void {
    this.#closing.abort(new Error("the run is over"));
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {}).once("close", () => this.#sockets.delete(socket));
  }

  async #tunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const ended = new AbortController();
    const onClose = (): void => ended.abort(new Error("the client is gone"));
    client.once("close", onClose);
    try {
      const network = this.#networkFor(request);
      const { host, port } = authorityOf(request.url ?? "");
      if (this.#serves(request, port, client)) return;
      const signal = AbortSignal.any([this.#closing.signal, ended.signal]);
      const { socket, address, isOwn = false } = await openTunnel(host, port, network, signal);
      client.write(tunnelHead(address === null ? "" : peerName(address, port)), "latin1");
      if (head.length > 0) client.unshift(head);
      const ends = { client, target: socket };
      if (isOwn || network.identityFor === undefined) join(ends, this.#allowance);
      else await this.#present(ends, { ...network, identityFor: network.identityFor }, host, request, signal);
    } catch (error) {
      const { status, phrase, code, body } = this.#refused(error, request.url ?? "");
      if (client.destroyed) return;
      const fields = `content-type: application/json\r\ncontent-length: ${body.length}\r\nx-outpost-error: ${code}\r\nconnection: close`;
      client.end(Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${phrase}\r\n${fields}\r\n\r\n`, "latin1"), body]));
    } finally {
      client.off("close", onClose);
    }
  }

  /** A tunnel whose host may have a client certificate. Its client was told that there is a tunnel: what fails now ends it. */
  async #present(ends: TunnelEnds, network: WithIdentities, host: string, request: IncomingMessage, signal: AbortSignal): Promise<void> {
    const onProblem = (name: string, code: string): void => this.#note(name, "certificate", code);
    const isScript = this.#hasPassword(request);
    const { identityFor } = network;
    try {
      const presented = await presentCertificate(
        ends,
        { host, identityFor, authority: this.authority, isScript, onProblem },
        network,
        signal,
      );
      if (presented !== ends)
        presented.target.once("error", (cause) => this.#note(host, "handshake", socketFailure(cause, host, "TLS").message));
      join(presented, this.#allowance);
    } catch (error) {
      this.#note(host, "handshake", error instanceof Error ? error.message : "the handshake failed");
      ends.target.destroy();
      ends.client.destroy();
    }
  }

  #note(host: string, about: TlsProblem["about"], message: string): void {
    if (!this.#tlsProblems.has(host) && this.#tlsProblems.size < mostRefusals && !this.#closing.signal.aborted)
      this.#tlsProblems.set(host, { host, about, message });
  }

  /** Whether a program of the run wants to listen, or comes for a connection. @throws {Refused} */
  #serves({ headers }: IncomingMessage, port: number, client: Socket): boolean {
    const wish = headers["x-outpost-own"];
    if (wish === undefined) return false;
    const ports = this.#ownPorts;
    if (ports === null || typeof wish !== "string") throw new Refused(403, "EACCES", "nothing may listen here");
    if (wish === "listen") client.write(tunnelHead(peerName("127.0.0.1", ports.listen(port === anyPort ? 0 : port, client))), "latin1");
    else {
      ports.take(wish, client);
      client.write(tunnelHead(""), "latin1");
    }
    return true;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const network = this.#networkFor(request);
      const { signal } = this.#closing;
      if (request.url?.startsWith("/")) {
        const found = await lookUp(request.url, network, signal);
        answerJson(response, 200, Buffer.from(JSON.stringify(found)));
      } else await forward(request, response, network, this.#allowance, signal);
    } catch (error) {
      const { status, code, body } = this.#refused(error, request.url ?? "");
      if (response.headersSent) response.destroy();
      else answerJson(response, status, body, code);
    }
  }

  #refused(error: unknown, target: string): Refusal {
    const refusal = refusalOf(error);
    const host = URL.parse(target.includes("://") ? target : `tcp://${target}`)?.hostname ?? "";
    if (refusal.code === "EPOLICY" && !this.#refusals.has(host) && this.#refusals.size < mostRefusals)
      this.#refusals.set(host, { host, code: refusal.code, message: refusal.message });
    return refusal;
  }

  #hasPassword({ headers }: Pick<IncomingMessage, "headers">): boolean {
    const given = Buffer.from(headers["proxy-authorization"] ?? "");
    const wanted = Buffer.from(this.authorization);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }

  /** @throws {Refused} 407 without the run's password, 403 before the run */
  #networkFor({ headers, socket }: IncomingMessage): Network {
    if (!this.#hasPassword({ headers }) && (this.#trustedUser === null || userOfPeer(socket) !== this.#trustedUser))
      throw new Refused(407, "EACCES", "this proxy is for another run");
    if (this.#network === null) throw new Refused(403, "EPOLICY", "nothing runs yet");
    const ports = this.#ownPorts;
    return ports === null ? this.#network : { ...this.#network, own: (host, port, signal) => ports.open(host, port, signal) };
  }
}

/** In the place of 0, which is no port of a target. */
const anyPort = 1;

function answerJson(response: ServerResponse, status: number, body: Buffer, code?: string): void {
  const error = code === undefined ? {} : { "x-outpost-error": code };
  response
    .writeHead(status, { "content-type": "application/json", "content-length": body.length, ...error, connection: "close" })
    .end(body);
}

/**
 * The kernel holds clients to a port, not to an address: so it is one that no other program of this host listens on, at any of its
 * addresses. From the range for short-lived ports, where services of other hosts are not.
 */
async function portOfNobody(): Promise<number> {
  const probe = createServer();
  const listening = once(probe, "listening");
  probe.listen({ port: 0, host: "::", ipv6Only: false });
  await listening.catch(() => once(probe.listen({ port: 0, host: "0.0.0.0" }), "listening"));
  const { port } = probe.address() as AddressInfo;
  const closed = once(probe, "close");
  probe.close();
  await closed;
  return port;
}

/** `host:port`, an IPv6 address in brackets. @throws {Refused} */
function authorityOf(text: string): { readonly host: string; readonly port: number } {
  const [, six, name, digits] = /^(?:\[([\da-fA-F:.%\w]+)\]|([^:\s[\]]{1,255})):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? name;
  const port = Number(digits);
  if (host === undefined || port < 1 || port > 65_535) throw new Refused(400, "EINVAL", "the target of CONNECT must be host:port");
  return { host, port };
}

function tunnelHead(peer: string): string {
  const [start, end] = ["HTTP/1.1 200 Connection established\r\nx-outpost-peer: ", "\r\n\r\n"];
  return start + peer.padEnd(tunnelHeadBytes - start.length - end.length) + end;
}

/** Bytes of each are the other's; a reset is passed on as one. */
function join({ client, target }: TunnelEnds, allowance: Allowance): void {
  for (const [one, other] of [
    [client, target],
    [target, client],
  ] as const) {
    one.on("error", () => (other instanceof TLSSocket ? other.destroy() : other.resetAndDestroy()));
    one.once("close", () => other.destroySoon());
    one.pipe(allowance.meter()).pipe(other);
  }
  if (client.destroyed) target.destroy();
}
