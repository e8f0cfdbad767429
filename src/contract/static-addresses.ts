import { z } from "zod";
import type { Operation } from "./operation.ts";

/* Where checks come from, as the operator declares it (EGRESS_ADDRESSES): for allow lists of targets. */

const common = { tag: "Accounts", method: "GET", access: "read", rateLimit: "standard", successStatus: 200, example: {} } as const;
const declared = "What the operator has declared; empty where nothing is.";
const Ipv4 = z.ipv4();
const Ipv6 = z.string().describe("a network; one address is a network of 128 bits");

export const listStaticIps = {
  ...common,
  id: "listStaticIps",
  path: "/v1/static-ips",
  summary: "List IPv4 addresses that checks come from",
  description: declared,
  output: z.array(Ipv4),
} as const satisfies Operation;

export const listStaticIpsByRegion = {
  ...common,
  id: "listStaticIpsByRegion",
  path: "/v1/static-ips-by-region",
  summary: "List IPv4 addresses that checks come from, by location",
  description: declared,
  output: z.record(z.string(), z.array(Ipv4)),
} as const satisfies Operation;

export const listStaticIpsAsText = {
  ...common,
  id: "listStaticIpsAsText",
  path: "/v1/static-ips.txt",
  summary: "List IPv4 addresses that checks come from, one a line",
  description: declared,
  text: "text/plain; charset=utf-8",
} as const satisfies Operation;

export const listStaticIpv6s = {
  ...common,
  id: "listStaticIpv6s",
  path: "/v1/static-ipv6s",
  summary: "List IPv6 addresses that checks come from",
  description: declared,
  output: z.array(Ipv6),
} as const satisfies Operation;

export const listStaticIpv6sByRegion = {
  ...common,
  id: "listStaticIpv6sByRegion",
  path: "/v1/static-ipv6s-by-region",
  summary: "List IPv6 addresses that checks come from, by location",
  description: declared,
  output: z.record(z.string(), z.array(Ipv6)),
} as const satisfies Operation;

export const listStaticIpv6sAsText = {
  ...common,
  id: "listStaticIpv6sAsText",
  path: "/v1/static-ipv6s.txt",
  summary: "List IPv6 addresses that checks come from, one a line",
  description: declared,
  text: "text/plain; charset=utf-8",
} as const satisfies Operation;

export const staticAddressOperations = [
  listStaticIps,
  listStaticIpsByRegion,
  listStaticIpsAsText,
  listStaticIpv6s,
  listStaticIpv6sByRegion,
  listStaticIpv6sAsText,
] as const;
