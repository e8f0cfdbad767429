import { isIP } from "node:net";
import type { DnsRequest } from "#contract/checks/dns.ts";
import { type DnsTransport, type NameServer, plainServer } from "../../net/dns/name-server.ts";
import { withoutBrackets } from "../../net/ip-address.ts";
import { codeOf, ProbeError } from "../../net/probe-error.ts";
import type { ResolverSettings } from "../../net/resolver-settings.ts";
import { targetHost } from "../../net/target-host.ts";
import type { TlsDemand } from "../../net/tls.ts";
import type { RunContext } from "../check-runner.ts";

const usualPorts: Readonly<Record<DnsTransport, number>> = { UDP: 53, TCP: 53, DOT: 853, DOH: 443 };
/** What servers and clients agree on where nothing is said (RFC 8484 has no default). */
const usualPath = "/dns-query";

interface Place {
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

/**
 * The servers of resolv.conf. On the ports of DNS they need no leave, because the agent's own names come from them; on any
 * other port they are hosts like all others.
 * @throws {ProbeError} EPOLICY
 */
export function systemServers(request: DnsRequest, { servers }: ResolverSettings, tls: TlsDemand, context: RunContext): NameServer[] {
  const usual = usualPorts[request.protocol];
  const port = request.port ?? usual;
  return servers.map((server) => {
    const { address } = plainServer(server, "UDP");
    if (port !== usual) context.egress.check(address, port, server);
    return nameServer(request.protocol, address, { host: server, port, path: usualPath }, tls, context);
  });
}

/**
 * The name server that a check names, resolved and allowed by the egress policy; of several addresses the first counts.
 * @throws {ProbeError} EBADURL, EPOLICY, and what a resolver throws
 */
export async function chosenServer(request: DnsRequest, named: string, tls: TlsDemand, context: RunContext): Promise<NameServer> {
  const place = placeOf(request, named);
  const [address = ""] = await addressesOf(place.host, context);
  context.egress.check(address, place.port, place.host);
  return nameServer(request.protocol, address, place, tls, context);
}

function nameServer(
  transport: DnsTransport,
  address: string,
  { host, port, path }: Place,
  tls: TlsDemand,
  context: RunContext,
): NameServer {
  if (transport === "DOH") return { transport, address, port, host, path, tls, userAgent: context.userAgent };
  return transport === "DOT" ? { transport, address, port, host, tls } : { transport, address, port };
}

function placeOf({ protocol, port }: DnsRequest, named: string): Place {
  const usual = { port: port ?? usualPorts[protocol], path: usualPath };
  if (protocol !== "DOH" || !named.includes("/")) return { ...usual, host: targetHost(named) };
  // Published addresses often end in the template of the GET form.
  const url = URL.parse(named.replace(/\{\?dns\}$/, ""));
  if (url?.protocol !== "https:") throw new ProbeError("EBADURL", "the name server of DNS over HTTPS is no https URL");
  const path = url.pathname === "/" ? usualPath : url.pathname + url.search;
  return { host: withoutBrackets(url.hostname), port: url.port === "" ? usual.port : Number(url.port), path };
}

/** IPv4 first; IPv6 where the name has nothing else. */
async function addressesOf(host: string, { resolver, signal }: RunContext): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  try {
    return await resolver.resolve(host, 4, signal);
  } catch (error) {
    if (codeOf(error) !== "ENOTFOUND") throw error;
    return resolver.resolve(host, 6, signal);
  }
}
