/** `10.0.0.1` for four bytes. */
export function formatIPv4(bytes: Buffer): string {
  return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
}

/** Sixteen bytes by RFC 5952, with a dotted tail where an IPv4 address is embedded (as inet_ntop). */
export function formatIPv6(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index));
  const { start, length } = longestZeros(groups);
  const hex = (from: number, to: number): string =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(":");
  if (start === 0 && (length === 6 || (length === 5 && groups[5] === 0xffff)))
    return `::${length === 5 ? "ffff:" : ""}${formatIPv4(bytes.subarray(12))}`;
  return length < 2 ? hex(0, 8) : `${hex(0, start)}::${hex(start + length, 8)}`;
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  }
  return best;
}
