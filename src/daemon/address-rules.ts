import { BlockList, isIP } from "node:net";
import { AppError } from "#domain/app-error.ts";
import { BoundedCache } from "#domain/bounded-cache.ts";
import { embeddedIPv4s } from "./embedded-ipv4.ts";

/** Which addresses and names may be reached: the part of an egress policy that agents and the control plane share. */
export interface AddressRules {
  /** Denied by its name alone, whatever its address; a dot at its end does not matter. */
  isDeniedName(host: string): boolean;
  /** What the rules say of an address, without a zone. */
  kindOf(address: string): AddressKind;
}

/** `allowed`: named by an operator. `loopback` and `other`: nothing speaks against it. */
export type AddressKind = "allowed" | "denied" | "loopback" | "other";

/** What an operator may set. Allowing beats denying beats the defaults, for addresses and for names. */
export interface AddressRuleSettings {
  /** `10.0.0.0/8`, `fd00::/8` or single addresses. */
  readonly allowCidrs: readonly string[];
  readonly denyCidrs: readonly string[];
  /** `example.com`, `*.example.com` (its subdomains) or `*`. */
  readonly allowDomains?: readonly string[];
  readonly denyDomains?: readonly string[];
  /** `public-only` also denies private, loopback and reserved networks. */
  readonly mode: "default" | "public-only";
}

/** Link-local, "this network", multicast, broadcast, and where clouds keep their metadata. */
const neverCidrs = [
  "0.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/4",
  "255.255.255.255",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "::",
  "fe80::/10",
  "ff00::/8",
  "fd00:ec2::254",
  "fd20:ce::254",
];

const metadataNames = [
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
];

const privateCidrs = [
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "240.0.0.0/4",
  "::1",
  "100::/64",
  "2001:db8::/32",
  "fc00::/7",
  "fec0::/10",
];

/** @throws {AppError} invalid_input, naming a CIDR that is none */
export function createAddressRules(rules: AddressRuleSettings): AddressRules {
  const allowed = blockList(rules.allowCidrs);
  const denied = blockList(deniedCidrs(rules));
  const loopback = blockList(["127.0.0.0/8", "::1"]);
  const allowedNames = nameMatcher(rules.allowDomains ?? []);
  const deniedNames = nameMatcher([...(rules.denyDomains ?? []), ...metadataNames]);
  const allowsAddresses = rules.allowCidrs.length > 0;

  /** Kept, because targets come again and each question makes a native address for the garbage collector. */
  const kinds = new BoundedCache<AddressKind>(1_000, (plain) => {
    const inner = embeddedIPv4s(plain);
    const isAllowed = (address: string): boolean => allowsAddresses && containsItself(allowed, address);
    if (isAllowed(plain) || (inner.length > 0 && inner.every(isAllowed))) return "allowed";
    if (containsItself(denied, plain) || inner.some((address) => containsItself(denied, address) && !isAllowed(address))) return "denied";
    return containsAddress(loopback, plain) ? "loopback" : "other";
  });

  return {
    isDeniedName(host) {
      const name = host.toLowerCase().replace(/\.$/, "");
      return deniedNames(name) && !allowedNames(name);
    },
    kindOf: (address) => kinds.get(address),
  };
}

/** What is denied unless it is allowed, by the operator and by default. */
export function deniedCidrs({ denyCidrs, mode }: Pick<AddressRuleSettings, "denyCidrs" | "mode">): readonly string[] {
  return [...denyCidrs, ...neverCidrs, ...(mode === "public-only" ? privateCidrs : [])];
}

/** The address itself, or an IPv4 address that it may stand for. */
export function containsAddress(list: BlockList, address: string): boolean {
  return containsItself(list, address) || embeddedIPv4s(address).some((inner) => containsItself(list, inner));
}

/** The address itself, also in the form `::ffff:192.0.2.1`. For lists that let somebody in: whoever has an IPv6 network chooses what his addresses embed. */
export function containsItself(list: BlockList, address: string): boolean {
  return list.check(address, address.includes(":") ? "ipv6" : "ipv4");
}

/** @throws {AppError} invalid_input, naming a CIDR that is none */
export function blockList(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) addCidr(list, cidr);
  return list;
}

function addCidr(list: BlockList, cidr: string): void {
  const [address = "", prefix, ...rest] = cidr.trim().split("/");
  const version = isIP(address);
  const bits = prefix === undefined ? (version === 4 ? 32 : 128) : Number(prefix);
  if (version === 0 || rest.length > 0 || prefix === "" || !Number.isInteger(bits) || bits < 0 || bits > (version === 4 ? 32 : 128)) {
    throw new AppError("invalid_input", `"${cidr}" is no network in CIDR form, such as 10.0.0.0/8`);
  }
  list.addSubnet(address, bits, version === 4 ? "ipv4" : "ipv6");
}

function nameMatcher(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set<string>();
  const suffixes: string[] = [];
  for (const pattern of patterns.map((text) => text.trim().toLowerCase().replace(/\.$/, ""))) {
    if (pattern.startsWith("*")) suffixes.push(pattern.slice(1));
    else exact.add(pattern);
  }
  return (name) => exact.has(name) || suffixes.some((suffix) => name.endsWith(suffix));
}
