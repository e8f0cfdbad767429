import { X509Certificate } from "node:crypto";
import { isIP, type Socket } from "node:net";
import { connect, createSecureContext, getCACertificates, type SecureContext, type TLSSocket } from "node:tls";
import type { TlsFacts } from "#contract/checks/connection.ts";
import { validToMs } from "./certificate-dates.ts";
import { type DialTrace, peerName, type StepContext } from "./connection.ts";
import { withoutZone } from "./ip-address.ts";
import { codeOf, ProbeError, socketFailure } from "./probe-error.ts";

/** What a handshake needs to know. */
export interface HandshakeDemand {
  readonly context: SecureContext;
  /** Protocols to offer (ALPN); HTTP/1.1 without it. */
  readonly alpn?: readonly string[];
  /** 10 s without it (ms). */
  readonly limitMs?: number;
  /** For those that look closer: gets the socket before the handshake, and an OCSP staple is asked for. */
  readonly onSocket?: (socket: TLSSocket) => void;
}

export interface TlsDemand extends HandshakeDemand {
  /** Relaxes trust only; what is wrong is recorded all the same. */
  readonly acceptsUntrusted: boolean;
}

/** What probes trust now; certificate authorities may change while we run. */
export type Trust = () => SecureContext;

const tlsLimitMs = 10_000;
const httpProtocols = ["http/1.1"];

/** The authorities of a trust: what else has to trust as it does is made with them. */
export interface Authorities {
  /** PEM. */
  readonly ca: readonly string[];
  /** Whether an intermediate among them is trusted without its root. */
  readonly allowPartialTrustChain: boolean;
}

/** A context does not give its authorities back. */
const authoritiesOfTrusts = new WeakMap<SecureContext, Authorities>();

/**
 * What all probes trust: `usualCas`, which are Node.js' own by default, and `extraCas` (PEM), where an intermediate alone will
 * do. Made once, since building it costs more than a handshake.
 */
export function createTrust(extraCas: readonly string[], usualCas?: readonly string[]): SecureContext {
  if (extraCas.length === 0 && usualCas === undefined) return createSecureContext();
  // Only where it is needed: it also changes the code of an unknown issuer.
  const allowPartialTrustChain = extraCas.some(isIntermediate);
  const ca = [...(usualCas ?? getCACertificates("default")), ...extraCas];
  const trust = createSecureContext({ ca, allowPartialTrustChain });
  authoritiesOfTrusts.set(trust, { ca, allowPartialTrustChain });
  return trust;
}

/** What a host is shown, and whom it may be signed by beside the usual authorities. PEM. */
export interface ClientIdentity {
  readonly cert: string;
  readonly key: string;
  readonly passphrase: string | null;
  readonly ca: readonly string[];
}

/**
 * A trust for the hosts that ask for a client certificate.
 * @throws what OpenSSL says of texts that it does not take
 */
export function createTrustWithIdentity(trust: SecureContext, { cert, key, passphrase, ca }: ClientIdentity): SecureContext {
  const identity = { cert, key, ...(passphrase !== null && { passphrase }) };
  // Without `ca`, Node.js shares one store of its authorities between all contexts.
  if (ca.length === 0 && !authoritiesOfTrusts.has(trust)) return createSecureContext(identity);
  const usual = authoritiesOf(trust);
  const allowPartialTrustChain = usual.allowPartialTrustChain || ca.some(isIntermediate);
  return createSecureContext({ ...identity, ca: [...usual.ca, ...ca], allowPartialTrustChain });
}

function isIntermediate(pem: string): boolean {
  const certificate = new X509Certificate(pem);
  return certificate.subject !== certificate.issuer;
}

/** The authorities of a context that `createTrust` made; Node.js' own for any other. */
export function authoritiesOf(trust: SecureContext): Authorities {
  return authoritiesOfTrusts.get(trust) ?? { ca: getCACertificates("default"), allowPartialTrustChain: false };
}

