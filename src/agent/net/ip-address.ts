/** Tells IPv6 from IPv4 in what is known to be an address; node:net's isIPv6 is a regular expression of a microsecond. */
export function hasIPv6Form(address: string): boolean {
  return address.includes(":");
}

/** A host as URLs write it, without the brackets of an IPv6 address. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

/** An address without its zone (`fe80::1%eth0`), which says where to send it, not what it is. */
export function withoutZone(address: string): string {
  const zone = address.indexOf("%");
  return zone < 0 ? address : address.slice(0, zone);
}
