import { promisify } from "node:util";
import { gunzip, inflate, type ZlibOptions } from "node:zlib";
import { codeOf, ProbeError } from "../../net/probe-error.ts";
import { messageLimitBytes, tooLarge, type WireMessage } from "./message-reader.ts";

/** What we say that we can unpack (grpc-accept-encoding). */
export const acceptedEncodings = "identity,gzip,deflate";

type Unpacker = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>;
const unpackers: Readonly<Record<string, Unpacker>> = { gzip: promisify(gunzip), deflate: promisify(inflate) };

/**
 * A message without its compression (gRPC, doc/compression.md). A bomb is given up at the limit, whatever it would unpack to.
 *
 * @param encoding the header `grpc-encoding`
 * @throws {ProbeError} EGRPCENCODING, EGRPCSIZE
 */
export async function unpacked({ isCompressed, bytes }: WireMessage, encoding: string | undefined, peer: string): Promise<Buffer> {
  if (!isCompressed) return bytes;
  const unpacker = Object.hasOwn(unpackers, encoding ?? "") ? unpackers[encoding ?? ""] : undefined;
  if (unpacker === undefined) {
    const named = encoding === undefined ? "does not say how" : `says ${JSON.stringify(encoding.slice(0, 50))}`;
    throw new ProbeError("EGRPCENCODING", `a message of ${peer} is compressed, and it ${named}; gzip and deflate are read`);
  }
  try {
    return await unpacker(bytes, { maxOutputLength: messageLimitBytes });
  } catch (cause) {
    if (codeOf(cause) === "ERR_BUFFER_TOO_LARGE") throw tooLarge(peer, `of ${bytes.length} bytes unpacks to more`);
    throw new ProbeError("EGRPCENCODING", `a message of ${peer} is no valid ${encoding}`, { cause });
  }
}
