import { z } from "zod";

/** What a handshake showed, also where the certificate was not accepted. */
export const TlsFacts = z.object({
  protocol: z.string(),
  cipher: z.string(),
  authorized: z.boolean(),
  trustError: z.string().nullable().describe("CERT_HAS_EXPIRED, ERR_TLS_CERT_ALTNAME_INVALID …; null when the certificate is trusted"),
  validTo: z.string().nullable(),
  daysRemaining: z.number().nullable(),
  fingerprint256: z.string().nullable().optional().describe("SHA-256 of the certificate; older agents do not tell it"),
});
export type TlsFacts = z.infer<typeof TlsFacts>;

/** The peer that was dialled last; with a proxy that is the proxy, while `tls` is the target's. */
export const ConnectionFacts = z.object({
  remoteAddress: z.string(),
  remotePort: z.number().int(),
  ipFamily: z.enum(["IPv4", "IPv6"]),
  tls: TlsFacts.nullable(),
});
export type ConnectionFacts = z.infer<typeof ConnectionFacts>;

/** Protocols that begin in the clear and turn to TLS on request (RFC 3207, 9051, 2595, 4511; PostgreSQL's SSLRequest). */
export const StartTls = z.enum(["smtp", "imap", "pop3", "ldap", "postgres"]);
export type StartTls = z.output<typeof StartTls>;
