import { Resolver } from "node:dns";
import { isIP } from "node:net";
import { z } from "zod";
import { blockList } from "#daemon/address-rules.ts";
import { commaList } from "#domain/comma-list.ts";
import type { RateLimit } from "./rate-limit.ts";

/** `600/60`. */
export const RateLimitText = z.string().transform((text, context): RateLimit => {
  const [, requests, windowSeconds] = /^(\d{1,9})\/(\d{1,6})$/.exec(text.trim()) ?? [];
  if (requests !== undefined && windowSeconds !== undefined && Number(requests) > 0 && Number(windowSeconds) > 0) {
    return { requests: Number(requests), windowSeconds: Number(windowSeconds) };
  }
  context.addIssue({ code: "custom", message: "must be requests/seconds, for example 600/60" });
  return z.NEVER;
});

/** Header names as Node.js gives them: lower case. */
export const HeaderNames = z.string().transform((text, context) => {
  const names = commaList(text.toLowerCase());
  if (names.length > 0 && names.every((name) => /^[a-z0-9-]+$/.test(name))) return names;
  context.addIssue({ code: "custom", message: "must be header names, separated by commas" });
  return z.NEVER;
});

/** `location=address`, separated by commas; an address may be a network. */
export const EgressAddresses = z.string().transform((text, context): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>();
  for (const entry of commaList(text)) {
    const [location = "", address = ""] = entry.split("=").map((part) => part.trim());
    const [host = "", bits] = address.split("/");
    const isAddress = isIP(host) !== 0 && (bits === undefined || (isIP(host) === 6 && /^\d{1,3}$/.test(bits) && Number(bits) <= 128));
    if (!/^[\w-]{1,100}$/.test(location) || !isAddress) {
      const message = `must be location=address, an IPv4 address, or an IPv6 address or network; received "${entry.slice(0, 100)}"`;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    }
    found.getOrInsertComputed(location, () => []).push(address);
  }
  return found;
});

/** Networks in CIDR form. */
export const TrustedProxies = z.string().transform((text, context): readonly string[] => {
  const networks = commaList(text);
  try {
    blockList(networks);
    return networks;
  } catch {
    context.addIssue({ code: "custom", message: "must be addresses and networks separated by commas: 10.0.0.0/8,192.0.2.7" });
    return z.NEVER;
  }
});

/** Addresses with or without a port. */
const NameServers = z.string().transform((text, context): readonly string[] => {
  const servers = commaList(text);
  try {
    new Resolver().setServers(servers);
    return servers;
  } catch {
    context.addIssue({
      code: "custom",
      message: "must be addresses separated by commas, with or without a port: 192.0.2.53,[2001:db8::53]:5353",
    });
    return z.NEVER;
  }
});

export const pageDomainEnv = {
  PAGE_DOMAINS: z
    .enum(["proved", "trusted"], "must be proved or trusted")
    .default("proved")
    .describe(
      "what a dashboard or status page needs for its own domain. proved: a TXT record in the domain's zone. trusted: nothing; the first page that uses a domain keeps it. Use trusted only in closed networks",
    ),
  PAGE_DOMAIN_DNS: NameServers.default([]).describe(
    "comma-separated name servers for these TXT records, such as 192.0.2.53; the host's name servers if empty",
  ),
};
