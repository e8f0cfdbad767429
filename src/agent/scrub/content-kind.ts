/** What can be looked into; a page may carry archives. */
export type ArchiveKind = "gzip" | "zip" | "tar" | "page";
export type ContentKind =
  | { readonly is: "text" | "binary" }
  | { readonly is: "archive"; readonly kind: ArchiveKind }
  | { readonly is: "closed"; readonly what: string };

/** So many bytes of the beginning say what a content is. */
export const headBytes = 4_096;

const tarMagicAt = 257;
const tarSum = { at: 148, bytes: 8 } as const;
export const tarBlock = 512;
const escape = "\u001b";

const closed: readonly (readonly [string, readonly number[]])[] = [
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
  ["xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ["7z", [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]],
  ["rar", [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07]],
  ["bzip2", [0x42, 0x5a, 0x68]],
  ["lz4", [0x04, 0x22, 0x4d, 0x18]],
  ["compress", [0x1f, 0x9d]],
  ["lzip", [0x4c, 0x5a, 0x49, 0x50]],
  ["cab", [0x4d, 0x53, 0x43, 0x46]],
  ["zlib", [0x78, 0x01]],
  ["zlib", [0x78, 0x5e]],
  ["zlib", [0x78, 0x9c]],
  ["zlib", [0x78, 0xda]],
];

/** A text may begin so, too. */
const letters: ReadonlySet<string> = new Set(["bzip2", "zlib"]);

/** Formats whose beginning says nothing. */
const closedNames: readonly (readonly [string, RegExp])[] = [
  ["brotli", /\.br$/i],
  ["lzma", /\.lzma$/i],
  ["zlib", /\.(zz|zlib)$/i],
];

/** By its beginning, and for a few formats without one by its name. */
export function contentKind(head: Buffer, name: string): ContentKind {
  if (startsWith(head, [0x1f, 0x8b])) return { is: "archive", kind: "gzip" };
  if (startsWith(head, [0x50, 0x4b, 3, 4]) || startsWith(head, [0x50, 0x4b, 5, 6])) return { is: "archive", kind: "zip" };
  if (isTarHeader(head)) return { is: "archive", kind: "tar" };
  const magic = closed.find(([, bytes]) => startsWith(head, bytes)) ?? closedNames.find(([, pattern]) => pattern.test(name));
  if (magic !== undefined && !(letters.has(magic[0]) && isText(head))) return { is: "closed", what: magic[0] };
  if (/\.html?$/i.test(name)) return { is: "archive", kind: "page" };
  return { is: isText(head) ? "text" : "binary" };
}

/** The oldest kind has no magic, but a checksum as the others. */
function isTarHeader(head: Buffer): boolean {
  if (head.subarray(tarMagicAt, tarMagicAt + 5).toString("latin1") === "ustar") return true;
  const sum = head.subarray(tarSum.at, tarSum.at + tarSum.bytes).toString("latin1");
  return head.length >= tarBlock && /^ *[0-7]+[\0 ]*$/.test(sum) && Number.parseInt(sum, 8) === tarChecksum(head.subarray(0, tarBlock));
}

/** Of a header, with spaces in the place of the checksum. */
export function tarChecksum(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= tarSum.at && index < tarSum.at + tarSum.bytes ? 0x20 : byte), 0);
}

function startsWith(head: Buffer, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => head[index] === byte);
}

/** UTF-8 without control characters; its last letter may be cut. */
function isText(head: Buffer): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return !/(?!\s)\p{Cc}/u.test(text.replaceAll(escape, "")); // it colours lines of logs
  } catch {
    return false;
  }
}
