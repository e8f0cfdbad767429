import { networkInterfaces } from "node:os";
import type { IpFamily } from "./connection.ts";
import { hasIPv6Form } from "./ip-address.ts";
import { codeOf } from "./probe-error.ts";

/**
 * The families to try for a check that wants `ipFamily`, in this order. IPv6 on a host without it goes over IPv4, and the result
 * says so. Literals and loopback names are taken at their word.
 */
export function familiesToTry(host: string, ipFamily: IpFamily): readonly (4 | 6)[] {
  if (ipFamily === "IPv4") return [4];
  if (hasIPv6Form(host) || isLoopbackName(host)) return [6];
  return hostHasFamily("IPv6") ? [6, 4] : [4];
}

/** Whether a failure over IPv6 says that this host has no such network, so that the next family may be tried. */
export function isWithoutFamily(error: unknown): boolean {
  return ["EAFNOSUPPORT", "ENETUNREACH", "EADDRNOTAVAIL"].includes(codeOf(error));
}

/** `localhost` and the names under it (RFC 6761). */
function isLoopbackName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

/** Whether an interface other than loopback has an address of the family; link-local ones lead nowhere. */
export function hostHasFamily(family: IpFamily): boolean {
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some((entry) => entry.family === family && !entry.internal && !(entry.family === "IPv6" && entry.scopeid !== 0)),
  );
}
