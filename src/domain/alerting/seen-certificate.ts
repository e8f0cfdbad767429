/** The certificate that a run was shown. */
export interface SeenCertificate {
  /** The host that it was asked for. */
  readonly domain: string;
  /** Tells it from the one that replaces it: its SHA-256, or where a result has none its host and when it ends. */
  readonly fingerprint: string;
  /** Whole days, negative once it has expired. */
  readonly daysRemaining: number;
}

/** What a channel says of certificates. */
export interface CertificateSwitches {
  readonly sslExpiry: boolean;
  /** Days. */
  readonly sslExpiryThreshold: number;
}

/** No certificate ends further away, or ended longer ago: in days. */
export const furthestDays = 1_000_000;
/** No channel has a greater threshold: what is further away concerns nobody. */
export const greatestThreshold = 30;
const longestDomain = 253;
const longestFingerprint = 200;

/** The threshold that a certificate has come under; null: the channel does not hear of it. */
export function crossedThreshold({ sslExpiry, sslExpiryThreshold }: CertificateSwitches, daysRemaining: number): number | null {
  return sslExpiry && daysRemaining <= sslExpiryThreshold ? sslExpiryThreshold : null;
}

/**
 * The certificate that a report tells of: that of an SSL check, or that of the connection of any other type. Null where there was none, or
 * where its end is unknown. Agents are not trusted: whatever is of another kind is absent.
 */
export function seenCertificate(detail: unknown): SeenCertificate | null {
  const response = member(detail, "response");
  const leaf = member(response, "certificate");
  const tls = member(member(detail, "connection"), "tls");
  const daysRemaining = numberOf(member(leaf, "daysUntilExpiry")) ?? numberOf(member(tls, "daysRemaining"));
  const domain = (textOf(member(response, "serverName")) ?? hostOf(detail) ?? "").slice(0, longestDomain);
  const end = textOf(member(leaf, "validTo")) ?? textOf(member(tls, "validTo"));
  const fingerprint =
    textOf(member(leaf, "fingerprint256")) ?? textOf(member(tls, "fingerprint256")) ?? (end === null ? null : `${domain} ${end}`);
  if (daysRemaining === null || fingerprint === null) return null;
  return { domain, fingerprint: fingerprint.slice(0, longestFingerprint), daysRemaining };
}

/** Behind redirects that of the last one, which is where the certificate comes from. */
function hostOf(detail: unknown): string | null {
  const request = member(detail, "request");
  const asked = textOf(member(request, "url"));
  if (asked === null) return textOf(member(request, "hostname")) ?? textOf(member(member(request, "sslConfig"), "hostname"));
  const redirects = member(detail, "redirects");
  let url = URL.parse(asked);
  for (const redirect of Array.isArray(redirects) ? redirects : []) {
    url = URL.parse(textOf(member(redirect, "location")) ?? "", url?.href) ?? url;
  }
  return url?.hostname ?? textOf(member(request, "hostname")) ?? asked;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Math.abs(value) < furthestDays ? Math.floor(value) : null;
}

/** Neither halves of characters nor U+0000, which PostgreSQL does not take. */
function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.toWellFormed().replaceAll("\0", "\u{fffd}") : null;
}
