import { isUtf8 } from "node:buffer";

/** How much of a body is stored (behaviour 2.2). */
export const storedBodyBytes = 256 * 1024;

export interface StoredBody {
  readonly body: string;
  readonly bodyEncoding?: "base64";
  /** The body was longer than what is stored. */
  readonly truncated: boolean;
}

/**
 * The first 256 KB of a body: as text where it is text (cut between characters), else as base64. A NUL makes it
 * binary, because not every store takes one in a text.
 */
export function storedBody(bytes: Buffer, contentType: string | undefined, capped: boolean): StoredBody {
  const truncated = capped || bytes.length > storedBodyBytes;
  const decoder = foreignDecoder(contentType);
  const cut =
    bytes.length > storedBodyBytes ? bytes.subarray(0, decoder === null ? utf8Cut(bytes, storedBodyBytes) : storedBodyBytes) : bytes;
  if (decoder !== null) return { body: decoder.decode(cut).replaceAll("\0", "\u{fffd}"), truncated };
  if (isUtf8(cut) && !cut.includes(0)) return { body: cut.toString("utf8"), truncated };
  return { body: bytes.subarray(0, storedBodyBytes).toString("base64"), bodyEncoding: "base64", truncated };
}

/** The whole body as text, by the charset that the response names; without a byte order mark. */
export function bodyText(bytes: Buffer, contentType: string | undefined): string {
  const text = foreignDecoder(contentType)?.decode(bytes) ?? bytes.toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** A decoder where the response names a charset other than UTF-8 that is known, else null. */
function foreignDecoder(contentType: string | undefined): TextDecoder | null {
  const label = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? "")?.[1];
  if (label === undefined || /^utf-?8$/i.test(label)) return null;
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}

/** The last boundary between characters at or before `limit`: a UTF-8 character has at most 3 continuation bytes. */
function utf8Cut(bytes: Buffer, limit: number): number {
  for (let end = limit; end > limit - 4; end -= 1) {
    if (((bytes[end] ?? 0) & 0xc0) !== 0x80) return end;
  }
  return limit;
}
