import type { ConnectionFacts } from "#contract/checks/connection.ts";
import { hasIPv6Form } from "./ip-address.ts";
import type { StepWatch } from "./step-watch.ts";

export type IpFamily = ConnectionFacts["ipFamily"];

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

export function newDialTrace(): DialTrace {
  return { socketMs: null, lookupMs: null, connectMs: null, secureConnectMs: null, connection: null };
}

/** Whom a dial reached, or was to reach, for messages. */
export function dialledPeer({ connection }: DialTrace, host: string, port: number): string {
  return peerName(connection?.remoteAddress ?? host, port);
}

/** `10.0.0.1:80`, `[::1]:80`, `example.com:80`. */
export function peerName(host: string, port: number): string {
  return hasIPv6Form(host) ? `[${host}]:${port}` : `${host}:${port}`;
}
