import { BlockList, isIP } from "node:net";
import type { Secret } from "#daemon/secret.ts";
import type { ProxySettings } from "./config.ts";

/**
 * The proxy for management traffic to `target`, or null to go direct. NO_PROXY knows `*`, exact hosts, domains
 * with or without a leading dot, `host:port`, addresses and networks.
 */
export function proxyFor(target: URL, settings: ProxySettings): Secret | null {
  const proxy = target.protocol === "https:" ? settings.https : settings.http;
  return settings.noProxy.some((entry) => isExempt(target, entry.toLowerCase())) ? null : proxy;
}

function isExempt(target: URL, entry: string): boolean {
  if (entry === "*") return true;
  const host = target.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (isIP(host) !== 0) return coversAddress(host, entry);
  const [name = "", port] = entry.replace(/^\*?\./, "").split(":");
  if (port !== undefined && port !== portOf(target)) return false;
  return host === name || host.endsWith(`.${name}`);
}

function coversAddress(address: string, entry: string): boolean {
  const [network = "", prefix] = entry.split("/");
  const family = isIP(network);
  if (family === 0 || family !== isIP(address)) return false;
  const list = new BlockList();
  const type = family === 4 ? "ipv4" : "ipv6";
  if (prefix === undefined) list.addAddress(network, type);
  else list.addSubnet(network, Number(prefix), type);
  return list.check(address, type);
}

function portOf(target: URL): string {
  if (target.port !== "") return target.port;
  return target.protocol === "https:" ? "443" : "80";
}
