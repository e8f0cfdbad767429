import type { Socket } from "node:net";
import { type DialTrace, newDialTrace, peerName } from "../connection.ts";
import { dial } from "../dial.ts";
import { Inbox } from "../inbox.ts";
import { hasIPv6Form } from "../ip-address.ts";
import { ProbeError } from "../probe-error.ts";
import { StepWatch } from "../step-watch.ts";
import { exchangeHttps } from "./https-exchange.ts";
import type { Query } from "./message.ts";
import type { EncryptedServer, NameServer } from "./name-server.ts";
import { exchangeStream } from "./stream-exchange.ts";
import type { AskContext, Received } from "./udp-exchange.ts";

/** What was received over a connection, and how long it took to make one. */
export interface ReceivedOverConnection extends Received {
  readonly startedMs: number;
  readonly connectionMs: number;
}

/**
 * One question over a fresh connection: TCP, TLS (RFC 7858) or HTTPS (RFC 8484). The caller has asked the egress policy
 * about the server's address.
 *
 * @throws {ProbeError} what a dial, a trust or an exchange can come to; ETIMEDOUT after `limitMs`
 * @throws the signal's reason
 */
export async function exchangeOverConnection(
  server: NameServer,
  query: Query,
  limitMs: number,
  context: AskContext,
): Promise<ReceivedOverConnection> {
  const { signal, monotonicMs } = context;
  signal.throwIfAborted();
  const peer = peerName(server.address, server.port);
  const trace = newDialTrace();
  const startedMs = monotonicMs();
  const limit = new AbortController();
  const onAbort = (): void => limit.abort(signal.reason);
  const onLate = (): void =>
    limit.abort(
      new ProbeError("ETIMEDOUT", `${peer} did not answer over ${server.transport} within ${limitMs} ms (${stepOf(trace, server)})`),
    );
  signal.addEventListener("abort", onAbort);
  const timer = setTimeout(onLate, Math.max(1, limitMs));
  const watch = new StepWatch(limit.signal);
  try {
    const inbox = new Inbox();
    const socket = await connected(server, inbox, watch, monotonicMs, trace);
    const connectionMs = monotonicMs() - startedMs;
    const stream = { monotonicMs, watch, peer, limitMs };
    const received =
      server.transport === "DOH"
        ? await exchangeHttps(socket, inbox, server, query, stream)
        : await exchangeStream(socket, inbox, query, stream);
    return { ...received, startedMs, connectionMs };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    watch.close();
  }
}

async function connected(server: NameServer, inbox: Inbox, watch: StepWatch, monotonicMs: () => number, trace: DialTrace): Promise<Socket> {
  const { address, port } = server;
  const isEncrypted = server.transport === "DOT" || server.transport === "DOH";
  const target = {
    inbox,
    port,
    host: isEncrypted ? server.host : address,
    ipFamily: hasIPv6Form(address) ? ("IPv6" as const) : ("IPv4" as const),
    tls: isEncrypted ? { ...server.tls, alpn: protocolsOf(server) } : null,
  };
  // The address is known and allowed already.
  const resolver = { resolve: () => Promise.resolve([address]) };
  const egress = { check: () => undefined, checkName: () => undefined };
  return dial(target, { resolver, egress, watch, monotonicMs }, trace);
}

/** Servers of DNS over HTTPS often speak HTTP/2 only (RFC 8484 §5.2). */
function protocolsOf(server: EncryptedServer): readonly string[] {
  return server.transport === "DOT" ? ["dot"] : ["h2", "http/1.1"];
}

function stepOf(trace: DialTrace, { transport }: NameServer): string {
  if (trace.connectMs === null) return "TCP connect";
  return transport === "TCP" || trace.secureConnectMs !== null ? "the question was sent" : "TLS handshake";
}
