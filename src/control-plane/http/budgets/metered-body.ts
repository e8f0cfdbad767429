import { type Readable, Transform } from "node:stream";
import { createGunzip } from "node:zlib";
import { AppError } from "#domain/app-error.ts";
import type { Hold } from "./held-bytes.ts";

/** What zlib keeps for a stream that is being unpacked. */
const gunzipBytes = 65_536;
/** A body has so long to begin with, and then must keep up with the slowest rate, on average. */
const graceMs = 10_000;
const slowestBytesPerSecond = 4_096;
/** So much of a body that was refused is read on and thrown away: a client that still sends does not see the answer otherwise. */
const readOnBytes = 8 * 1_048_576;

/**
 * A body whose bytes are counted as they arrive, packed and unpacked, and which must not be slower than a link that works. The
 * framework counts what comes out, too, so a bomb ends at the body limit.
 *
 * @throws {AppError} invalid_input for an encoding that we do not read
 */
export function meteredBody(body: Readable, encoding: string | undefined, hold: Hold): Readable {
  const isPacked = encoding !== undefined && encoding !== "identity";
  // RFC 9110 §8.4.1.3
  if (isPacked && !["gzip", "x-gzip"].includes(encoding.toLowerCase()))
    throw new AppError("invalid_input", "content-encoding must be gzip or absent");
  let receivedBytes = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(held(hold, chunk.length), chunk);
    },
  });
  const fail = (error: Error): void => void meter.destroy(error);
  meter.on("error", () => undefined); // whoever reads it is told, and after that nobody
  const stopWatching = watchRate(() => receivedBytes, fail);
  for (const over of ["end", "close"]) body.once(over, stopWatching);
  body.on("data", (chunk: Buffer) => {
    receivedBytes += chunk.length;
  });
  body.on("error", fail).on("aborted", () => fail(new AppError("invalid_input", "The body ended early")));
  if (isPacked) {
    const gunzip = createGunzip().on("error", fail);
    const problem = held(hold, gunzipBytes);
    if (problem !== null) fail(problem);
    meter.once("close", () => gunzip.destroy());
    body.pipe(gunzip).pipe(meter);
  } else body.pipe(meter);
  meter.once("close", () => {
    stopWatching();
    readOn(body, readOnBytes);
  });
  // The framework compares this with content-length, which counts packed bytes.
  Object.defineProperty(meter, "receivedEncodedLength", { get: () => receivedBytes });
  return meter;
}

function held(hold: Hold, bytes: number): Error | null {
  try {
    hold.add(bytes);
    return null;
  } catch (error) {
    return error as AppError; // it throws nothing else
  }
}

/** @returns ends it */
function watchRate(receivedBytes: () => number, fail: (error: AppError) => void): () => void {
  const startedMs = performance.now();
  const timer = setInterval(() => {
    const elapsedMs = performance.now() - startedMs;
    if (receivedBytes() >= ((elapsedMs - graceMs) / 1_000) * slowestBytesPerSecond) return;
    fail(new AppError("try_again", `The body came more slowly than ${slowestBytesPerSecond} bytes a second`));
  }, graceMs).unref();
  return () => clearInterval(timer);
}

/** What is left of a body that was answered early, up to a limit. */
export function readOn(body: Readable, limitBytes: number): void {
  let left = limitBytes;
  if (body.readableEnded || body.destroyed) return;
  body.on("error", () => undefined); // nobody waits for it any more
  body.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) body.destroy();
  });
  body.resume();
}
