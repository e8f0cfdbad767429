import { ProbeError } from "./probe-error.ts";

/** Lower-case name to value, several values joined with ", "; without a prototype, since the names are the peer's words. */
export type HeaderRecord = Readonly<Record<string, string>>;

export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderRecord;
  /** Names and values alternate, as received. */
  readonly rawHeaders: readonly string[];
}

/** Who is told what a response holds, as it comes. Each may throw; the reader is of no use then. */
export interface ResponseEvents {
  /** The final head; interim ones (1xx) are passed over. `body` is what may follow. */
  readonly onHead: (head: ResponseHead) => BodyFollows;
  /** A part of the body, valid during the call only: its memory is used again. */
  readonly onBody: (part: Buffer) => void;
  /** The response is whole; what else the peer sends is not looked at. */
  readonly onEnd: () => void;
}

/** `no`: the head is all that is read, by the method (HEAD, CONNECT) or because nobody wants more. */
export type BodyFollows = "as the head says" | "no";

/** For a head, and again for what surrounds the chunks: extensions and trailers. */
export const headerBlockBytes = 16 * 1024;
const maxHeaders = 1_000;
/** Some 2,500 times 100 Continue: nobody's patience ends there, but a flood of them costs us CPU. */
const interimBytes = 64 * 1024;

