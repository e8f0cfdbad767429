import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type OutgoingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import { codeOf, ProbeError, socketFailure } from "../../net/probe-error.ts";
import { FrameMeter, notHttp2 } from "./frame-meter.ts";
import { messageLimitBytes } from "./message-reader.ts";
import { MeteredStream } from "./metered-stream.ts";

/** Of headers, and of trailers: what is told the server, which HTTP/2 does not hold it to, and what node:http2 does (bytes, lines). */
export const [headersLimitBytes, maxHeaderPairs] = [16 * 1024, 200];
/** A message fits into the window, so that reading it does not wait for ours: the download is the server's and the network's. */
const windowBytes = messageLimitBytes + 64 * 1024;

/** HTTP/2 over a connected socket, for a few calls. Ends with `close`, which leaves nothing behind. */
export class CallSession {
  readonly peer: string;
  readonly #session: ClientHttp2Session;
  readonly #meter: FrameMeter;
  readonly #stream: MeteredStream;
  /** Why the connection is of no more use; told in the place of what follows from it. */
  #failure: ProbeError | null = null;

  /** @param authority `https://host:port`, as `:scheme` and `:authority` tell it */
  constructor(socket: Socket, authority: string, peer: string) {
    this.peer = peer;
    this.#meter = new FrameMeter(peer);
    this.#stream = new MeteredStream(socket, this.#meter);
    this.#stream.on("error", (cause) => {
      if (cause instanceof ProbeError) this.#failure ??= cause;
    });
    this.#session = connect(authority, {
      createConnection: () => this.#stream,
      settings: { enablePush: false, initialWindowSize: windowBytes, maxHeaderListSize: headersLimitBytes },
      maxHeaderListPairs: maxHeaderPairs,
      maxReservedRemoteStreams: 0,
    });
    this.#session.on("connect", () => {
      if (!this.#session.destroyed) this.#session.setLocalWindowSize(2 * windowBytes);
    });
    this.#session.on("error", (cause) => {
      if (!this.#meter.hasBrokenOff) this.#failure ??= this.#failureFrom(cause);
    });
    this.#session.on("goaway", (code) => {
      if (code !== 0 && this.#meter.hasBrokenOff) this.#failure ??= ended(this.peer, "ended the connection", code);
    });
  }

  /**
   * Opens the stream of one call. Its end, and why, are told by its events; `failureOf` puts them into words.
   *
   * @throws {ProbeError} EGRPCREQUEST for headers that cannot be sent; why the connection is of no more use
   */
  open(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    try {
      return this.#session.request(headers);
    } catch (cause) {
      if (codeOf(cause) !== "ERR_HTTP2_HEADER_SINGLE_VALUE") throw this.failureOf(cause, undefined);
      throw new ProbeError("EGRPCREQUEST", '"grpcConfig.metadata" has a key twice that may be sent once only', { cause });
    }
  }

  /** Why a stream ended without a status. @param cause its error; undefined where it was only closed */
  failureOf(cause: unknown, resetCode: number | undefined): ProbeError {
    if (this.#failure !== null) return this.#failure;
    if (codeOf(cause) !== "" && !isOfHttp2(cause)) return this.#failureFrom(cause);
    const { beginning, hasBrokenOff } = this.#meter;
    if (beginning !== "") return notHttp2(this.peer, beginning);
    if (hasBrokenOff) return ended(this.peer, "broke off the call", resetCode ?? 0);
    if (resetCode === constants.NGHTTP2_ENHANCE_YOUR_CALM) return headersTooLarge(this.peer);
    if (resetCode === undefined || resetCode === constants.NGHTTP2_NO_ERROR || resetCode === constants.NGHTTP2_CANCEL)
      return new ProbeError("ECONNRESET", `${this.peer} closed the connection before it answered`);
    return this.#failureFrom(cause);
  }

  close(): void {
    this.#session.destroy();
    this.#stream.destroy();
  }

  #failureFrom(cause: unknown): ProbeError {
    if (cause instanceof ProbeError) return cause;
    if (isOfHttp2(cause)) return new ProbeError("EPROTO", `${this.peer} broke the rules of HTTP/2 (${reasonOf(cause)})`, { cause });
    return socketFailure(cause, this.peer, "before it answered");
  }
}

export function headersTooLarge(peer: string): ProbeError {
  return new ProbeError("EHEADERSIZE", `${peer} sent more than ${headersLimitBytes} bytes or ${maxHeaderPairs} lines of headers`);
}

function isOfHttp2(cause: unknown): boolean {
  return codeOf(cause).startsWith("ERR_HTTP2");
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error && codeOf(cause) === "ERR_HTTP2_ERROR" ? cause.message.slice(0, 200) : codeOf(cause);
}

const namesOfCodes: ReadonlyMap<unknown, string> = new Map(
  Object.entries(constants)
    .filter(([name]) =>
      /^NGHTTP2_(NO_ERROR|CANCEL|ENHANCE_YOUR_CALM|INADEQUATE_SECURITY|HTTP_1_1_REQUIRED|REFUSED_STREAM|STREAM_CLOSED|\w+_ERROR|SETTINGS_TIMEOUT)$/.test(
        name,
      ),
    )
    .map(([name, code]) => [code, name.replace("NGHTTP2_", "")]),
);

function ended(peer: string, how: string, code: number): ProbeError {
  return new ProbeError("ECONNRESET", `${peer} ${how} (HTTP/2 ${namesOfCodes.get(code) ?? code})`);
}
