/**
 * The IPv4 addresses that an IPv6 address may stand for: a translator, a relay or the kernel itself sends its packets there, so a policy
 * on IPv4 has to see through it. Several, where the address alone does not say which of its bits count.
 *
 * Two kinds cannot be told from other addresses, because their prefix is the network's own choice: 6rd (RFC 5969) and NAT64 by a prefix
 * of the network's own (RFC 6052 §2.2). Who runs one denies its prefix (TARGET_DENY_CIDR).
 *
 * @param address a valid address without a zone
 */
export function embeddedIPv4s(address: string): readonly string[] {
  if (!address.includes(":")) return [];
  const groups = groupsOf(address);
  return [...new Set(translations.flatMap(({ isMeant, read }) => (isMeant(groups) ? read(groups) : [])))];
}

type Groups = readonly number[];

interface Translation {
  readonly isMeant: (groups: Groups) => boolean;
  readonly read: (groups: Groups) => readonly string[];
}

const afterPrefix = (bits: number) => (groups: Groups) => [addressAt(groups, bits)];

/** All that stand in a document of the IETF, by prefix; ISATAP by its interface identifier. */
const translations: readonly Translation[] = [
  // IPv4-compatible, ::/96 (RFC 4291 §2.5.5.1); ::1 is loopback
  { isMeant: (groups) => begins(groups, 0, 0, 0, 0, 0, 0) && !(groups[6] === 0 && groups[7] === 1), read: afterPrefix(96) },
  // IPv4-mapped, ::ffff:0:0/96 (RFC 4291 §2.5.5.2)
  { isMeant: (groups) => begins(groups, 0, 0, 0, 0, 0, 0xffff), read: afterPrefix(96) },
  // IPv4-translated, ::ffff:0:0:0/96 (RFC 2765 §2.1, SIIT)
  { isMeant: (groups) => begins(groups, 0, 0, 0, 0, 0xffff, 0), read: afterPrefix(96) },
  // NAT64, 64:ff9b::/96 (RFC 6052 §2.1)
  { isMeant: (groups) => begins(groups, 0x64, 0xff9b, 0, 0, 0, 0), read: afterPrefix(96) },
  // NAT64 of a network's own, 64:ff9b:1::/48 (RFC 8215)
  { isMeant: (groups) => begins(groups, 0x64, 0xff9b, 1), read: localNat64 },
  // 6to4, 2002::/16 (RFC 3056 §2)
  { isMeant: (groups) => begins(groups, 0x2002), read: afterPrefix(16) },
  // Teredo, 2001::/32 (RFC 4380 §4): the server, and the client with its bits turned round
  { isMeant: (groups) => begins(groups, 0x2001, 0), read: (groups) => [addressAt(groups, 32), addressAt(groups.map(turned), 96)] },
  // ISATAP, interface identifier 0:5efe or 200:5efe below any prefix (RFC 5214 §6.1); the bits for "universal" and "group" do not matter
  { isMeant: (groups) => ((groups[4] ?? 0) & ~0x300) === 0 && groups[5] === 0x5efe, read: afterPrefix(96) },
];

/** Prefixes of RFC 6052 §2.2 that fit below 64:ff9b:1::/48; the address begins behind them, less the octet from bit 64 on. */
const localPrefixes = [48, 56, 64, 96] as const;

/**
 * Which of them the network uses is not known, so all are looked at; bits behind the address are for the translator to ignore. Zeros at
 * the beginning count where nothing follows them only: they are rather the space before an address that stands further behind.
 */
function localNat64(groups: Groups): readonly string[] {
  const bytes = bytesOf(groups);
  return localPrefixes.flatMap((bits) => {
    const behind = bytes.filter((_, index) => index >= bits / 8 && index !== 8);
    const [inner, rest] = [(bits === 96 ? bytes.slice(12) : behind).slice(0, 4), behind.slice(4)];
    return inner[0] === 0 && rest.some((byte) => byte !== 0) ? [] : [inner.join(".")];
  });
}

function addressAt(groups: Groups, bit: number): string {
  return bytesOf(groups)
    .slice(bit / 8, bit / 8 + 4)
    .join(".");
}

function begins(groups: Groups, ...prefix: readonly number[]): boolean {
  return prefix.every((group, index) => groups[index] === group);
}

function turned(group: number): number {
  return group ^ 0xffff;
}

function bytesOf(groups: Groups): number[] {
  return groups.flatMap((group) => [group >> 8, group & 255]);
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
