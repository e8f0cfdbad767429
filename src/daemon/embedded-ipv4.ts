/**
 * The IPv4 address that an IPv6 address stands for, or null: mapped (`::ffff:a.b.c.d`), compatible (`::a.b.c.d`),
 * 6to4 (2002::/16) and NAT64 (64:ff9b::/96 and the local 64:ff9b:1::/48 in both its forms). A policy on IPv4 has to see through them.
 *
 * @param address a valid address without a zone
 */
export function embeddedIPv4(address: string): string | null {
  if (!address.includes(":")) return null;
  const g = groupsOf(address);
  if (g[0] === 0x2002) return dotted(g[1], g[2]);
  if (g[0] === 0x64 && g[1] === 0xff9b) return translated(g);
  const zeros = g.findIndex((group) => group !== 0);
  if (zeros === 5 && g[5] === 0xffff) return dotted(g[6], g[7]);
  return zeros === 6 ? dotted(g[6], g[7]) : null;
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = withDottedTailAsGroups(address).split("::");
  const left = parseGroups(head);
  if (tail === undefined) return left;
  const right = parseGroups(tail);
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function parseGroups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

function withDottedTailAsGroups(address: string): string {
  return address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
}

/** By the well-known prefix, or by a local one of 96 or of 48 bits. */
function translated([, , third, fourth, fifth, sixth, seventh, eighth]: readonly number[]): string | null {
  if (third === 1 && seventh === 0 && eighth === 0) return dotted(fourth, shifted(fifth, sixth));
  return third === 0 || third === 1 ? dotted(seventh, eighth) : null;
}

/** The 16 bits that stand 8 bits off: behind a /48 prefix bits 64 to 71 are left out (RFC 6052 §2.2). */
function shifted(left = 0, right = 0): number {
  return ((left & 255) << 8) | (right >> 8);
}

function dotted(high = 0, low = 0): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}
