/** With the dots between its labels (RFC 1035 §2.3.4). */
const maxLength = 253;

/**
 * The name of a host as its PTR record tells it, without the final dot and in small letters; null where it is no name of a host
 * (RFC 1123 §2.1, and underscores). Whoever owns an address writes what he likes there: it must not reach a page or a terminal.
 */
export function cleanHostName(text: string): string | null {
  const name = text.replace(/\.$/, "").toLowerCase();
  if (name.length > maxLength) return null;
  return /^[a-z\d_](?:[a-z\d_-]*[a-z\d_])?(?:\.[a-z\d_](?:[a-z\d_-]*[a-z\d_])?)*$/.test(name) ? name : null;
}
