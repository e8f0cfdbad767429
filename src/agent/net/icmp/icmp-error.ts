import { hasIPv6Form } from "../ip-address.ts";
import { hostHasFamily } from "../ip-families.ts";
import { ProbeError } from "../probe-error.ts";
import type { Family } from "./echo-packet.ts";

/** What an ICMP error says, as the code and the words of a failure. */
export interface ErrorMeaning {
  /** `EHOSTUNREACH`, `ENETUNREACH`, `EACCES`, `EMSGSIZE` or `EPROTO`. */
  readonly code: string;
  readonly sentence: string;
}

/** Meanings by type and code (RFC 792, RFC 1122, RFC 1812; RFC 4443); a lone type stands for its other codes. */
const meanings: { readonly [F in Family]: Readonly<Record<string, readonly [code: string, sentence: string]>> } = {
  4: {
    "3": ["EHOSTUNREACH", "destination unreachable"],
    "3/0": ["ENETUNREACH", "network unreachable"],
    "3/1": ["EHOSTUNREACH", "host unreachable"],
    "3/2": ["EPROTO", "the host does not speak ICMP echo"],
    "3/4": ["EMSGSIZE", "packet too large for the path"],
    "3/6": ["ENETUNREACH", "network unknown"],
    "3/7": ["EHOSTUNREACH", "host unknown"],
    "3/9": ["EACCES", "network administratively prohibited"],
    "3/10": ["EACCES", "host administratively prohibited"],
    "3/13": ["EACCES", "administratively prohibited"],
    "11": ["EHOSTUNREACH", "time to live exceeded on the way (a routing loop?)"],
    "12": ["EPROTO", "parameter problem"],
  },
  6: {
    "1": ["EHOSTUNREACH", "destination unreachable"],
    "1/0": ["ENETUNREACH", "no route to the network"],
    "1/1": ["EACCES", "administratively prohibited"],
    "1/3": ["EHOSTUNREACH", "address unreachable"],
    "1/5": ["EACCES", "source address refused by policy"],
    "1/6": ["EACCES", "route rejected"],
    "2": ["EMSGSIZE", "packet too large for the path"],
    "3": ["EHOSTUNREACH", "hop limit exceeded on the way (a routing loop?)"],
    "4": ["EPROTO", "parameter problem"],
  },
};

export function errorMeaning(family: Family, type: number, code: number): ErrorMeaning {
  const known = meanings[family][`${type}/${code}`] ?? meanings[family][String(type)] ?? ["EHOSTUNREACH", "ICMP error"];
  return { code: known[0], sentence: `${known[1]} (type ${type}, code ${code})` };
}

/** The failure of a check of which no request left this host, by the code of the kernel's refusal. @param what of `no … could be sent` */
export function unsentError(address: string, code: string, what = "echo request"): ProbeError {
  const isTarget = code === "EHOSTUNREACH" || (code === "ENETUNREACH" && hostHasFamily(hasIPv6Form(address) ? "IPv6" : "IPv4"));
  const because = refusals[code] ?? `the kernel refuses it with ${code}`;
  return new ProbeError(code, `no ${what} to ${address} could be sent: ${because}`, { side: isTarget ? "target" : "agent" });
}

const refusals: Readonly<Record<string, string>> = {
  EPERM: "the firewall of the agent's own host forbids it",
  ENETUNREACH: "the agent's host has no route there",
  EHOSTUNREACH: "the agent's host finds no way there",
  EADDRNOTAVAIL: "the agent's host has no address to send it from",
  ENOBUFS: "the agent's host has no room for more packets",
  EACCES: "it is a broadcast address",
};
