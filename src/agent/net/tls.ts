import type { X509Certificate } from "node:crypto";
import { isIP, type Socket } from "node:net";
import { connect, createSecureContext, getCACertificates, type SecureContext, type TLSSocket } from "node:tls";
import { type DialTrace, peerName, type StepContext, type TlsFacts } from "./connection.ts";
import { codeOf, ProbeError, socketFailure } from "./probe-error.ts";

export interface TlsDemand {
  readonly context: SecureContext;
  /** Relaxes trust only; what is wrong is recorded all the same. */
  readonly acceptsUntrusted: boolean;
}

/** What probes trust now; certificate authorities may change while we run. */
export type Trust = () => SecureContext;

const tlsLimitMs = 10_000;

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
export async function secure(raw: Socket, host: string, tls: TlsDemand, context: StepContext, trace: DialTrace): Promise<TLSSocket> {
  const name = host.replace(/\.$/, "");
  const socket = await handshake(raw, name, tls.context, context, trace);
  const facts = factsOf(socket, name);
  if (trace.connection !== null) trace.connection.tls = facts;
  if (facts.trustError === null || tls.acceptsUntrusted) return socket;
  socket.destroy();
  throw new ProbeError(facts.trustError, `the certificate of ${host} is not trusted${because(facts)}`);
}

function handshake(raw: Socket, host: string, secureContext: SecureContext, context: StepContext, trace: DialTrace): Promise<TLSSocket> {
  const { watch, monotonicMs } = context;
  return new Promise((resolve, reject) => {
    const socket = connect({
      socket: raw,
      secureContext,
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
      checkServerIdentity: () => undefined,
      ...(isIP(host) === 0 && { servername: host }),
    });
    // Node.js would turn the whole chain into objects to compare one name: 330 us, a third of a handshake. `factsOf` does.
    Object.assign(socket, { getPeerCertificate: () => ({}) });
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

function factsOf(socket: TLSSocket, host: string): TlsFacts {
  const certificate = socket.getPeerX509Certificate();
  const validTo = certificate?.validToDate;
  const trustError = chainError(socket) ?? identityError(certificate, host);
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
function chainError(socket: TLSSocket): string | null {
  if (socket.authorized) return null;
  const error: unknown = socket.authorizationError;
  return typeof error === "string" && error !== "" ? error : codeOf(error) || "ERR_TLS_UNTRUSTED";
}

/** Whether the certificate names the host (RFC 9525: whole wildcards only). The code is the one that Node.js gives. */
function identityError(certificate: X509Certificate | undefined, host: string): string | null {
  const named = isIP(host) === 0 ? certificate?.checkHost(host, { partialWildcards: false }) : certificate?.checkIP(host);
  return named === undefined ? "ERR_TLS_CERT_ALTNAME_INVALID" : null;
}

function because({ trustError, validTo }: TlsFacts): string {
  if (trustError === "CERT_HAS_EXPIRED") return `: it expired on ${validTo}`;
  if (trustError === "ERR_TLS_CERT_ALTNAME_INVALID") return ": it was issued for other names";
  return trustError?.includes("SELF_SIGNED") ? ": it is signed by itself or by an unknown authority" : "";
}
