/** A way to write an IPv4 address as an IPv6 one. */
export interface Embedding {
  readonly name: string;
  /** What begins with 0 is rather the space before an address elsewhere. */
  readonly isAmbiguous?: true;
  readonly write: (address: string) => string;
}

/** Every way that a document of the IETF knows, the RFC in its name. */
export const embeddings: readonly Embedding[] = [
  { name: "mapped (RFC 4291)", write: (address) => `::ffff:${address}` },
  { name: "compatible (RFC 4291)", write: (address) => `::${address}` },
  { name: "translated (RFC 2765)", write: (address) => `::ffff:0:${hex(address)}` },
  { name: "NAT64 (RFC 6052)", write: (address) => `64:ff9b::${address}` },
  { name: "NAT64 of 96 bits (RFC 8215)", write: (address) => `64:ff9b:1:ffff:00ff:ffff:${hex(address)}` },
  { name: "NAT64 of 64 bits (RFC 8215)", isAmbiguous: true, write: (address) => localNat64(address, 8) },
  { name: "NAT64 of 56 bits (RFC 8215)", isAmbiguous: true, write: (address) => localNat64(address, 7) },
  { name: "NAT64 of 48 bits (RFC 8215)", isAmbiguous: true, write: (address) => localNat64(address, 6) },
  { name: "6to4 (RFC 3056)", write: (address) => `2002:${hex(address)}::1` },
  { name: "Teredo's server (RFC 4380)", write: (address) => `2001:0:${hex(address)}:8000:ffff:f7f7:f7f7` },
  { name: "Teredo's client (RFC 4380)", write: (address) => `2001:0:808:808:8000:ffff:${hex(address, 255)}` },
  { name: "ISATAP (RFC 5214)", write: (address) => `2001:db8:1:2:0:5efe:${hex(address)}` },
  { name: "ISATAP, universal (RFC 5214)", write: (address) => `2001:db8:1:2:200:5efe:${hex(address)}` },
];

/** Two groups. @param mask what each byte is turned by */
function hex(address: string, mask = 0): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map((byte) => Number(byte) ^ mask);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

/** The octet at 8 is left out, and what stands behind the address is for translators to ignore. */
function localNat64(address: string, from: number): string {
  const bytes = [0, 0x64, 0xff, 0x9b, 0, 1, ...Array<number>(10).fill(255)];
  let at = from;
  for (const byte of address.split(".").map(Number)) {
    if (at === 8) at += 1;
    bytes[at] = byte;
    at += 1;
  }
  bytes[8] = 0;
  return Array.from({ length: 8 }, (_, index) => (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16)).join(":");
}
