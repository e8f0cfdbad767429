import { ApiAssertion } from "#contract/checks/api.ts";
import { comparisons } from "#contract/checks/assertion.ts";
import { DnsAssertion } from "#contract/checks/dns.ts";
import { GrpcAssertion } from "#contract/checks/grpc.ts";
import { IcmpAssertion } from "#contract/checks/icmp.ts";
import { SslAssertion } from "#contract/checks/ssl.ts";
import { TcpAssertion } from "#contract/checks/tcp.ts";
import { TracerouteAssertion } from "#contract/checks/traceroute.ts";
import { UrlAssertion } from "#contract/checks/url.ts";
import type { EditableType } from "./fields.ts";

export interface AssertionChoices {
  readonly sources: readonly string[];
  readonly comparisons: readonly string[];
}

const choices = (schema: {
  readonly shape: {
    readonly source: { readonly options: readonly string[] };
    readonly comparison: { readonly options: readonly string[] };
  };
}) => ({
  sources: schema.shape.source.options,
  comparisons: comparisons.filter((one) => schema.shape.comparison.options.includes(one)),
});

/** Null: such a check asserts nothing. */
export const assertionsOf: { readonly [T in EditableType]: AssertionChoices | null } = {
  URL: choices(UrlAssertion),
  API: choices(ApiAssertion),
  TCP: choices(TcpAssertion),
  DNS: choices(DnsAssertion),
  ICMP: choices(IcmpAssertion),
  SSL: choices(SslAssertion),
  GRPC: choices(GrpcAssertion),
  TRACEROUTE: choices(TracerouteAssertion),
  HEARTBEAT: null,
  BROWSER: null,
  MULTI_STEP: null,
  PLAYWRIGHT: null,
  AGENTIC: null,
};
