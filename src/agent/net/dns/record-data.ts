import { formatIPv4, formatIPv6 } from "./address-text.ts";
import { MalformedMessage, type PacketReader, quoted } from "./packet-reader.ts";
import { typeNumber } from "./registry.ts";
import { serviceBinding } from "./service-binding.ts";

/** Reads the data of one record, which ends at `end`. */
type DataReader = (reader: PacketReader, end: number) => string;

const readers: ReadonlyMap<number, DataReader> = new Map<number, DataReader>([
  [typeNumber("A"), (reader) => formatIPv4(reader.bytes(4))],
  [typeNumber("AAAA"), (reader) => formatIPv6(reader.bytes(16))],
  [typeNumber("NS"), (reader) => reader.name()],
  [typeNumber("CNAME"), (reader) => reader.name()],
  [typeNumber("DNAME"), (reader) => reader.name()],
  [typeNumber("PTR"), (reader) => reader.name()],
  [typeNumber("MX"), (reader) => `${reader.u16()} ${reader.name()}`],
  [typeNumber("TXT"), strings],
  [typeNumber("SPF"), strings],
  [typeNumber("HINFO"), strings],
  [typeNumber("SOA"), soa],
  [typeNumber("SRV"), (reader) => `${reader.u16()} ${reader.u16()} ${reader.u16()} ${reader.name()}`],
  [typeNumber("NAPTR"), naptr],
  [typeNumber("CAA"), caa],
  [typeNumber("TLSA"), (reader, end) => `${reader.u8()} ${reader.u8()} ${reader.u8()} ${inGroups(hexUntil(reader, end))}`],
  [typeNumber("DS"), (reader, end) => `${reader.u16()} ${reader.u8()} ${reader.u8()} ${inGroups(hexUntil(reader, end))}`],
  [typeNumber("SSHFP"), (reader, end) => `${reader.u8()} ${reader.u8()} ${inGroups(hexUntil(reader, end))}`],
  [typeNumber("SVCB"), serviceBinding],
  [typeNumber("HTTPS"), serviceBinding],
]);

/**
 * The data of a record as a zone file holds it and dig shows it; types that we do not know come in the form of RFC 3597.
 * @throws {MalformedMessage} when the data is not what its type asks for
 */
export function readRecordData(reader: PacketReader, type: number, dnsClass: number, length: number): string {
  const end = reader.at + length;
  const read = dnsClass === 1 ? (readers.get(type) ?? generic) : generic;
  const data = read(reader, end);
  if (reader.at !== end) throw new MalformedMessage("the data of a record is not as long as it says");
  return reader.spend(data);
}

function strings(reader: PacketReader, end: number): string {
  const parts: string[] = [];
  while (reader.at < end) parts.push(quotedString(reader));
  if (parts.length === 0) throw new MalformedMessage("a text record without a text");
  return parts.join(" ");
}

function quotedString(reader: PacketReader): string {
  return quoted(reader.bytes(reader.u8()));
}

function soa(reader: PacketReader): string {
  const names = `${reader.name()} ${reader.name()}`;
  return `${names} ${reader.u32()} ${reader.u32()} ${reader.u32()} ${reader.u32()} ${reader.u32()}`;
}

function naptr(reader: PacketReader): string {
  const order = `${reader.u16()} ${reader.u16()}`;
  return `${order} ${quotedString(reader)} ${quotedString(reader)} ${quotedString(reader)} ${reader.name()}`;
}

function caa(reader: PacketReader, end: number): string {
  const flags = reader.u8();
  const tag = reader.bytes(reader.u8()).toString("latin1");
  if (!/^[a-z\d]+$/i.test(tag)) throw new MalformedMessage("a CAA record without a tag");
  return `${flags} ${tag} ${quoted(reader.bytes(end - reader.at))}`;
}

function generic(reader: PacketReader, end: number): string {
  const length = end - reader.at;
  return length === 0 ? "\\# 0" : `\\# ${length} ${inGroups(hexUntil(reader, end))}`;
}

function hexUntil(reader: PacketReader, end: number): string {
  return reader
    .bytes(end - reader.at)
    .toString("hex")
    .toUpperCase();
}

/** dig breaks long hexadecimals so that they can be wrapped. */
function inGroups(hex: string): string {
  return hex.replace(/.{56}(?=.)/g, "$& ");
}
