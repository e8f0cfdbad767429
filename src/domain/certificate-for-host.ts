import type { JobCertificate } from "#contract/agent-protocol.ts";

/** Whatever else is known of a certificate, its key sealed or not. */
type ForHost = Pick<JobCertificate, "host">;

/**
 * The client certificate that a host gets: one for exactly this host before one for `*.domain`, which is for the hosts directly below the
 * domain; then the newest. Addresses have no wildcard.
 *
 * @param certificates the newest first
 * @param host as in a URL, without its port; case, a final dot and brackets do not matter
 */
export function certificateForHost<C extends ForHost>(certificates: readonly C[], host: string): C | null {
  if (certificates.length === 0) return null;
  for (const name of namesOf(host)) {
    const found = certificates.find((certificate) => comparable(certificate.host) === name);
    if (found !== undefined) return found;
  }
  return null;
}

/**
 * The certificates that a check's requests may need, the newest of each host, in the order given: those that are for the host of its URL;
 * all where that is only known when the check runs.
 *
 * @param all the newest first
 * @param url the request's, with its templates
 * @param mayChange whether a script may send the request to another host
 */
export function certificatesFor<C extends ForHost>(all: readonly C[], url: string, mayChange: boolean): readonly C[] {
  if (all.length === 0) return all;
  const newest = new Map<string, C>();
  for (const certificate of all) {
    const name = comparable(certificate.host);
    if (!newest.has(name)) newest.set(name, certificate);
  }
  const host = mayChange ? null : literalHost(url);
  if (host === null) return [...newest.values()];
  const names = namesOf(host);
  return [...newest].flatMap(([name, certificate]) => (names.includes(name) ? [certificate] : []));
}

/** Null where a template may have a say in it; empty where the address is no URL, and nothing will be sent. */
function literalHost(url: string): string | null {
  const at = url.indexOf("{{");
  if (at === -1) return URL.parse(url)?.hostname ?? "";
  const origin = /^\s*https?:\/\/[^/?#\\]+[/?#\\]/i.exec(url.slice(0, at))?.[0];
  return origin === undefined ? null : (URL.parse(origin)?.hostname ?? "");
}

/** What a certificate for this host may be stored under, the best first. */
function namesOf(host: string): readonly string[] {
  const exact = comparable(host);
  const isAddress = exact.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(exact);
  const dot = exact.indexOf(".");
  return isAddress || dot === -1 ? [exact] : [exact, `*${exact.slice(dot)}`];
}

/** As URLs write it: in lower case, addresses in their one form, IPv6 in brackets. */
function comparable(host: string): string {
  const text = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  return (URL.parse(`http://${text}`)?.hostname ?? text.toLowerCase()).replace(/\.$/, "");
}
