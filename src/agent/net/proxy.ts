import { isIP, type Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { credentialsOf } from "#daemon/basic-credentials.ts";
import { type DialTrace, newDialTrace, peerName, type StepContext } from "./connection.ts";
import { connectLimitMs, type DialContext, type DialTarget, dial } from "./dial.ts";
import { requestHead } from "./http-request.ts";
import { ResponseReader } from "./http-response.ts";
import type { Inbox } from "./inbox.ts";
import { withoutBrackets } from "./ip-address.ts";
import { codeOf, ProbeError } from "./probe-error.ts";
import { secure } from "./tls.ts";

/** A location's proxy, read from its URL. */
export interface Proxy {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** Value of Proxy-Authorization, or null. */
  readonly authorization: string | null;
}

/** @throws {ProbeError} EPROXY (side agent) when the URL is no http(s) address; the message does not repeat it */
export function parseProxy(proxyUrl: string): Proxy {
  const url = URL.parse(proxyUrl);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw proxyFailure("the address of the location's proxy is no http or https URL");
  const isSecure = url.protocol === "https:";
  return {
    host: withoutBrackets(url.hostname),
    port: Number(url.port) || (isSecure ? 443 : 80),
    secure: isSecure,
    authorization: credentialsOf(url),
  };
}

/**
 * Dials `target` through `proxy`: by a CONNECT tunnel, else the bare connection to the proxy. The target's name is the
 * proxy's to resolve, so of the target the policy sees the name or the literal only. The proxy's own connect, TLS and
 * CONNECT count as the TCP phase: they are the way to the target.
 *
 * @param hasTunnel false only where plain HTTP is spoken, which the proxy forwards
 * @throws {ProbeError} EPROXY; side agent, but for a CONNECT that the proxy answers with 502, 503 or 504
 */
export async function dialThrough(
  proxy: Proxy,
  target: DialTarget,
  trust: SecureContext,
  context: DialContext,
  trace: DialTrace,
  hasTunnel = target.tls !== null,
): Promise<Socket> {
  trace.socketMs = context.monotonicMs();
  if (isIP(target.host) === 0) context.egress.checkName(target.host);
  else context.egress.check(target.host, target.port, target.host);
  const toProxy = newDialTrace();
  try {
    const socket = await dialProxy(proxy, hasTunnel ? undefined : target.inbox, trust, context, toProxy);
    if (hasTunnel) await openTunnel(socket, proxy, peerName(target.host, target.port), context);
    continueTrace(trace, toProxy);
    trace.connectMs = context.monotonicMs();
    return target.tls === null ? socket : await secure(socket, target.host, target.tls, context, trace);
  } catch (error) {
    context.watch.signal.throwIfAborted();
    throw trace.connectMs === null ? asProxyFailure(error, proxy) : error;
  } finally {
    if (trace.connectMs === null) continueTrace(trace, toProxy);
  }
}

/** A name that has no IPv4 address is looked for in IPv6: the family of a check is its target's, not the proxy's. */
async function dialProxy(
  proxy: Proxy,
  inbox: Inbox | undefined,
  trust: SecureContext,
  context: DialContext,
  trace: DialTrace,
): Promise<Socket> {
  const { host, port } = proxy;
  const tls = proxy.secure ? { context: trust, acceptsUntrusted: false } : null;
  try {
    return await dial({ host, port, ipFamily: "IPv4", tls, inbox }, context, trace);
  } catch (error) {
    if (codeOf(error) !== "ENOTFOUND") throw error;
    return dial({ host, port, ipFamily: "IPv6", tls, inbox }, context, trace);
  }
}

function continueTrace(trace: DialTrace, { lookupMs, connection }: DialTrace): void {
  trace.lookupMs = lookupMs;
  if (connection !== null) trace.connection = { ...connection, tls: null };
}

function openTunnel(socket: Socket, proxy: Proxy, authority: string, { watch }: StepContext): Promise<void> {
  return new Promise((resolve, reject) => {
    let open = true;
    const end = (settle: () => void): void => {
      if (!open) return;
      open = false;
      watch.leave();
      socket.off("data", onBytes).off("end", onClose).off("close", onClose).off("error", fail);
      settle();
    };
    const fail = (reason: unknown): void =>
      end(() => {
        socket.destroy();
        reject(reason);
      });
    const onClose = (): void => fail(brokenOff());
    let seen = Buffer.alloc(0);
    const reader = new ResponseReader(peerName(proxy.host, proxy.port), {
      onHead({ status }) {
        if (status >= 200 && status < 300) end(() => giveBack(socket, seen.subarray(seen.indexOf("\r\n\r\n") + 4), resolve));
        else fail(refusal(status, authority));
        return "no";
      },
      onBody: () => undefined,
      onEnd: () => undefined,
    });
    const onBytes = (bytes: Buffer): void => {
      seen = Buffer.concat([seen, bytes]);
      try {
        reader.push(bytes);
      } catch (error) {
        fail(error);
      }
    };
    watch.enter("CONNECT", connectLimitMs, fail);
    socket.on("data", onBytes).on("end", onClose).on("close", onClose).on("error", fail);
    const headers = ["Host", authority, ...(proxy.authorization === null ? [] : ["Proxy-Authorization", proxy.authorization])];
    socket.write(requestHead({ method: "CONNECT", path: authority, headers, body: null }), "latin1");
  });
}

/** What the target said behind the proxy's answer, for whoever reads next. */
function giveBack(socket: Socket, rest: Buffer, then: () => void): void {
  if (rest.length > 0) {
    socket.pause();
    socket.unshift(rest);
  }
  then();
}

function refusal(status: number, authority: string): ProbeError {
  const isTargets = status === 502 || status === 503 || status === 504;
  const why = status === 407 ? "wants other credentials (407)" : `answered ${status} to CONNECT ${authority}`;
  return new ProbeError("EPROXY", `the location's proxy ${why}`, { side: isTargets ? "target" : "agent" });
}

/** 407 to a plain request is the proxy's word, never the target's. */
export function proxyAuthFailure(): ProbeError {
  return refusal(407, "");
}

function asProxyFailure(error: unknown, proxy: Proxy): unknown {
  if (error instanceof ProbeError) {
    if (error.code === "EPROXY" || error.code === "EPOLICY") return error;
    return proxyFailure(`the location's proxy ${peerName(proxy.host, proxy.port)} cannot be used (${error.code}: ${error.message})`, error);
  }
  if (error instanceof Error && "code" in error) return brokenOff(error);
  return error;
}

function brokenOff(cause?: unknown): ProbeError {
  return proxyFailure("the location's proxy broke off the CONNECT", cause);
}

function proxyFailure(message: string, cause?: unknown): ProbeError {
  return new ProbeError("EPROXY", message, { side: "agent", cause });
}