/**
 * TLS over a connected socket. The handshake itself accepts every certificate, so that its expiry is known on
 * failures too; we judge it before anything is sent.
 *
 * @throws {ProbeError} the trust error's code, ECONNRESET, ETIMEDOUT, or EPROTO when the peer does not speak TLS
 */
export async function secure(raw: Socket, host: string, tls: TlsDemand, context: StepContext, trace: DialTrace): Promise<TLSSocket> {
  const name = host.replace(/\.$/, "");
  const socket = await handshake(raw, name, tls, context, trace);
  const facts = factsOf(socket, name);
  if (trace.connection !== null) trace.connection.tls = facts;
  if (facts.trustError === null || tls.acceptsUntrusted) return socket;
  socket.destroy();
  throw new ProbeError(facts.trustError, `the certificate of ${host} is not trusted${because(facts)}`);
}

/**
 * The handshake alone, over a connected socket: every certificate is accepted, and nothing is judged.
 *
 * @throws {ProbeError} ECONNRESET, ETIMEDOUT, or EPROTO when the peer does not speak TLS
 */
export function handshake(raw: Socket, host: string, demand: HandshakeDemand, context: StepContext, trace: DialTrace): Promise<TLSSocket> {
  const { watch, monotonicMs } = context;
  const { alpn = httpProtocols, onSocket } = demand;
  return new Promise((resolve, reject) => {
    const socket = connect({
      socket: raw,
      secureContext: demand.context,
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
      ...(alpn.length > 0 && { ALPNProtocols: alpn }),
      ...(isIP(host) === 0 && { servername: host }),
      ...(onSocket && { requestOCSP: true }),
    });
    // Node.js would turn the whole chain into objects to compare one name: 330 us, a third of a handshake. `factsOf` does.
    Object.assign(socket, { getPeerCertificate: () => ({}) });
    onSocket?.(socket);
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
    watch.enter(`TLS handshake with ${handshakePeer(host, trace)}`, demand.limitMs ?? tlsLimitMs, fail);
  });
}

function handshakePeer(host: string, { connection }: DialTrace): string {
  return connection === null ? host : peerName(connection.remoteAddress, connection.remotePort);
}

function factsOf(socket: TLSSocket, host: string): TlsFacts {
  const certificate = socket.getPeerX509Certificate();
  const endMs = certificate === undefined ? Number.NaN : validToMs(certificate);
  const trustError = chainError(socket) ?? identityError(certificate, host);
  return {
    protocol: socket.getProtocol() ?? "",
    cipher: socket.getCipher().standardName,
    authorized: trustError === null,
    trustError,
    validTo: Number.isNaN(endMs) ? null : new Date(endMs).toISOString(),
    // The one use of the wall clock: a certificate's dates are compared with it by the handshake as well.
    daysRemaining: Number.isNaN(endMs) ? null : Math.floor((endMs - Date.now()) / 86_400_000),
    fingerprint256: certificate?.fingerprint256 ?? null,
  };
}

/** Why the chain is not trusted, as OpenSSL's code, or null. Node.js hands it out as a string, though its types say Error. */
export function chainError(socket: TLSSocket): string | null {
  if (socket.authorized) return null;
  const error: unknown = socket.authorizationError;
  return typeof error === "string" && error !== "" ? error : codeOf(error) || "ERR_TLS_UNTRUSTED";
}

/** Whether the certificate names the host (RFC 9525: whole wildcards only), or Node.js' code for that it does not. */
export function identityError(certificate: X509Certificate | undefined, host: string): string | null {
  const named = isIP(host) === 0 ? certificate?.checkHost(host, { partialWildcards: false }) : certificate?.checkIP(withoutZone(host));
  return named === undefined ? "ERR_TLS_CERT_ALTNAME_INVALID" : null;
}

function because({ trustError, validTo }: TlsFacts): string {
  if (trustError === "CERT_HAS_EXPIRED") return `: it expired on ${validTo}`;
  if (trustError === "ERR_TLS_CERT_ALTNAME_INVALID") return ": it was issued for other names";
  return trustError?.includes("SELF_SIGNED") ? ": it is signed by itself or by an unknown authority" : "";
}
