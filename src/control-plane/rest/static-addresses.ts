import { isIPv4 } from "node:net";
import {
  listStaticIps,
  listStaticIpsAsText,
  listStaticIpsByRegion,
  listStaticIpv6s,
  listStaticIpv6sAsText,
  listStaticIpv6sByRegion,
} from "#contract/static-addresses.ts";
import { type Handler, handler } from "../http/handler.ts";

export interface StaticAddressDeps {
  /** By location, as the operator declares them. */
  readonly egressAddresses: ReadonlyMap<string, readonly string[]>;
}

export function staticAddressHandlers({ egressAddresses }: StaticAddressDeps): readonly Handler[] {
  const four = only(egressAddresses, isIPv4);
  const six = new Map(
    [...only(egressAddresses, (address) => !isIPv4(address))].map(([location, list]) => [location, list.map(asNetwork)] as const),
  );
  return [
    handler(listStaticIps, async () => all(four)),
    handler(listStaticIpsByRegion, async () => Object.fromEntries(four)),
    handler(listStaticIpsAsText, async () => lines(all(four))),
    handler(listStaticIpv6s, async () => all(six)),
    handler(listStaticIpv6sByRegion, async () => Object.fromEntries(six)),
    handler(listStaticIpv6sAsText, async () => lines(all(six))),
  ];
}

/** Clients of the contract read IPv6 as networks, and refuse what is none. */
function asNetwork(address: string): string {
  return address.includes("/") ? address : `${address}/128`;
}

function only(addresses: StaticAddressDeps["egressAddresses"], wanted: (address: string) => boolean): ReadonlyMap<string, string[]> {
  const found = [...addresses].map(([location, list]): [string, string[]] => [location, list.filter(wanted)]);
  return new Map(found.filter(([, list]) => list.length > 0));
}

function all(byLocation: ReadonlyMap<string, readonly string[]>): string[] {
  return [...new Set([...byLocation.values()].flat())];
}

function lines(addresses: readonly string[]): string {
  return addresses.map((address) => `${address}\n`).join("");
}
