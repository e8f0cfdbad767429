/** How a call ended, as the server says. */
export interface GrpcStatus {
  readonly code: number;
  /** Without its percent-encoding; at most 4 KB. */
  readonly message: string;
}

const maxMessageLength = 4_096;

/**
 * The status in headers or trailers (gRPC, doc/PROTOCOL-HTTP2.md); null where there is none.
 *
 * @param headers lower-case names
 */
export function statusIn(headers: Readonly<Record<string, unknown>>): GrpcStatus | null {
  const { "grpc-status": status, "grpc-message": message } = headers;
  if (typeof status !== "string" || !/^\d{1,9}$/.test(status)) return null;
  return { code: Number(status), message: typeof message === "string" ? decodedMessage(message) : "" };
}

/** Percent-decoding that takes what is wrong as it is, as the protocol asks for; a NUL is none that every store takes. */
export function decodedMessage(encoded: string): string {
  const bytes = Buffer.from(
    encoded.slice(0, 3 * maxMessageLength).replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    "latin1",
  );
  return bytes.toString("utf8").replaceAll("\0", "\u{fffd}").slice(0, maxMessageLength);
}
