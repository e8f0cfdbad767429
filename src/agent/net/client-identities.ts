import type { SecureContext } from "node:tls";
import type { JobCertificate } from "#contract/agent-protocol.ts";
import { BoundedCache } from "#domain/bounded-cache.ts";
import { certificateForHost } from "#domain/certificate-for-host.ts";
import { type CertificateTexts, certificateProblems } from "#domain/client-certificate.ts";
import { codeOf, ProbeError } from "./probe-error.ts";
import { createTrustWithIdentity, type Trust } from "./tls.ts";

/** A trust as it is for one host, with the client certificate that this host is shown. */
export type TrustWithCertificate = (trust: SecureContext, certificate: JobCertificate) => SecureContext;

/** With authorities of its own each holds 1 MB, and takes 20 ms to make. */
const rememberedContexts = 50;

/** What became of a certificate; a failure is remembered too, because opening a key may cost half a second. */
type Loaded = { readonly context: SecureContext } | { readonly problem: string };

/**
 * Remembers the contexts of the certificates used last: making one costs more than a handshake.
 *
 * The function throws {ProbeError} ECLIENTCERT for a certificate that cannot be used; the message names its host and what is wrong.
 */
export function createTrustWithCertificates(): TrustWithCertificate {
  const byTrust = new WeakMap<SecureContext, BoundedCache<Loaded>>();
  return (trust, certificate) => {
    let cache = byTrust.get(trust);
    if (cache === undefined) {
      cache = new BoundedCache(rememberedContexts, (texts) => loaded(trust, JSON.parse(texts) as CertificateTexts)); // made below
      byTrust.set(trust, cache);
    }
    const { host, cert, ca, key, passphrase } = certificate;
    const found = cache.get(JSON.stringify({ cert, ca, key, passphrase }));
    if ("context" in found) return found.context;
    throw new ProbeError("ECLIENTCERT", `the client certificate for ${host} cannot be used: ${found.problem}`);
  };
}

/** For who is asked by hosts; nothing where there is no certificate. The function throws as the one above. */
export function identitiesOf(
  certificates: readonly JobCertificate[],
  trust: Trust,
  withCertificate: TrustWithCertificate,
): { readonly identityFor?: (host: string) => SecureContext | null } {
  if (certificates.length === 0) return {};
  return {
    identityFor: (host) => {
      const found = certificateForHost(certificates, host);
      return found === null ? null : withCertificate(trust(), found);
    },
  };
}

function loaded(trust: SecureContext, { cert, ca, key, passphrase }: CertificateTexts): Loaded {
  const problems = certificateProblems({ cert, ca, key, passphrase });
  if (problems.length > 0) return { problem: problems.map(({ path, message }) => `its ${path} ${message}`).join("; ") };
  try {
    return { context: createTrustWithIdentity(trust, { cert, key, passphrase, ca: certificatesIn(ca ?? "") }) };
  } catch (error) {
    return { problem: `OpenSSL does not take it (${codeOf(error) || "no code"})` };
  }
}

function certificatesIn(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
}
