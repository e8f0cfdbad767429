import type { Socket } from "node:net";
import type { SecureContext, TLSSocket } from "node:tls";
import { newDialTrace } from "../net/connection.ts";
import { type DialContext, dial } from "../net/dial.ts";
import type { EgressPolicy } from "../net/egress-policy.ts";
import { ProbeError } from "../net/probe-error.ts";
import { dialThrough, parseProxy } from "../net/proxy.ts";
import type { Resolver } from "../net/resolver.ts";
import { StepWatch } from "../net/step-watch.ts";
import { type HandshakeDemand, handshake, type Trust } from "../net/tls.ts";

/** The network as the request of a check has it: whatever runs on its behalf is given the same. */
export interface Network {
  readonly resolver: Resolver;
  readonly egress: EgressPolicy;
  /** The location's proxy; null goes direct. */
  readonly proxyUrl: string | null;
  /** Whom an https proxy may be signed by. */
  readonly trust: Trust;
  /** The trust that shows a host its client certificate; null where it has none. Absent: no host has one. */
  readonly identityFor?: (host: string) => SecureContext | null;
  /** A connection to a server of the same run; null where none listens there. Absent: it has no servers. */
  readonly own?: (host: string, port: number, signal: AbortSignal) => Promise<Socket | null>;
}

/** A connection that the policy lets through. */
export interface Opened {
  readonly socket: Socket;
  /** What was dialled; null where a location's proxy resolves the name. */
  readonly address: string | null;
  /** It leads to a server of the run itself, past policy and proxy. */
  readonly isOwn?: true;
}

/**
 * Resolves, judges each address and dials one of them, or has the location's proxy do so.
 *
 * @throws {ProbeError} EPOLICY, ENOTFOUND, ECONNREFUSED … as for checks
 * @throws the signal's reason
 */
export async function openTunnel(host: string, port: number, network: Network, signal: AbortSignal): Promise<Opened> {
  const own = await network.own?.(host, port, signal);
  if (own != null) return { socket: own, address: null, isOwn: true };
  return within(network, signal, async (context) => {
    const trace = newDialTrace();
    if (network.proxyUrl !== null) {
      const proxy = parseProxy(network.proxyUrl);
      const socket = await dialThrough(proxy, { host, port, ipFamily: "IPv4", tls: null }, network.trust(), context, trace, true);
      return { socket, address: null };
    }
    return dialEither(host, port, context);
  });
}

/** A connection for one request in plain HTTP: to the host, or to the location's proxy, which is told the whole address. @throws {ProbeError} */
export async function openPlain(host: string, port: number, network: Network, signal: AbortSignal): Promise<Opened> {
  const own = await network.own?.(host, port, signal);
  if (own != null) return { socket: own, address: null, isOwn: true };
  if (network.proxyUrl === null) return openTunnel(host, port, network, signal);
  const proxy = parseProxy(network.proxyUrl);
  return within(network, signal, async (context) => {
    const target = { host, port, ipFamily: "IPv4", tls: null } as const;
    return { socket: await dialThrough(proxy, target, network.trust(), context, newDialTrace()), address: null };
  });
}

/** TLS with the server that a connection leads to; nothing of its certificate is judged. @throws {ProbeError} EPROTO, ECONNRESET, ETIMEDOUT */
export function shakeHands(
  socket: Socket,
  host: string,
  demand: HandshakeDemand,
  network: Network,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return within(network, signal, (context) => handshake(socket, host, demand, context, newDialTrace()));
}

/** Addresses of a name, IPv4 first; `family` 0 is both. @throws {ProbeError} EPOLICY for a denied name, ENOTFOUND … */
export async function addressesOf(host: string, family: 0 | 4 | 6, { resolver, egress }: Network, signal: AbortSignal): Promise<string[]> {
  egress.checkName(host);
  if (family !== 0) return resolver.resolve(host, family, signal);
  const [four, six] = await Promise.allSettled([resolver.resolve(host, 4, signal), resolver.resolve(host, 6, signal)]);
  const found = [four, six].flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  if (found.length > 0) return [...new Set(found)];
  throw four.status === "rejected" ? four.reason : new ProbeError("ENOTFOUND", `there is no host ${host}`);
}

async function within<T>(network: Network, signal: AbortSignal, work: (context: DialContext) => Promise<T>): Promise<T> {
  const watch = new StepWatch(signal);
  try {
    return await work({ resolver: network.resolver, egress: network.egress, monotonicMs: () => performance.now(), watch });
  } finally {
    watch.close();
  }
}

/** Who asks by name does not say which family: the other one is tried where the first leads nowhere, but not where it is denied. */
async function dialEither(host: string, port: number, context: DialContext): Promise<Opened> {
  try {
    return await dialOne(host, port, "IPv4", context);
  } catch (error) {
    context.watch.signal.throwIfAborted();
    if (host.includes(":") || (error instanceof ProbeError && error.code === "EPOLICY")) throw error;
    return dialOne(host, port, "IPv6", context).catch((other: unknown) => {
      throw other instanceof ProbeError && other.code === "EPOLICY" ? other : error;
    });
  }
}

async function dialOne(host: string, port: number, ipFamily: "IPv4" | "IPv6", context: DialContext): Promise<Opened> {
  const trace = newDialTrace();
  const socket = await dial({ host, port, ipFamily, tls: null }, context, trace);
  return { socket, address: trace.connection?.remoteAddress ?? null };
}
