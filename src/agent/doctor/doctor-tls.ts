import { X509Certificate } from "node:crypto";
import { isIP, type Socket } from "node:net";
import { connect as connectTls, type DetailedPeerCertificate, type TLSSocket } from "node:tls";
import { certificateLine, nameIn } from "#daemon/certificate-line.ts";
import { adviceFor } from "../contact/connection-advice.ts";
import { usualCas } from "../host/extra-ca.ts";
import { withoutBrackets } from "../net/ip-address.ts";
import { type Hop, opened, portOf } from "./doctor-hop.ts";
import { codeOf, messageOf } from "./failure.ts";
import type { Finding } from "./finding.ts";

const trustNext = "look at the certificate that is shown there: openssl s_client -connect host:port";
const issuedBySomebody = /^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA)/;

export interface TlsWay {
  readonly extraCas: readonly string[];
  /** From a proxy, to the peer; null: it is reached directly. */
  readonly tunnel: Socket | null;
}

/** TLS with a peer: whether it is spoken, whether the certificate is trusted and by what, and when it ends. Ends the tunnel. */
export async function diagnoseTls(hop: Hop, way: TlsWay, signal: AbortSignal): Promise<readonly Finding[]> {
  const host = withoutBrackets(hop.url.hostname);
  const ca = [...usualCas(), ...way.extraCas];
  const to = way.tunnel === null ? { port: portOf(hop.url) } : { socket: way.tunnel };
  const socket = connectTls({ host, ...to, rejectUnauthorized: false, ca, ...(isIP(host) === 0 ? { servername: host } : {}) });
  try {
    await opened(socket, "secureConnect", signal);
    return trustFindings(socket, hop, way);
  } catch (error) {
    signal.throwIfAborted();
    const text = `no TLS with ${hop.url.hostname} port ${portOf(hop.url)} (${codeOf(error) || messageOf(error)})`;
    const next = `the port may speak plain HTTP: try http:// in ${hop.setting}, or the TLS port`;
    return [{ about: "TLS", verdict: "fail", text, next }];
  } finally {
    socket.on("error", () => undefined).destroy();
    way.tunnel?.destroy();
  }
}

function trustFindings(socket: TLSSocket, { subject }: Hop, { extraCas, tunnel }: TlsWay): readonly Finding[] {
  const peer = socket.getPeerCertificate(true);
  const { text: line, endsSoon } = certificateLine(new X509Certificate(peer.raw), Date.now());
  const problem = trustProblem(socket.authorizationError);
  const whose = tunnel === null ? `the certificate of the ${subject}` : "the certificate that comes through the proxy";
  if (problem !== null) return [untrusted(problem, whose, line, tunnel !== null)];
  const tls = socket.getProtocol() ?? "TLS";
  const root = extraRoot(peer, extraCas);
  const by = root === null ? "" : `, by ${root} of NODE_EXTRA_CA_CERTS`;
  const reads = root === null || tunnel === null ? "" : "; if that is the proxy's CA, the proxy opens TLS and reads along";
  return [
    { about: "TLS", verdict: "ok", text: `${whose} is trusted${by} (${tls})${reads}` },
    endsSoon
      ? { about: "certificate", verdict: "warn", text: line, next: `renew the certificate of the ${subject}` }
      : { about: "certificate", verdict: "ok", text: line },
  ];
}

function untrusted(problem: string, whose: string, line: string, isTunnelled: boolean): Finding {
  const text = `${whose} is not trusted (${problem}): ${line}`;
  const usual = adviceFor(problem) ?? trustNext;
  const next =
    isTunnelled && issuedBySomebody.test(problem)
      ? `if the issuer is the proxy's own CA, the proxy opens TLS (interception): set NODE_EXTRA_CA_CERTS to that CA, or have the proxy leave this host alone; if it is the control plane's CA: ${usual}`
      : usual;
  return { about: "TLS", verdict: "fail", text, next };
}

/** The name of the CA that a trusted chain ends at, where it is one of the operator's. */
function extraRoot(peer: DetailedPeerCertificate, extraCas: readonly string[]): string | null {
  let last = peer;
  for (let depth = 0; depth < 10 && last.issuerCertificate !== undefined && last.issuerCertificate !== last; depth += 1)
    last = last.issuerCertificate;
  const root = new X509Certificate(last.raw);
  return extraCas.some((pem) => new X509Certificate(pem).fingerprint256 === root.fingerprint256) ? nameIn(root.subject) : null;
}

/** Node.js types it as an Error and gives a code. */
function trustProblem(error: unknown): string | null {
  if (error === null || error === undefined) return null;
  return typeof error === "string" ? error : codeOf(error) || messageOf(error);
}
