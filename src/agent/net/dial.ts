import { connect, isIP, type Socket } from "node:net";
import { type DialTrace, type IpFamily, peerName, type StepContext } from "./connection.ts";
import type { EgressPolicy } from "./egress-policy.ts";
import type { Inbox } from "./inbox.ts";
import { hasIPv6Form } from "./ip-address.ts";
import { familiesToTry, hostHasFamily, isWithoutFamily } from "./ip-families.ts";
import { socketFailure } from "./probe-error.ts";
import type { Resolver } from "./resolver.ts";
import type { StepWatch } from "./step-watch.ts";
import { secure, type TlsDemand } from "./tls.ts";

export interface DialTarget {
  /** A name or a literal address, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly ipFamily: IpFamily;
  /** Null speaks plain TCP. */
  readonly tls: TlsDemand | null;
  /** Where the bytes of a plain connection go; without it they are the socket's "data". */
  readonly inbox?: Inbox | undefined;
}

export interface DialContext extends StepContext {
  readonly resolver: Resolver;
  readonly egress: EgressPolicy;
}

/** For all addresses together (ms). */
export const connectLimitMs = 10_000;
/** What one address may use while others follow: a slow one must not be given up early, a dead one not eat the limit. */
const addressLimitMs = 3_000;
/** Whoever owns a name could have us knock at thousands of doors: an answer of 64 KB holds 4,000 addresses. */
const maxAddresses = 20;

/**
 * Resolves, asks the egress policy, connects, and secures the connection where asked. Nothing is sent to a peer whose
 * certificate is not trusted. On failure the socket is gone and `trace` says how far it came.
 *
 * @throws {ProbeError}
 * @throws the signal's reason
 */
export async function dial(target: DialTarget, context: DialContext, trace: DialTrace): Promise<Socket> {
  trace.socketMs = context.monotonicMs();
  const socket = await dialTcp(target, context, trace);
  if (target.tls === null) return socket;
  return secure(socket, target.host, target.tls, context, trace);
}

async function dialTcp(target: DialTarget, context: DialContext, trace: DialTrace): Promise<Socket> {
  if (isIP(target.host) === 0) context.egress.checkName(target.host); // also where the name would not resolve
  const [family = 4, next] = familiesToTry(target.host, target.ipFamily);
  try {
    return await dialFamily(target, family, context, trace);
  } catch (error) {
    if (next === undefined || !isWithoutFamily(error)) throw error;
    return dialFamily(target, next, context, trace);
  }
}

async function dialFamily(target: DialTarget, family: 4 | 6, context: DialContext, trace: DialTrace): Promise<Socket> {
  const { host, port } = target;
  const inbox = target.tls === null ? target.inbox : undefined;
  const addresses = await context.resolver.resolve(host, family, context.watch.signal);
  trace.lookupMs = context.monotonicMs();
  // All of them before the first packet, so that the order of the records does not decide.
  for (const address of addresses) context.egress.check(address, port, host);
  const endsAtMs = trace.lookupMs + connectLimitMs;
  const tried = addresses.slice(0, maxAddresses);
  let lastFailure: unknown;
  for (const [index, address] of tried.entries()) {
    const restMs = Math.max(1, endsAtMs - context.monotonicMs());
    const limitMs = index < tried.length - 1 ? Math.min(restMs, addressLimitMs) : restMs;
    trace.connection = { remoteAddress: address, remotePort: port, ipFamily: hasIPv6Form(address) ? "IPv6" : "IPv4", tls: null };
    try {
      const socket = await connectTo(address, port, inbox, Math.ceil(limitMs), context.watch);
      trace.connectMs = context.monotonicMs();
      return socket;
    } catch (error) {
      context.watch.signal.throwIfAborted();
      lastFailure = error;
      if (context.monotonicMs() >= endsAtMs) break;
    }
  }
  throw lastFailure;
}

function connectTo(address: string, port: number, inbox: Inbox | undefined, limitMs: number, watch: StepWatch): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, autoSelectFamily: false, noDelay: true, ...(inbox && { onread: inbox.onread }) });
    let open = true;
    const end = (settle: () => void): void => {
      if (!open) return;
      open = false;
      watch.leave();
      settle();
    };
    const fail = (reason: unknown): void =>
      end(() => {
        socket.destroy();
        reject(reason);
      });
    // Stays on for the socket's life: an error after the last step has nobody else to hear it.
    socket.on("error", (cause) => fail(connectFailure(cause, address, port)));
    socket.once("connect", () => end(() => resolve(socket)));
    watch.enter(`TCP connect to ${peerName(address, port)}`, limitMs, fail);
  });
}

function connectFailure(cause: Error, address: string, port: number): Error {
  const failure = socketFailure(cause, peerName(address, port), "TCP connect");
  if (failure.code !== "ENETUNREACH" || hostHasFamily(hasIPv6Form(address) ? "IPv6" : "IPv4")) return failure;
  return Object.assign(failure, { side: "agent" });
}
