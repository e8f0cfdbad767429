import type { TracerouteCheckResult, TracerouteRequest } from "#contract/checks/traceroute.ts";
import type { IpFamily } from "../../net/connection.ts";
import { withoutBrackets } from "../../net/ip-address.ts";
import { ProbeError } from "../../net/probe-error.ts";
import { targetHost } from "../../net/target-host.ts";
import type { TraceMethod } from "../../net/trace/hop-answer.ts";
import { firstUdpPort } from "../../net/trace/trace-socket.ts";

export type SpokenProtocol = "TCP" | "UDP" | "ICMP";

/** A request with every default filled in (clients: TCP to 443, UDP to 33434, 15 silent hops of TCP and 10 of the others). */
export interface TraceRequest {
  readonly url: string;
  readonly protocol: NonNullable<TracerouteRequest["protocol"]>;
  readonly port: number | null;
  readonly ipFamily: IpFamily;
  readonly maxHops: number;
  readonly maxUnknownHops: number;
  readonly ptrLookup: boolean;
  /** Seconds for all of it: look-up, path and names. */
  readonly timeout: number;
}

const usualPorts = { TCP: 443, UDP: firstUdpPort, SCTP: firstUdpPort, ICMP: null } as const;

export function traceRequest({ url, port, ...given }: TracerouteRequest): TraceRequest {
  const protocol = given.protocol ?? "TCP";
  return {
    url,
    protocol,
    port: protocol === "ICMP" ? null : (port ?? usualPorts[protocol]),
    ipFamily: given.ipFamily ?? "IPv4",
    maxHops: given.maxHops ?? 30,
    maxUnknownHops: given.maxUnknownHops ?? (protocol === "TCP" ? 15 : 10),
    ptrLookup: given.ptrLookup ?? false,
    timeout: given.timeout ?? 10,
  };
}

/** The request as results tell it. */
export function toldRequest(request: TraceRequest): TracerouteCheckResult["request"] {
  return { ...request };
}

const methods: Readonly<Record<SpokenProtocol, TraceMethod>> = { TCP: "tcp", UDP: "udp", ICMP: "icmp" };

/** @throws {ProbeError} EPROTONOSUPPORT for SCTP, which the contract names: it needs raw sockets, and kernels that know it */
export function spokenProtocol({ protocol }: TraceRequest): { readonly protocol: SpokenProtocol; readonly method: TraceMethod } {
  if (protocol === "SCTP") {
    throw new ProbeError("EPROTONOSUPPORT", "paths are not traced by SCTP: choose TCP, UDP or ICMP");
  }
  return { protocol, method: methods[protocol] };
}

/**
 * The host to look for. The field is called `url`, so one with a scheme is understood as well: its host counts, nothing else.
 * @throws {ProbeError} EBADURL where there is no host in it
 */
export function traceHost({ url }: TraceRequest): string {
  const text = url.trim();
  const host = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? withoutBrackets(URL.parse(text)?.hostname ?? "") : targetHost(text);
  if (host === "" || /[\s/?#@]/.test(host)) throw new ProbeError("EBADURL", "the url of the check is neither a name nor an address");
  return host;
}
