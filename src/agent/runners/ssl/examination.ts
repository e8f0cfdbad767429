import { constants, X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { createSecureContext, type SecureContext, type TLSSocket } from "node:tls";
import type { StartTls } from "#contract/checks/connection.ts";
import type { DialTrace, StepContext } from "../../net/connection.ts";
import { codeOf, ProbeError } from "../../net/probe-error.ts";
import { authoritiesOf, chainError, handshake } from "../../net/tls.ts";

/** What a handshake showed. */
export interface Sighting {
  /** `TLSv1.3`. */
  readonly protocol: string;
  /** IANA's name. */
  readonly cipher: string;
  readonly alpn: string | null;
  /** As sent, the leaf first; the first 20. */
  readonly chain: readonly [X509Certificate, ...X509Certificate[]];
  /** OpenSSL's code for why the chain is not trusted, or null. */
  readonly chainError: string | null;
  /** The stapled OCSP response, as sent. */
  readonly staple: Buffer | null;
}

export interface ExaminationTarget {
  readonly serverName: string;
  readonly port: number;
  readonly startTls: StartTls | null;
  readonly limitMs: number;
}

const maxChain = 20;
const maxStapleBytes = 64 * 1024;

/**
 * A handshake that looks at everything and judges nothing: old versions and weak suites are taken too, so that they can be
 * graded. Keys and digests of any strength count as trusted here; how strong they are is the baseline's to say.
 *
 * @param trust from `createTrust`
 * @throws {ProbeError} as `handshake`
 */
export async function examine(
  raw: Socket,
  target: ExaminationTarget,
  trust: SecureContext,
  context: StepContext,
  trace: DialTrace,
): Promise<Sighting> {
  let staple: Buffer | null = null;
  let showedCertificate = false;
  const demand = {
    context: permissive(trust),
    alpn: alpnOf(target),
    limitMs: target.limitMs,
    onSocket(socket: TLSSocket): void {
      socket.once("OCSPResponse", (response: Buffer | null) => (staple = response));
      socket.once("error", () => (showedCertificate = socket.getPeerX509Certificate() !== undefined));
    },
  };
  try {
    const socket = await handshake(raw, target.serverName, demand, context, trace);
    try {
      return sightingOf(socket, staple);
    } finally {
      socket.destroy();
    }
  } catch (error) {
    throw showedCertificate && error instanceof ProbeError ? asCertificateWanted(error) : error;
  }
}

/** The last step of a server that wants a client certificate looks like any other refusal (until TLS 1.3). */
function asCertificateWanted(error: ProbeError): ProbeError {
  if (codeOf(error) !== "EPROTO") return error;
  return new ProbeError("EPROTO", `${error.message}; it had shown its certificate, so it may want one of the client`, { cause: error });
}

function sightingOf(socket: TLSSocket, staple: Buffer | null): Sighting {
  const leaf = socket.getPeerX509Certificate();
  if (leaf === undefined) throw new ProbeError("EPROTO", "the server showed no certificate");
  const chain: [X509Certificate, ...X509Certificate[]] = [leaf];
  // `issuerCertificate` is what was sent next, whoever issued it.
  for (let next = leaf.issuerCertificate; next !== undefined && chain.length < maxChain; next = next.issuerCertificate) chain.push(next);
  return {
    protocol: socket.getProtocol() ?? "",
    cipher: socket.getCipher().standardName,
    alpn: typeof socket.alpnProtocol === "string" ? socket.alpnProtocol : null,
    chain,
    chainError: chainError(socket),
    staple: staple !== null && staple.length > maxStapleBytes ? staple.subarray(0, maxStapleBytes) : staple,
  };
}

/** Ports whose protocol has names of its own for ALPN, or none: their servers may refuse HTTP's. */
const portsWithoutHttp: ReadonlySet<number> = new Set([
  25, 110, 143, 389, 465, 587, 636, 853, 990, 993, 995, 3306, 5061, 5223, 5432, 5671, 6380, 8883,
]);

function alpnOf({ port, startTls }: ExaminationTarget): readonly string[] {
  if (startTls !== null) return startTls === "postgres" ? ["postgresql"] : [];
  return portsWithoutHttp.has(port) ? [] : ["h2", "http/1.1"];
}

const permissiveContexts = new WeakMap<SecureContext, SecureContext>();

/** The same authorities, with everything allowed that OpenSSL can do. Made once for each trust. */
function permissive(trust: SecureContext): SecureContext {
  let context = permissiveContexts.get(trust);
  if (context === undefined) {
    const { ca, allowPartialTrustChain } = authoritiesOf(trust);
    context = createSecureContext({
      ca: [...ca],
      allowPartialTrustChain,
      minVersion: "TLSv1",
      ciphers: `${constants.defaultCoreCipherList.split(":!")[0]}:ALL:COMPLEMENTOFALL:!aNULL:@SECLEVEL=0`,
      secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
    });
    permissiveContexts.set(trust, context);
  }
  return context;
}

const rootsOfTrusts = new WeakMap<SecureContext, readonly X509Certificate[]>();

/** The authorities that a trust holds. Read once for each trust: there are some 150. */
export function rootsOf(trust: SecureContext): readonly X509Certificate[] {
  let roots = rootsOfTrusts.get(trust);
  if (roots === undefined) {
    roots = authoritiesOf(trust).ca.flatMap(certificatesIn);
    rootsOfTrusts.set(trust, roots);
  }
  return roots;
}

/** OpenSSL takes no more than it can read, and neither do we. */
function certificatesIn(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}
