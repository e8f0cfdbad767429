import { isUtf8 } from "node:buffer";
import { createGunzip } from "node:zlib";
import type { Readable } from "node:stream";
import { AppError } from "#domain/app-error.ts";

/** Far deeper than any body of ours; a deeper one could overflow the stack of whatever walks it. */
const maxDepth = 100;

/**
 * Parses a request body. An empty one is no body.
 *
 * @throws {AppError} invalid_input when it is not UTF-8, not JSON or nested too deeply
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new AppError("invalid_input", "The body is not valid UTF-8");
  if (depthExceeds(bytes, maxDepth)) throw new AppError("invalid_input", `The body is nested more than ${maxDepth} levels deep`);
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw new AppError("invalid_input", "The body is not valid JSON", { cause });
  }
}

/**
 * Unpacks a body by its content-encoding. The framework counts what comes out, so a bomb ends at the body limit.
 *
 * @throws {AppError} invalid_input for an encoding that we do not read
 */
export function decodedBody(body: Readable, encoding: string | undefined): Readable {
  if (encoding === undefined || encoding === "identity") return body;
  if (encoding.toLowerCase() !== "gzip") throw new AppError("invalid_input", "content-encoding must be gzip or absent");
  const gunzip = createGunzip();
  let receivedBytes = 0;
  body.on("data", (chunk: Buffer) => { receivedBytes += chunk.length; });
  body.on("error", (error) => gunzip.destroy(error));
  body.on("aborted", () => gunzip.destroy(new AppError("invalid_input", "The body ended early")));
  // The framework compares this with content-length, which counts packed bytes.
  Object.defineProperty(gunzip, "receivedEncodedLength", { get: () => receivedBytes });
  return body.pipe(gunzip);
}

const quote = 0x22;
const backslash = 0x5c;

/** Counts brackets outside strings, without parsing: deep input must not reach anything recursive. */
function depthExceeds(bytes: Buffer, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (inString) {
      if (byte === backslash) i += 1;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    if (depth > limit) return true;
  }
  return false;
}