const LF = 10;
const statusLine = /^HTTP\/1\.[01] ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const headerLine = /^[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*$/;
const sizeLine = /^([\da-f]{1,12})(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?$/i;

/**
 * What comes next: `status` and `header` make up the head, `size`, `chunk`, `chunkEnd` and `trailer` a chunked body,
 * `length` one with Content-Length and `close` one that ends with the connection. `done` is the end.
 */
type State = "status" | "header" | "size" | "chunk" | "chunkEnd" | "trailer" | "length" | "close" | "done";

/**
 * Reads one HTTP/1.1 response from bytes as they come, however they are cut (RFC 9112, as strict as node:http: CRLF
 * only, no folded lines, one Content-Length, never beside Transfer-Encoding). It knows no socket and no clock.
 */
export class ResponseReader {
  readonly #peer: string;
  readonly #events: ResponseEvents;
  #state: State = "status";
  /** The beginning of a line whose end has not come. */
  #line = "";
  /** Of the present block of lines. */
  #lineBytes = 0;
  #interimBytes = 0;
  #status = 0;
  #statusText = "";
  #rawHeaders: string[] = [];
  /** Of the present chunk, or of the body. */
  #bytesLeft = 0;

  /** @param peer for messages: `10.0.0.1:443` */
  constructor(peer: string, events: ResponseEvents) {
    this.#peer = peer;
    this.#events = events;
  }

  /** The response is whole. */
  get isDone(): boolean {
    return this.#state === "done";
  }

  /** @throws {ProbeError} EPROTO, EHEADERSIZE */
  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && this.#state !== "done") {
      at = this.#state === "chunk" || this.#state === "length" || this.#state === "close" ? this.#body(bytes, at) : this.#lineOf(bytes, at);
    }
  }

  /** The peer closed: the end of a body without a length. @returns whether the response is whole */
  close(): boolean {
    if (this.#state === "close") this.#end();
    return this.isDone;
  }

  #body(bytes: Buffer, at: number): number {
    const end = this.#state === "close" ? bytes.length : Math.min(bytes.length, at + this.#bytesLeft);
    this.#bytesLeft -= end - at;
    this.#events.onBody(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    if (this.#bytesLeft > 0 || this.#state === "close" || this.#state === "done") return end;
    if (this.#state === "length") this.#end();
    else this.#state = "chunkEnd";
    return end;
  }

  #lineOf(bytes: Buffer, at: number): number {
    const lf = bytes.indexOf(LF, at);
    const end = lf < 0 ? Math.min(bytes.length, at + headerBlockBytes + 1) : lf + 1;
    const line = this.#line + bytes.toString("latin1", at, end);
    if (this.#state === "status" && !(line.length < 7 ? "HTTP/1.".startsWith(line) : line.startsWith("HTTP/1.")))
      throw this.#broken("no status line");
    this.#lineBytes += end - at;
    if (this.#lineBytes > headerBlockBytes) throw this.#tooLarge();
    this.#line = lf < 0 ? line : "";
    if (lf < 0) return end;
    if (line.charCodeAt(line.length - 2) !== 13) throw this.#broken("a line does not end with CR and LF");
    this.#take(line.slice(0, -2));
    return end;
  }

  #take(line: string): void {
    if (this.#state === "status") this.#takeStatus(line);
    else if (this.#state === "header") this.#takeHeader(line);
    else if (this.#state === "size") this.#takeSize(line);
    else if (this.#state === "chunkEnd") this.#takeChunkEnd(line);
    else this.#takeTrailer(line);
  }

  #takeStatus(line: string): void {
    const [, status, statusText = ""] = statusLine.exec(line) ?? [];
    if (status === undefined) throw this.#broken("no status line");
    this.#status = Number(status);
    this.#statusText = statusText;
    this.#rawHeaders = [];
    this.#state = "header";
  }

  #takeHeader(line: string): void {
    if (line === "") return this.#headEnd();
    if (!headerLine.test(line)) throw this.#broken("a line among the headers is none");
    if (this.#rawHeaders.push(...splitHeader(line)) > 2 * maxHeaders) throw this.#tooLarge();
  }

  #headEnd(): void {
    const status = this.#status;
    if (status === 101) throw new ProbeError("EPROTO", `${this.#peer} switched to a protocol that nobody asked for`);
    if (status < 200) {
      this.#interimBytes += this.#lineBytes;
      if (this.#interimBytes > interimBytes) throw this.#tooLarge();
      this.#lineBytes = 0;
      this.#state = "status";
      return;
    }
    const headers = headerRecord(this.#rawHeaders);
    const framing = this.#framing(headers);
    const follows = this.#events.onHead({ status, statusText: this.#statusText, headers, rawHeaders: this.#rawHeaders });
    this.#lineBytes = 0;
    this.#state = framing;
    if (follows === "no" || status === 204 || status === 304 || (framing === "length" && this.#bytesLeft === 0)) this.#end();
  }

  /** RFC 9112 §6.3. A length beside chunks is how responses are smuggled, so it is refused. */
  #framing(headers: HeaderRecord): "size" | "length" | "close" {
    const codings = headers["transfer-encoding"];
    const length = headers["content-length"];
    if (codings !== undefined) {
      if (length !== undefined) throw this.#broken("it has both Content-Length and Transfer-Encoding");
      return /(?:^|,)[\t ]*chunked$/i.test(codings) ? "size" : "close";
    }
    if (length === undefined) return "close";
    if (!/^\d{1,15}$/.test(length)) throw this.#broken("its Content-Length is no number");
    this.#bytesLeft = Number(length);
    return "length";
  }

  #takeSize(line: string): void {
    const [, size] = sizeLine.exec(line) ?? [];
    if (size === undefined) throw this.#broken("a chunk has no size");
    this.#bytesLeft = Number.parseInt(size, 16);
    // Only what is said beside sizes and data is bounded: a body may have many chunks.
    this.#lineBytes -= Math.min(this.#lineBytes, size.length + 4);
    this.#state = this.#bytesLeft === 0 ? "trailer" : "chunk";
  }

  #takeChunkEnd(line: string): void {
    if (line !== "") throw this.#broken("a chunk is longer than it says");
    this.#state = "size";
  }

  #takeTrailer(line: string): void {
    if (line === "") this.#end();
    else if (!headerLine.test(line)) throw this.#broken("a trailer is no header");
  }

  #end(): void {
    this.#state = "done";
    this.#events.onEnd();
  }

  #broken(why: string): ProbeError {
    return new ProbeError("EPROTO", `${this.#peer} does not speak valid HTTP/1.1 (${why})`);
  }

  #tooLarge(): ProbeError {
    return new ProbeError("EHEADERSIZE", `${this.#peer} sent more than ${headerBlockBytes / 1024} KB of headers`);
  }
}

/** Header names and values in turn as a record; names as they are, or lower-case. */
export function headerRecord(flat: readonly string[], lowerCase = true): Record<string, string> {
  const headers = { __proto__: null } as unknown as Record<string, string>;
  for (let index = 0; index < flat.length; index += 2) {
    const name = lowerCase ? (flat[index] ?? "").toLowerCase() : (flat[index] ?? "");
    const value = flat[index + 1] ?? "";
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

/** Not `trim`: to HTTP, only spaces and tabs are white (RFC 9110 §5.5). */
function splitHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  let start = colon + 1;
  let end = line.length;
  while (start < end && isBlank(line.charCodeAt(start))) start += 1;
  while (end > start && isBlank(line.charCodeAt(end - 1))) end -= 1;
  return [line.slice(0, colon), line.slice(start, end)];
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
