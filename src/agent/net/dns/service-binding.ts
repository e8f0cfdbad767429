import { formatIPv4, formatIPv6 } from "./address-text.ts";
import { MalformedMessage, type PacketReader, quoted } from "./packet-reader.ts";

/** Value of one parameter as text, after its key; an empty string where a key says it all. */
type ParameterText = (value: Buffer) => string;

const parameters: readonly { readonly key: string; readonly text: ParameterText }[] = [
  { key: "mandatory", text: (value) => `=${inParts(value, 2, (part) => keyName(part.readUInt16BE()))}` },
  { key: "alpn", text: (value) => `=${quoted(Buffer.from(protocolIds(value), "latin1"))}` },
  { key: "no-default-alpn", text: (value) => (value.length === 0 ? "" : wrongLength()) },
  { key: "port", text: (value) => (value.length === 2 ? `=${value.readUInt16BE()}` : wrongLength()) },
  { key: "ipv4hint", text: (value) => `=${inParts(value, 4, formatIPv4)}` },
  { key: "ech", text: (value) => `=${value.toString("base64")}` },
  { key: "ipv6hint", text: (value) => `=${inParts(value, 16, formatIPv6)}` },
  { key: "dohpath", text: (value) => `=${quoted(value)}` },
];

/** Data of SVCB and HTTPS records as text (RFC 9460 §2.1). Keys must rise. */
export function serviceBinding(reader: PacketReader, end: number): string {
  let text = `${reader.u16()} ${reader.name()}`;
  let lastKey = -1;
  while (reader.at < end) {
    const key = reader.u16();
    const value = reader.bytes(reader.u16());
    if (key <= lastKey) throw new MalformedMessage("the parameters of a service binding are not in order");
    lastKey = key;
    text += ` ${keyName(key)}${parameters[key]?.text(value) ?? (value.length === 0 ? "" : `=${quoted(value)}`)}`;
  }
  return text;
}

function keyName(key: number): string {
  return parameters[key]?.key ?? `key${key}`;
}

function inParts(value: Buffer, size: number, text: (part: Buffer) => string): string {
  if (value.length === 0 || value.length % size !== 0) return wrongLength();
  return Array.from({ length: value.length / size }, (_, index) => text(value.subarray(size * index, size * (index + 1)))).join(",");
}

/** Commas and backslashes inside an id are escaped, and once more by the quotes (RFC 9460 §A.1). */
function protocolIds(value: Buffer): string {
  const ids: string[] = [];
  for (let at = 0; at < value.length; ) {
    const length = value[at] ?? 0;
    if (length === 0 || at + 1 + length > value.length) return wrongLength();
    ids.push(value.toString("latin1", at + 1, at + 1 + length).replace(/[\\,]/g, "\\$&"));
    at += 1 + length;
  }
  return ids.length === 0 ? wrongLength() : ids.join(",");
}

function wrongLength(): never {
  throw new MalformedMessage("a parameter of a service binding has the wrong length");
}
