import { type DescField, type DescMessage, type Registry, ScalarType } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** Messages in messages. */
export const maxDepth = 100;

/** A message that would become too much, or is none. */
export class UnfitMessage extends Error {
  override readonly name = "UnfitMessage";
}

/**
 * Walks through a message as it came, without making anything of it, and refuses what would become too many values: two bytes are
 * enough for an object with all its fields, so that 4 MB could fill the memory. What stands in an Any counts too, as do unknown groups.
 *
 * @param maxValues fields that are there, elements of lists, the fields that each message has, and the bytes of each FieldMask
 * @returns how many there are
 * @throws {UnfitMessage}
 * @throws what the reader says of bytes that are no message
 */
export function boundValues(message: DescMessage, bytes: Uint8Array, maxValues: number, registry?: Registry): number {
  const walk = new Walk(maxValues, registry);
  walk.message(message, new BinaryReader(bytes), 1);
  return walk.values;
}

class Walk {
  readonly #maxValues: number;
  readonly #registry: Registry | undefined;
  values = 0;

  constructor(maxValues: number, registry: Registry | undefined) {
    this.#maxValues = maxValues;
    this.#registry = registry;
  }

  /** @param group the field's number, where the message ends with a tag of its own */
  message(desc: DescMessage, reader: BinaryReader, depth: number, group?: number): void {
    if (depth > maxDepth) throw new UnfitMessage(`messages are nested more than ${maxDepth} deep`);
    this.#count(1 + desc.fields.length);
    if (desc.typeName === "google.protobuf.Any") return this.#any(reader, depth, group);
    const isMask = desc.typeName === "google.protobuf.FieldMask"; // its paths are turned into JSON letter by letter
    const fields = fieldsOf(desc);
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      if (wireType === WireType.EndGroup && number === group) return;
      this.#count(1);
      const field = fields.get(number);
      if (wireType === WireType.LengthDelimited) {
        const bytes = reader.bytes();
        if (isMask) this.#count(bytes.length);
        this.#delimited(field, bytes, depth);
      } else if (wireType === WireType.StartGroup && field?.message !== undefined) this.message(field.message, reader, depth + 1, number);
      else this.#skip(reader, wireType, number, depth);
    }
  }

  /** Groups hold others, down to one byte each, and the reader cuts out each of them. */
  #skip(reader: BinaryReader, wireType: WireType, number: number, depth: number): void {
    if (wireType !== WireType.StartGroup) return void reader.skip(wireType, number);
    if (depth >= maxDepth) throw new UnfitMessage(`messages are nested more than ${maxDepth} deep`);
    while (reader.pos < reader.len) {
      const [inner, innerType] = reader.tag();
      if (innerType === WireType.EndGroup && inner === number) return;
      this.#count(1);
      this.#skip(reader, innerType, inner, depth + 1);
    }
  }

  #delimited(field: DescField | undefined, bytes: Uint8Array, depth: number): void {
    if (field === undefined) return;
    if (field.fieldKind === "map") this.#entry(field.message, new BinaryReader(bytes), depth);
    else if (field.message !== undefined) this.message(field.message, new BinaryReader(bytes), depth + 1);
    else if (field.fieldKind === "list") this.#count(packedCount(field.scalar ?? ScalarType.INT32, bytes));
  }

  /** An entry of a map is a message with a key, 1, and a value, 2. */
  #entry(value: DescMessage | undefined, reader: BinaryReader, depth: number): void {
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      this.#count(1);
      if (number === 2 && value !== undefined && wireType === WireType.LengthDelimited)
        this.message(value, new BinaryReader(reader.bytes()), depth + 1);
      else this.#skip(reader, wireType, number, depth);
    }
  }

  /** The name of its type may stand behind its value. */
  #any(reader: BinaryReader, depth: number, group: number | undefined): void {
    const parts: (Uint8Array | undefined)[] = [];
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      if (wireType === WireType.EndGroup && number === group) break;
      this.#count(1);
      if (wireType === WireType.LengthDelimited && number <= 2) parts[number] = reader.bytes();
      else this.#skip(reader, wireType, number, depth);
    }
    const [, typeUrl, value] = parts;
    if (typeUrl === undefined || value === undefined) return;
    const name = Buffer.from(typeUrl).toString();
    const desc = this.#registry?.getMessage(name.slice(name.lastIndexOf("/") + 1));
    if (desc !== undefined) this.message(desc, new BinaryReader(value), depth + 1);
  }

  #count(values: number): void {
    this.values += values;
    if (this.values > this.#maxValues) throw new UnfitMessage(`there are more than ${this.#maxValues} values in it`);
  }
}

const four: ReadonlySet<ScalarType> = new Set([ScalarType.FIXED32, ScalarType.SFIXED32, ScalarType.FLOAT]);
const eight: ReadonlySet<ScalarType> = new Set([ScalarType.FIXED64, ScalarType.SFIXED64, ScalarType.DOUBLE]);
const unpackable: ReadonlySet<ScalarType> = new Set([ScalarType.STRING, ScalarType.BYTES]);

/** How many elements of a list stand in `bytes`; of a varint only the last byte has its first bit off. */
function packedCount(scalar: ScalarType, bytes: Uint8Array): number {
  if (unpackable.has(scalar)) return 0;
  if (four.has(scalar)) return bytes.length / 4;
  if (eight.has(scalar)) return bytes.length / 8;
  let count = 0;
  for (const byte of bytes) if (byte < 0x80) count += 1;
  return count;
}

const fieldsOfMessages = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function fieldsOf(desc: DescMessage): ReadonlyMap<number, DescField> {
  let fields = fieldsOfMessages.get(desc);
  if (fields === undefined) {
    fields = new Map(desc.fields.map((field) => [field.number, field]));
    fieldsOfMessages.set(desc, fields);
  }
  return fields;
}
