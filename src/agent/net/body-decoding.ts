import type { Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from "node:zlib";
import { ProbeError } from "./probe-error.ts";

/**
 * The one content encoding of a response, lower-case, or null for none. Words that are no compression (`utf-8`,
 * `aws-chunked`: servers say them) leave the body as it is, as curl and browsers do.
 *
 * @throws {ProbeError} EBODYENCODING when encodings are stacked
 */
export function contentEncoding(header: string | undefined): Encoding | null {
  const named = (header ?? "")
    .split(",")
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== "" && word !== "identity");
  if (named.length > 1) throw new ProbeError("EBODYENCODING", `the body has ${named.length} content encodings; one is read`);
  return named[0] !== undefined && isEncoding(named[0]) ? named[0] : null;
}

const encodings = ["gzip", "x-gzip", "deflate", "br", "zstd"] as const;
export type Encoding = (typeof encodings)[number];

function isEncoding(word: string): word is Encoding {
  return (encodings as readonly string[]).includes(word);
}

/** A decoder for a body that begins with `first`: some servers send "deflate" without the zlib header. */
export function createDecoder(encoding: Encoding, first: Buffer): Transform {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    case "br":
      return createBrotliDecompress();
    case "zstd":
      // 8 MB, the most that a content encoding may ask for (RFC 9659).
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } });
  }
}
