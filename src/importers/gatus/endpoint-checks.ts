import type { Importing } from "../imported.ts";
import { dnsChecks } from "./dns-endpoint.ts";
import type { Endpoint, EndpointCheck, EndpointReader } from "./endpoint.ts";
import { httpChecks } from "./http-endpoint.ts";
import { icmpChecks, sslChecks, tcpChecks } from "./other-endpoints.ts";

const readers: Readonly<Record<string, EndpointReader>> = {
  http: httpChecks,
  https: httpChecks,
  tcp: tcpChecks,
  icmp: icmpChecks,
  tls: sslChecks,
  starttls: sslChecks,
};

/** The checks that stand for an endpoint, chosen by its address as Gatus does. */
export function endpointChecks(importing: Importing, endpoint: Endpoint): readonly EndpointCheck[] {
  if (endpoint.settings["dns"] !== undefined) return dnsChecks(importing, endpoint);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(endpoint.url)?.[1]?.toLowerCase() ?? "";
  const reader = Object.hasOwn(readers, scheme) ? readers[scheme] : undefined;
  if (reader) return reader(importing, endpoint);
  importing.warn(`${endpoint.where}.url`, "left out: only http, https, tcp, icmp, tls, starttls and DNS endpoints become checks");
  return [];
}
