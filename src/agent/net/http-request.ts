import { ProbeError } from "./probe-error.ts";

/** What goes over the wire. Header names and values alternate; framing headers are among them. */
export interface WireRequest {
  readonly method: string;
  /** A path with its query, a whole URL for a proxy, or the authority for CONNECT. */
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Buffer | null;
}

const token = /^[\w!#$%&'*+.^`|~-]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const requestTarget = /^[\x21-\x7e\x80-\xff]+$/;

/**
 * The request line and headers, to be sent as latin1.
 * @throws {ProbeError} EBADHEADER where something would break out of its line
 */
export function requestHead({ method, path, headers }: WireRequest): string {
  let head = `${method} ${path} HTTP/1.1\r\n`;
  let wrong = token.test(method) && requestTarget.test(path) ? null : "the address of the request";
  for (let index = 0; index < headers.length; index += 2) {
    const [name = "", value = ""] = [headers[index], headers[index + 1]];
    if (!token.test(name) || !fieldValue.test(value)) wrong ??= `the header ${JSON.stringify(name.slice(0, 60))}`;
    head += `${name}: ${value}\r\n`;
  }
  if (wrong !== null) throw new ProbeError("EBADHEADER", `${wrong} holds a line break or other characters that HTTP does not allow`);
  return `${head}\r\n`;
}
