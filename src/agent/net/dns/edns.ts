import { isUtf8 } from "node:buffer";
import { formatIPv4, formatIPv6 } from "./address-text.ts";
import { MalformedMessage, type PacketReader } from "./packet-reader.ts";
import { extendedErrorName, optionName } from "./registry.ts";

/** What the OPT record of an answer says (RFC 6891). */
export interface Edns {
  readonly version: number;
  readonly udpPayloadSize: number;
  /** DNSSEC OK. */
  readonly do: boolean;
  /** Upper eight bits of the response code. */
  readonly extendedCode: number;
  /** `EDE: 22 (No Reachable Authority)`, `NSID: "ns1"` … */
  readonly options: readonly string[];
}

/** What an option may hold as text; longer ones are cut. */
const shownBytes = 256;

/** Reads the OPT record whose class, TTL and length were read. @throws {MalformedMessage} */
export function readEdns(reader: PacketReader, dnsClass: number, ttl: number, length: number): Edns {
  const end = reader.at + length;
  const options: string[] = [];
  while (reader.at < end) {
    const code = reader.u16();
    options.push(reader.spend(optionText(code, reader.bytes(reader.u16()))));
  }
  if (reader.at !== end) throw new MalformedMessage("its OPT record is not as long as it says");
  return { version: (ttl >>> 16) & 0xff, udpPayloadSize: dnsClass, do: (ttl & 0x8000) !== 0, extendedCode: ttl >>> 24, options };
}

function optionText(code: number, value: Buffer): string {
  const text = valueText(optionName(code), value.subarray(0, shownBytes));
  return text === "" ? optionName(code) : `${optionName(code)}: ${text}`;
}

function valueText(name: string, value: Buffer): string {
  if (name === "EDE" && value.length >= 2) return extendedError(value);
  if (name === "NSID") return printable(value) ?? value.toString("hex");
  if (name === "CLIENT-SUBNET" && value.length >= 4) return clientSubnet(value) ?? value.toString("hex");
  if (name === "PADDING") return `${value.length} bytes`;
  return value.toString("hex");
}

/** RFC 8914 §2. */
function extendedError(value: Buffer): string {
  const code = value.readUInt16BE();
  const extra = value.length > 2 ? (printable(value.subarray(2)) ?? value.toString("hex", 2)) : "";
  const known = extendedErrorName(code);
  return `${code}${known === "" ? "" : ` (${known})`}${extra === "" ? "" : `: ${extra}`}`;
}

/** RFC 7871 §6: address, bits asked for, bits answered for. */
function clientSubnet(value: Buffer): string | null {
  const family = value.readUInt16BE();
  const size = family === 1 ? 4 : 16;
  if ((family !== 1 && family !== 2) || value.length > 4 + size) return null;
  const address = Buffer.alloc(size);
  value.copy(address, 0, 4);
  return `${family === 1 ? formatIPv4(address) : formatIPv6(address)}/${value[2]}/${value[3]}`;
}

function printable(value: Buffer): string | null {
  const text = value.toString("utf8").replace(/\0+$/, "");
  return isUtf8(value) && /^[^\p{Cc}]*$/u.test(text) ? JSON.stringify(text) : null;
}
