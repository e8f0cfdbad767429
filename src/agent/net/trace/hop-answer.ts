import type { QueuedError } from "../icmp/received-message.ts";
import { hasIPv6Form } from "../ip-address.ts";

/** By what a path is probed: SYN segments, datagrams, or echo requests. */
export type TraceMethod = "tcp" | "udp" | "icmp";

/** What one probe came to. */
export interface HopAnswer {
  readonly from: string | null;
  readonly rttMs: number | null;
  /** `router`: passed on and dropped there; `target`: arrived; `unreachable`: somebody said no; `unsent`: this host said no. */
  readonly is: "router" | "target" | "unreachable" | "unsent";
  /** `open`, `refused`, `answers`, or the words of an ICMP code or a system error. */
  readonly says: string;
  /** Type and code of an ICMP error that was no word of a router that passes on. */
  readonly icmp?: { readonly type: number; readonly code: number };
}

/** What an ICMP error about a probe to `address` means (RFC 792, RFC 4443). */
export function meaningOf(method: TraceMethod, address: string, { type, code, from }: QueuedError, rttMs: number): HopAnswer {
  const isIPv6 = hasIPv6Form(address);
  if (type === (isIPv6 ? 3 : 11)) return { from, rttMs, is: "router", says: "" };
  const says = unreachableSentence(isIPv6, type, code);
  // A datagram has arrived when the host says that nobody listens there.
  const arrived = method === "udp" && from === address && says === "port unreachable";
  return { from, rttMs, is: arrived ? "target" : "unreachable", says, icmp: { type, code } };
}

/** The words of an ICMP error (RFC 792, RFC 1812 §5.2.7.1, RFC 4443 §3). */
export function unreachableSentence(isIPv6: boolean, type: number, code: number): string {
  const words = type === (isIPv6 ? 1 : 3) ? (isIPv6 ? codes6 : codes4)[code] : isIPv6 && type === 2 ? "packet too big" : undefined;
  return words ?? `ICMP type ${type} code ${code}`;
}

const codes4: Readonly<Record<number, string>> = {
  0: "network unreachable",
  1: "host unreachable",
  2: "protocol unreachable",
  3: "port unreachable",
  4: "fragmentation needed",
  5: "source route failed",
  6: "network unknown",
  7: "host unknown",
  9: "network administratively prohibited",
  10: "host administratively prohibited",
  11: "network unreachable for this type of service",
  12: "host unreachable for this type of service",
  13: "administratively prohibited",
};

const codes6: Readonly<Record<number, string>> = {
  0: "no route",
  1: "administratively prohibited",
  2: "beyond the scope of the source address",
  3: "address unreachable",
  4: "port unreachable",
  5: "source address failed the policy",
  6: "route rejected",
};
