import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { AppError } from "#domain/app-error.ts";
import { BoundedCache } from "#domain/bounded-cache.ts";
import { embeddedIPv4, hasIPv6Form, withoutZone } from "./ip-address.ts";
import { ProbeError } from "./probe-error.ts";

/** Where the agent's traffic may go. Asked at the socket: after resolution, for every address, hop, proxy and literal. */
export interface EgressPolicy {
  /** @throws {ProbeError} EPOLICY when `host`, at `address`, must not be reached */
  check(address: string, port: number, host: string): void;
  /** For names that a proxy resolves. @throws {ProbeError} EPOLICY */
  checkName(host: string): void;
}

/** What an operator may set. Allowing beats denying beats the defaults, for addresses and for names. */
export interface EgressRules {
  /** `10.0.0.0/8`, `fd00::/8` or single addresses. */
  readonly allowCidrs: readonly string[];
  readonly denyCidrs: readonly string[];
  /** `example.com`, `*.example.com` (its subdomains) or `*`. */
  readonly allowDomains?: readonly string[];
  readonly denyDomains?: readonly string[];
  /** `public-only` also denies private, loopback and reserved networks. */
  readonly mode: "default" | "public-only";
  /** The agent's own listeners, denied on every address of this host. */
  readonly ownPorts: readonly number[];
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
export function createEgressPolicy(rules: EgressRules): EgressPolicy {
  const allowed = blockList(rules.allowCidrs);
  const denied = blockList([...rules.denyCidrs, ...neverCidrs, ...(rules.mode === "public-only" ? privateCidrs : [])]);
  const loopback = blockList(["127.0.0.0/8", "::1"]);
  const allowedNames = nameMatcher(rules.allowDomains ?? []);
  const deniedNames = nameMatcher([...(rules.denyDomains ?? []), ...metadataNames]);
  const allowsAddresses = rules.allowCidrs.length > 0;

  function checkName(host: string): void {
    const name = host.toLowerCase().replace(/\.$/, "");
    if (deniedNames(name) && !allowedNames(name)) throw denial(name);
  }

  /** Kept, because targets come again and each question makes a native address for the garbage collector. */
  const kinds = new BoundedCache<"allowed" | "denied" | "loopback" | "other">(1_000, (plain) => {
    const inner = embeddedIPv4(plain);
    const within = (list: BlockList): boolean => contains(list, plain) || (inner !== null && contains(list, inner));
    if (allowsAddresses && within(allowed)) return "allowed";
    if (within(denied)) return "denied";
    return within(loopback) ? "loopback" : "other";
  });

  function check(address: string, port: number, host: string): void {
    checkName(host);
    const plain = withoutZone(address);
    const kind = kinds.get(plain);
    if (kind === "denied") throw denial(plain === host ? plain : `${host} (${plain})`);
    if (kind === "allowed" || !rules.ownPorts.includes(port)) return;
    if (kind === "loopback" || isOwnAddress(plain)) throw denial(`the agent's own port ${port}`);
  }

  return { check, checkName };
}

/** Asked about own ports only, so it may look anew each time: interfaces come and go. */
function isOwnAddress(address: string): boolean {
  const own = blockList(Object.values(networkInterfaces()).flatMap((all) => all?.map((one) => withoutZone(one.address)) ?? []));
  const inner = embeddedIPv4(address);
  return contains(own, address) || (inner !== null && contains(own, inner));
}

function denial(what: string): ProbeError {
  return new ProbeError("EPOLICY", `the agent's egress policy does not allow ${what}`);
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, hasIPv6Form(address) ? "ipv6" : "ipv4");
}

function blockList(cidrs: readonly string[]): BlockList {
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
