import { hasIPv6Form } from "./ip-address.ts";
import type { StepWatch } from "./step-watch.ts";

export type IpFamily = "IPv4" | "IPv6";

/** What every step on a connection needs: the clock that stamps and the watch that limits. */
export interface StepContext {
  readonly monotonicMs: () => number;
  readonly watch: StepWatch;
}

/** What is known of one connection; filled as the dial goes, so that a failure keeps what came before it. */
export interface DialTrace {
  /** When the look-up began. The others are when that step was done, null where the dial did not get so far. */
  socketMs: number | null;
  lookupMs: number | null;
  connectMs: number | null;
  secureConnectMs: number | null;
  connection: ConnectionFacts | null;
}

/** The peer that was dialled last; with a proxy that is the proxy, while `tls` is the target's. */
export interface ConnectionFacts {
  remoteAddress: string;
  remotePort: number;
  ipFamily: IpFamily;
  tls: TlsFacts | null;
}

/** What a handshake showed, also where the certificate was not accepted. */
export interface TlsFacts {
  protocol: string;
  cipher: string;
  authorized: boolean;
  /** `CERT_HAS_EXPIRED`, `ERR_TLS_CERT_ALTNAME_INVALID` …; null when the certificate is trusted. */
  trustError: string | null;
  validTo: string | null;
  daysRemaining: number | null;
}

export function newDialTrace(): DialTrace {
  return { socketMs: null, lookupMs: null, connectMs: null, secureConnectMs: null, connection: null };
}

/** `10.0.0.1:80`, `[::1]:80`, `example.com:80`. */
export function peerName(host: string, port: number): string {
  return hasIPv6Form(host) ? `[${host}]:${port}` : `${host}:${port}`;
}
