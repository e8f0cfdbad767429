/** Cookies of a request by their names. The first of a name counts (RFC 6265 §5.4: the one with the longest path). */
export function cookiesOf(header: string): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const part of header.split(";")) {
    const pair = part.trim();
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(at, 0));
    if (at >= 0 && !cookies.has(name)) cookies.set(name, pair.slice(at + 1));
  }
  return cookies;
}
