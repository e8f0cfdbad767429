import type { X509Certificate } from "node:crypto";

/** Who renews by hand needs some days; who renews by a machine has renewed long before. */
const warnDays = 14;
const dayMs = 86_400_000;

/**
 * A certificate in words, for operators: whose it is, who issued it and when it ends.
 *
 * @returns `endsSoon` also where it has ended
 */
export function certificateLine(certificate: X509Certificate, nowMs: number): { readonly text: string; readonly endsSoon: boolean } {
  const days = Math.floor((certificate.validToDate.getTime() - nowMs) / dayMs);
  const end = days < 0 ? `ended ${-days} days ago` : `ends in ${days} days`;
  const text = `${nameIn(certificate.subject)}, issued by ${nameIn(certificate.issuer)}, ${end} (${certificate.validToDate.toISOString().slice(0, 10)})`;
  return { text, endsSoon: days < warnDays };
}

/** A distinguished name on one line, without what a terminal would obey: whoever answers has written it. */
export function nameIn(distinguishedName: string | undefined): string {
  const plain = (distinguishedName ?? "").replaceAll(/[\s\p{C}]+/gu, " ").trim();
  return plain === "" ? "(no name)" : plain.slice(0, 200);
}
