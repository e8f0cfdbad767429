import { BlockList, isIP } from "node:net";
import { z } from "zod";
import { commaList } from "#domain/comma-list.ts";
import { embeddedIPv4s } from "./embedded-ipv4.ts";
import type { Env } from "./env.ts";
import { Secret } from "./secret.ts";

/** The proxies of a process; a proxy's URL may hold a password. */
export interface ProxySettings {
  /** For targets of https. */
  readonly https: Secret | null;
  /** For targets of http. */
  readonly http: Secret | null;
  readonly noProxy: readonly string[];
}

export const noProxies: ProxySettings = { https: null, http: null, noProxy: [] };

export const ProxyUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" }).optional();

/** The variables that name them. @param uses what goes through each, for the settings page */
export function proxyEnv(uses: { readonly https: string; readonly http: string }) {
  return {
    HTTPS_PROXY: ProxyUrl.describe(uses.https),
    HTTP_PROXY: ProxyUrl.describe(uses.http),
    NO_PROXY: z
      .string()
      .default("")
      .describe("comma-separated hosts, .domains, addresses and networks that are reached without a proxy; `*` means all"),
  };
}

/** The environment in which these variables in lower case win, as in other programs. */
export function withLowerCaseProxies(env: Env): Env {
  const given = (["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"] as const).map((name) => [name, env[name.toLowerCase()]] as const);
  return { ...env, ...Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== "")) };
}

export function proxySettings(env: z.output<z.ZodObject<ReturnType<typeof proxyEnv>>>): ProxySettings {
  const secret = (url: string | undefined): Secret | null => (url === undefined ? null : new Secret(url));
  return { https: secret(env.HTTPS_PROXY), http: secret(env.HTTP_PROXY), noProxy: commaList(env.NO_PROXY) };
}

/**
 * The proxy on the way to `target`, or null to go direct. NO_PROXY knows `*`, hosts, domains with or without a leading
 * dot, addresses and networks (`10.0.0.0/8`, `fd00::/8`), all but networks also with a port; a name is not resolved for it.
 */
export function proxyFor(target: URL, settings: ProxySettings): Secret | null {
  const proxy = target.protocol === "https:" ? settings.https : settings.http;
  if (proxy === null || settings.noProxy.some((entry) => isExempt(target, entry.trim().toLowerCase()))) return null;
  return withDecodableCredentials(proxy);
}

function isExempt(target: URL, entry: string): boolean {
  if (entry === "*") return true;
  const host = target.hostname.replace(/^\[|\]$|\.$/g, "").toLowerCase();
  const { name, port } = partsOf(entry);
  if (name === "" || (port !== null && port !== portOf(target))) return false;
  if (isIP(host) !== 0) return coversAddress(host, name);
  return host === name || host.endsWith(`.${name}`);
}

/** `[::1]:8443`, `::1`, `10.0.0.0/8`, `.example.com:443`. */
function partsOf(entry: string): { name: string; port: string | null } {
  const [, bracketed, bare, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  const name = bracketed ?? bare ?? entry; // a bare IPv6 address or network has more colons than the pattern takes
  return { name: name.replace(/^\*?\./, "").replace(/\.$/, ""), port: port ?? null };
}

/** Also an IPv4 rule for the same address written as IPv6 (`::ffff:10.0.0.1`). What is no network covers nothing. */
function coversAddress(address: string, entry: string): boolean {
  const [network = "", prefix, ...rest] = entry.split("/");
  const family = isIP(network);
  const bits = prefix ?? (family === 4 ? "32" : "128");
  if (family === 0 || rest.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family === 4 ? "ipv4" : "ipv6");
  return [address, ...embeddedIPv4s(address)].some((form) => isIP(form) === family && list.check(form, family === 4 ? "ipv4" : "ipv6"));
}

function portOf(target: URL): string {
  if (target.port !== "") return target.port;
  return target.protocol === "https:" ? "443" : "80";
}

/** A `%` that encodes nothing stands for itself; the client that gets the URL would throw at it. */
function withDecodableCredentials(proxy: Secret): Secret {
  const url = new URL(proxy.reveal());
  const { username, password } = url;
  if (isDecodable(username) && isDecodable(password)) return proxy;
  url.username = isDecodable(username) ? username : username.replaceAll("%", "%25");
  url.password = isDecodable(password) ? password : password.replaceAll("%", "%25");
  return new Secret(url.href);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
