import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { ProbeError } from "../probe-error.ts";

/** With the lengths of its labels and the root's (RFC 1035 §2.3.4). */
export const maxNameBytes = 255;
const maxLabelBytes = 63;
const dot = 46;
const backslash = 92;

/**
 * A name as it goes over the wire, uncompressed. Escapes are those of zone files (`\.`, `\032`); other alphabets become
 * their ASCII form (IDNA).
 * @throws {ProbeError} EBADNAME
 */
export function encodeName(name: string): Buffer {
  const text = asciiName(name);
  if (text === ".") return Buffer.alloc(1);
  const wire = Buffer.allocUnsafe(maxNameBytes);
  let labelAt = 0;
  let at = 1;
  const endLabel = (): void => {
    const length = at - labelAt - 1;
    if (length === 0 || length > maxLabelBytes) throw badName(name);
    wire[labelAt] = length;
    labelAt = at;
    at += 1;
  };
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index);
    if (at >= maxNameBytes) throw badName(name);
    if (code === dot) {
      endLabel();
      index += 1;
    } else {
      const escaped = code === backslash ? escapedByte(text, index) : undefined;
      wire[at] = escaped?.byte ?? code;
      at += 1;
      index += escaped?.length ?? 1;
    }
  }
  if (at > labelAt + 1) endLabel();
  if (at > maxNameBytes) throw badName(name);
  wire[labelAt] = 0;
  return wire.subarray(0, at);
}

/** The name under which the owner of an address is asked for: in-addr.arpa (RFC 1035 §3.5), ip6.arpa (RFC 3596 §2.5); null where it is no address. */
export function reverseName(address: string): string | null {
  const version = isIP(address);
  if (version === 0) return null;
  if (version === 4) return `${address.split(".").toReversed().join(".")}.in-addr.arpa.`;
  return `${expandedIPv6(address).toReversed().join(".")}.ip6.arpa.`;
}

/** The 32 nibbles of a valid IPv6 address. */
function expandedIPv6(address: string): string[] {
  // The URL parser turns a dotted tail into groups.
  const [left = [], right] = new URL(`http://[${address.replace(/%.*/, "")}]/`).hostname
    .slice(1, -1)
    .split("::")
    .map((part) => (part === "" ? [] : part.split(":")));
  const zeros = right === undefined ? [] : Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...(right ?? [])].flatMap((group) => group.padStart(4, "0").split(""));
}

function asciiName(name: string): string {
  if (/^[\x20-\x7e]+$/.test(name)) return name;
  // An escape would not survive IDNA, and there is no need for both at once.
  const ascii = name.includes("\\") ? "" : domainToASCII(name);
  if (ascii === "") throw badName(name);
  return ascii;
}

function escapedByte(text: string, index: number): { byte: number; length: number } | undefined {
  const digits = /^\d{3}/.exec(text.slice(index + 1, index + 4))?.[0];
  if (digits !== undefined && Number(digits) < 256) return { byte: Number(digits), length: 4 };
  return index + 1 < text.length ? { byte: text.charCodeAt(index + 1), length: 2 } : undefined;
}

function badName(name: string): ProbeError {
  const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  return new ProbeError("EBADNAME", `"${shown}" is no domain name: labels have 1 to 63 bytes, the whole at most 253`);
}
