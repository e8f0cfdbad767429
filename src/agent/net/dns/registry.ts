/** Record types by name (IANA DNS parameters); those that probes ask for, and those that come beside them. */
const types = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  HINFO: 13,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  NAPTR: 35,
  DNAME: 39,
  OPT: 41,
  DS: 43,
  SSHFP: 44,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  NSEC3: 50,
  TLSA: 52,
  SVCB: 64,
  HTTPS: 65,
  SPF: 99,
  ANY: 255,
  CAA: 257,
} as const;

export type RecordTypeName = keyof typeof types;

/** The number of a record type. */
export function typeNumber(name: RecordTypeName): number {
  return types[name];
}

const typeNames: ReadonlyMap<number, string> = new Map(Object.entries(types).map(([name, type]) => [type, name]));

/** `A`, or `TYPE65280` where there is no name (RFC 3597 §5). */
export function typeName(type: number): string {
  return typeNames.get(type) ?? `TYPE${type}`;
}

/** `IN`, or `CLASS42` (RFC 3597 §5). */
export function className(number: number): string {
  if (number === 1) return "IN";
  return number === 3 ? "CH" : `CLASS${number}`;
}

const responseCodes: Readonly<Record<number, string>> = {
  0: "NOERROR",
  1: "FORMERR",
  2: "SERVFAIL",
  3: "NXDOMAIN",
  4: "NOTIMP",
  5: "REFUSED",
  6: "YXDOMAIN",
  7: "YXRRSET",
  8: "NXRRSET",
  9: "NOTAUTH",
  10: "NOTZONE",
  11: "DSOTYPENI",
  16: "BADVERS",
  17: "BADKEY",
  18: "BADTIME",
  19: "BADMODE",
  20: "BADNAME",
  21: "BADALG",
  22: "BADTRUNC",
  23: "BADCOOKIE",
};

/** `NOERROR`, `NXDOMAIN` …; `RCODE12` where there is no name. */
export function responseCodeName(code: number): string {
  return responseCodes[code] ?? `RCODE${code}`;
}

const optionNames: Readonly<Record<number, string>> = {
  1: "LLQ",
  2: "UPDATE-LEASE",
  3: "NSID",
  5: "DAU",
  6: "DHU",
  7: "N3U",
  8: "CLIENT-SUBNET",
  9: "EXPIRE",
  10: "COOKIE",
  11: "TCP-KEEPALIVE",
  12: "PADDING",
  13: "CHAIN",
  14: "KEY-TAG",
  15: "EDE",
};

/** `NSID`, `EDE` …, or `OPT65001`. */
export function optionName(code: number): string {
  return optionNames[code] ?? `OPT${code}`;
}

const extendedErrors = [
  "Other",
  "Unsupported DNSKEY Algorithm",
  "Unsupported DS Digest Type",
  "Stale Answer",
  "Forged Answer",
  "DNSSEC Indeterminate",
  "DNSSEC Bogus",
  "Signature Expired",
  "Signature Not Yet Valid",
  "DNSKEY Missing",
  "RRSIGs Missing",
  "No Zone Key Bit Set",
  "NSEC Missing",
  "Cached Error",
  "Not Ready",
  "Blocked",
  "Censored",
  "Filtered",
  "Prohibited",
  "Stale NXDOMAIN Answer",
  "Not Authoritative",
  "Not Supported",
  "No Reachable Authority",
  "Network Error",
  "Invalid Data",
];

/** What an extended error says (RFC 8914 §5.2), or an empty string. */
export function extendedErrorName(code: number): string {
  return extendedErrors[code] ?? "";
}
