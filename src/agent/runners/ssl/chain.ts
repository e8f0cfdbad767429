import type { X509Certificate } from "node:crypto";
import { isSelfSigned } from "./certificate.ts";

/** How a leaf leads to what is trusted. */
export interface ChainWay {
  /** What issued the leaf: sent or trusted here; null when it is neither. */
  readonly issuer: X509Certificate | null;
  /** The sent certificates between the leaf and the first authority that is trusted here, in order. */
  readonly intermediates: readonly X509Certificate[];
}

/**
 * Goes from the leaf upwards. It ends at the first certificate that something in the trust store issued: what was sent
 * beyond it (old cross signatures, roots) is of no matter, not even its expiry.
 *
 * @param sent the leaf first
 */
export function wayOf(sent: readonly [X509Certificate, ...X509Certificate[]], roots: readonly X509Certificate[]): ChainWay {
  const [leaf, ...others] = sent;
  const intermediates: X509Certificate[] = [];
  let issuer: X509Certificate | null = null;
  for (let current = leaf; intermediates.length < sent.length && !isSelfSigned(current); ) {
    const trusted = issuerAmong(roots, current);
    const next = trusted ?? issuerAmong(others, current);
    if (current === leaf) issuer = next;
    if (next === null || next === trusted || isSelfSigned(next)) break;
    intermediates.push(next);
    current = next;
  }
  return { issuer: isSelfSigned(leaf) ? leaf : issuer, intermediates };
}

function issuerAmong(candidates: readonly X509Certificate[], certificate: X509Certificate): X509Certificate | null {
  return candidates.find((candidate) => certificate.checkIssued(candidate) && isSignedBy(certificate, candidate)) ?? null;
}

/** Names can be claimed, signatures cannot. */
function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}
