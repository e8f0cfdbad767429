import { isIP, type Socket } from "node:net";
import { connect, createSecureContext, getCACertificates, type SecureContext, type TLSSocket } from "node:tls";
import { peerName, type DialTrace, type StepContext, type TlsFacts } from "./connection.ts";
import { codeOf, ProbeError, socketFailure } from "./probe-error.ts";

export interface TlsDemand {
  readonly context: SecureContext;
  /** Relaxes trust only; what is wrong is recorded all the same. */
  readonly acceptsUntrusted: boolean;
}

export const tlsLimitMs = 10_000;

/**
 * What all probes trust: Node.js' certificate authorities and `extraCas` (PEM). Made once, since building it costs
 * more than a handshake.
 */
export function createTrust(extraCas: readonly string[]): SecureContext {
  return createSecureContext(extraCas.length === 0 ? {} : { ca: [...getCACertificates("default"), ...extraCas] });
}

/**
 * TLS over a connected socket. The handshake itself accepts every certificate, so that its expiry is known on
 * failures too; we judge it before anything is sent.
 *
 * @throws {ProbeError} the trust error's code, ECONNRESET, ETIMEDOUT, or EPROTO when the peer does not speak TLS
 */
export async function secure(
  raw: Socket, host: string, tls: TlsDemand, context: StepContext, trace: DialTrace,
): Promise<TLSSocket> {
  const socket = await handshake(raw, host, tls.context, context, trace);
  const facts = factsOf(socket);
  if (trace.connection !== null) trace.connection.tls = facts;
  if (facts.trustError === null || tls.acceptsUntrusted) return socket;
  socket.destroy();
  throw new ProbeError(facts.trustError, `the certificate of ${host} is not trusted${because(facts)}`);
}

function handshake(raw: Socket, host: string, secureContext: SecureContext, context: StepContext, trace: DialTrace): Promise<TLSSocket> {
  const { watch, monotonicMs } = context;
  return new Promise((resolve, reject) => {
    const socket = connect({
      socket: raw, host, secureContext, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"],
      ...(isIP(host) === 0 && { servername: host.replace(/\.$/, "") }),
    });
    const fail = (reason: unknown): void => {
      watch.leave();
      socket.destroy();
      raw.destroy();
      reject(reason);
    };
    socket.on("error", (cause) => {
      if (trace.secureConnectMs === null) fail(socketFailure(cause, handshakePeer(host, trace), "TLS handshake"));
    });
    socket.once("secureConnect", () => {
      trace.secureConnectMs = monotonicMs();
      watch.leave();
      resolve(socket);
    });
    watch.enter(`TLS handshake with ${handshakePeer(host, trace)}`, tlsLimitMs, fail);
  });
}

function handshakePeer(host: string, { connection }: DialTrace): string {
  return connection === null ? host : peerName(connection.remoteAddress, connection.remotePort);
}

function factsOf(socket: TLSSocket): TlsFacts {
  const trustError = trustErrorOf(socket);
  const validTo = socket.getPeerX509Certificate()?.validToDate;
  return {
    protocol: socket.getProtocol() ?? "",
    cipher: socket.getCipher().standardName,
    authorized: trustError === null,
    trustError,
    validTo: validTo?.toISOString() ?? null,
    // The one use of the wall clock: a certificate's dates are compared with it by the handshake as well.
    daysRemaining: validTo === undefined ? null : Math.floor((validTo.getTime() - Date.now()) / 86_400_000),
  };
}

/** Node.js hands out the code as a string, though its types say Error. */
function trustErrorOf(socket: TLSSocket): string | null {
  if (socket.authorized) return null;
  const error: unknown = socket.authorizationError;
  return typeof error === "string" && error !== "" ? error : codeOf(error) || "ERR_TLS_UNTRUSTED";
}

function because({ trustError, validTo }: TlsFacts): string {
  if (trustError === "CERT_HAS_EXPIRED") return `: it expired on ${validTo}`;
  if (trustError === "ERR_TLS_CERT_ALTNAME_INVALID") return ": it was issued for other names";
  return trustError?.includes("SELF_SIGNED") ? ": it is signed by itself or by an unknown authority" : "";
}
