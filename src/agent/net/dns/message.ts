import { encodeName } from "./domain-name.ts";
import { type Edns, readEdns } from "./edns.ts";
import { MalformedMessage, PacketReader } from "./packet-reader.ts";
import { readRecordData } from "./record-data.ts";
import { responseCodeName, typeNumber } from "./registry.ts";

export interface Question {
  readonly name: string;
  readonly type: number;
}

/** `name` with its final dot; `data` as a zone file holds it. */
export interface ResourceRecord {
  readonly name: string;
  readonly type: number;
  readonly dnsClass: number;
  readonly ttl: number;
  readonly data: string;
}

/** A whole message; OPT is told apart from the additional records. */
export interface Message {
  /** As in the header; `isSet` reads it. */
  readonly flags: number;
  /** With the upper bits that EDNS adds (RFC 6891 §6.1.3). */
  readonly code: number;
  /** `NOERROR`, `NXDOMAIN` … */
  readonly responseCode: string;
  readonly questions: readonly Question[];
  readonly answers: readonly ResourceRecord[];
  readonly authorities: readonly ResourceRecord[];
  readonly additionals: readonly ResourceRecord[];
  readonly edns: Edns | null;
  readonly bytes: number;
}

/** Bits of the header's flags. */
const flagBits = { QR: 0x8000, AA: 0x0400, TC: 0x0200, RD: 0x0100, RA: 0x0080, AD: 0x0020, CD: 0x0010 } as const;
export type FlagName = keyof typeof flagBits;

const headerBytes = 12;
/** What a UDP answer may have: passes every path without fragments (DNS flag day 2020). */
const udpPayloadBytes = 1232;

/** A question as it goes over the wire. */
export interface Query {
  readonly packet: Buffer;
  /** Of the packet: header and question, without the OPT record behind them. */
  readonly questionEnd: number;
}

/**
 * A query with recursion desired; AD asks for the flag in the answer (RFC 6840 §5.7), as dig does.
 * @throws {ProbeError} EBADNAME
 */
export function encodeQuery({ name, type }: Question, id: number, withEdns: boolean): Query {
  const wireName = encodeName(name);
  const questionEnd = headerBytes + wireName.length + 4;
  const packet = Buffer.alloc(questionEnd + (withEdns ? 11 : 0));
  packet.writeUInt16BE(id, 0);
  packet.writeUInt16BE(flagBits.RD | flagBits.AD, 2);
  packet.writeUInt16BE(1, 4);
  wireName.copy(packet, headerBytes);
  packet.writeUInt16BE(type, questionEnd - 4);
  packet.writeUInt16BE(1, questionEnd - 2);
  if (withEdns) {
    packet.writeUInt16BE(1, 10);
    packet.writeUInt16BE(typeNumber("OPT"), questionEnd + 1);
    packet.writeUInt16BE(udpPayloadBytes, questionEnd + 3);
  }
  return { packet, questionEnd };
}

/**
 * Whether a packet answers this very query: id, kind and question are looked at, names without regard to case. Servers
 * that could not even read the question may leave it out of their error.
 */
export function answersQuery(packet: Buffer, query: Query): boolean {
  if (packet.length < headerBytes || packet.readUInt16BE(0) !== query.packet.readUInt16BE(0)) return false;
  const flags = packet.readUInt16BE(2);
  if ((flags & flagBits.QR) === 0 || (flags & 0x7800) !== 0) return false;
  const questions = packet.readUInt16BE(4);
  if (questions === 0) return (flags & 0xf) !== 0;
  return questions === 1 && sameQuestion(packet, query);
}

/** The question of an answer is never compressed: nothing but the header stands before it. */
function sameQuestion(packet: Buffer, { packet: asked, questionEnd }: Query): boolean {
  if (packet.length < questionEnd) return false;
  for (let at = headerBytes; at < questionEnd; at += 1) {
    const isName = at < questionEnd - 4;
    const [mine = 0, theirs = 0] = [asked[at], packet[at]];
    if (mine !== theirs && !(isName && lowerCase(mine) === lowerCase(theirs))) return false;
  }
  return true;
}

/** The lengths of labels are below the letters. */
function lowerCase(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
}

/** Whether the header says that the answer did not fit; then nothing behind the question need be read. */
export function isTruncated(packet: Buffer): boolean {
  return (packet.readUInt16BE(2) & flagBits.TC) !== 0;
}

export function isSet(message: Pick<Message, "flags">, flag: FlagName): boolean {
  return (message.flags & flagBits[flag]) !== 0;
}

/**
 * Reads a message of any origin: ends for every input, in time and memory that its length bounds.
 * @throws {MalformedMessage}
 */
export function decodeMessage(packet: Buffer): Message {
  const reader = new PacketReader(packet);
  reader.at = 2;
  const flags = reader.u16();
  const counts = [reader.u16(), reader.u16(), reader.u16(), reader.u16()] as const;
  const questions: Question[] = [];
  for (let left = counts[0]; left > 0; left -= 1) {
    questions.push({ name: reader.name(), type: reader.u16() });
    reader.u16();
  }
  const found: { edns: Edns | null } = { edns: null };
  const section = (count: number): ResourceRecord[] => readSection(reader, count, found);
  const [answers, authorities, additionals] = [section(counts[1]), section(counts[2]), section(counts[3])];
  const code = (flags & 0xf) | ((found.edns?.extendedCode ?? 0) << 4);
  const { edns } = found;
  return { flags, code, responseCode: responseCodeName(code), questions, answers, authorities, additionals, edns, bytes: packet.length };
}

function readSection(reader: PacketReader, count: number, found: { edns: Edns | null }): ResourceRecord[] {
  const records: ResourceRecord[] = [];
  for (let left = count; left > 0; left -= 1) {
    const name = reader.name();
    const type = reader.u16();
    const dnsClass = reader.u16();
    const ttl = reader.u32();
    const length = reader.u16();
    if (type === typeNumber("OPT")) {
      if (found.edns !== null) throw new MalformedMessage("it has two OPT records");
      found.edns = readEdns(reader, dnsClass, ttl, length);
    } else {
      // A TTL with its top bit set is none (RFC 2181 §8).
      records.push({ name, type, dnsClass, ttl: ttl > 0x7fff_ffff ? 0 : ttl, data: readRecordData(reader, type, dnsClass, length) });
    }
  }
  return records;
}
