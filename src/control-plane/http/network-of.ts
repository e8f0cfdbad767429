import { isIPv6 } from "node:net";

/**
 * What attempts of a remote address count for: of IPv6 its network of 64 bits, as whoever has one address there has all of them; of IPv4 the
 * address, also where it came in by a socket of IPv6 (`::ffff:192.0.2.1`).
 */
export function networkOf(address: string): string {
  const [bare = ""] = address.split("%");
  if (!isIPv6(bare)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  return mapped ?? `${groupsOf(bare).slice(0, 4).join(":")}::/64`;
}

/** All eight, each without zeros at its start. */
function groupsOf(address: string): readonly string[] {
  const [, compressed = ""] = /^\[(.*)\]$/.exec(URL.parse(`http://[${address}]`)?.hostname ?? "") ?? [];
  const [left = "", right = ""] = compressed.split("::");
  const [before, after] = [left, right].map((side) => side.split(":").filter((group) => group !== "")) as [string[], string[]];
  return [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
}
