import { type DnsCheckSettings, DnsCheckSettings as Settings } from "../../../../src/contract/checks/dns.ts";

/** Settings of a DNS monitor; the request's defaults are those of the contract. */
export function dnsSettings(request: Partial<DnsCheckSettings["request"]>): DnsCheckSettings {
  return Settings.parse({
    request: { query: "www.example.test", recordType: "A", ...request },
    degradedResponseTime: null,
    maxResponseTime: null,
  });
}
