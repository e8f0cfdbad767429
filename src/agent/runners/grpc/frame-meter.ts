import { ProbeError } from "../../net/probe-error.ts";

const headBytes = 9;
/** DATA frames of this length or more are what a connection is for. */
const usefulBytes = 256;
/** A call and the reflection before it need some fifty frames; a server that measures its bandwidth pings with each part. */
const maxSmallFrames = 2_000;
/** Reflection and one message, twice, with what surrounds them. */
const maxBytes = 20 * 1024 * 1024;
const [dataType, resetType, settingsType, goawayType] = [0, 3, 4, 7];

/**
 * Looks at the heads of the frames that a server sends (RFC 9113 §4.1), before any of them is acted upon. node:http2 answers each PING
 * and SETTINGS, and reads floods of them and of empty frames for as long as they come; this gives them up.
 */
export class FrameMeter {
  readonly #peer: string;
  #head: Buffer = Buffer.alloc(0);
  /** What is left of the frame under way. */
  #skip = 0;
  #bytes = 0;
  #smallFrames = 0;
  #isFirst = true;
  #hasBrokenOff = false;

  constructor(peer: string) {
    this.#peer = peer;
  }

  /** @throws {ProbeError} EPROTO where it is not HTTP/2, EFLOOD */
  push(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > maxBytes) throw this.#flood(`more than ${maxBytes} bytes`);
    for (let at = 0; at < bytes.length; ) {
      const skipped = Math.min(this.#skip, bytes.length - at);
      this.#skip -= skipped;
      at += skipped;
      const part = bytes.subarray(at, at + headBytes - this.#head.length);
      at += part.length;
      this.#head = Buffer.concat([this.#head, part]);
      if (this.#head.length === headBytes) this.#onHead(this.#head.readUIntBE(0, 3), this.#head.readUInt8(3));
    }
  }

  /** What came of a first frame that never became whole, as text; to be told where a connection ends with it. */
  get beginning(): string {
    return this.#isFirst ? this.#head.toString("latin1") : "";
  }

  /** Whether the server itself ended the call or the connection (RST_STREAM, GOAWAY): node:http2 tells its own ends in the same words. */
  get hasBrokenOff(): boolean {
    return this.#hasBrokenOff;
  }

  #onHead(length: number, type: number): void {
    if (this.#isFirst && type !== settingsType) throw notHttp2(this.#peer, this.#head.toString("latin1"));
    this.#isFirst = false;
    this.#head = Buffer.alloc(0);
    this.#skip = length;
    this.#hasBrokenOff ||= type === resetType || type === goawayType;
    if (type === dataType && length >= usefulBytes) return;
    this.#smallFrames += 1;
    if (this.#smallFrames > maxSmallFrames) throw this.#flood(`more than ${maxSmallFrames} frames that carry next to nothing`);
  }

  #flood(what: string): ProbeError {
    return new ProbeError("EFLOOD", `${this.#peer} floods the connection: ${what} for one call`);
  }
}

/** @param beginning the first bytes that came */
export function notHttp2(peer: string, beginning: string): ProbeError {
  const isHttp1 = beginning.startsWith("HTTP/1.");
  // A TLS alert, or the beginning of a handshake (RFC 8446 §5.1).
  const isTls = (beginning.charCodeAt(0) === 0x15 || beginning.charCodeAt(0) === 0x16) && beginning.charCodeAt(1) === 3;
  const what = isHttp1 ? "with HTTP/1" : isTls ? "with TLS; the check has tls off" : "with something that is not HTTP/2";
  return new ProbeError("EPROTO", `${peer} answered ${what}; gRPC needs HTTP/2`);
}
