import { create, createFileRegistry, type DescFile, fromBinary, type Registry } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  file_google_protobuf_any,
  file_google_protobuf_api,
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_source_context,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_type,
  file_google_protobuf_wrappers,
} from "@bufbuild/protobuf/wkt";
import { ProbeError } from "../../net/probe-error.ts";
import { boundValues, maxDepth, UnfitMessage } from "./value-count.ts";

const wellKnown: readonly DescFile[] = [
  file_google_protobuf_any,
  file_google_protobuf_api,
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_source_context,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_type,
  file_google_protobuf_wrappers,
];

/** The files that every compiler brings along, by their names. */
export const wellKnownFiles: ReadonlyMap<string, FileDescriptorProto> = new Map(wellKnown.map(({ proto }) => [proto.name, proto]));

/** A descriptor that cannot be used. @param why a clause; no values */
export function badDescriptor(why: string, cause?: unknown): ProbeError {
  return new ProbeError("EGRPCDESCRIPTOR", why, { cause });
}

/** A file that a server sent, and how many values are in it. @throws {ProbeError} EGRPCDESCRIPTOR */
export function readFileDescriptor(bytes: Uint8Array, maxValues: number): { file: FileDescriptorProto; values: number } {
  try {
    const values = boundValues(FileDescriptorProtoSchema, bytes, maxValues);
    return { file: fromBinary(FileDescriptorProtoSchema, bytes, { recursionLimit: maxDepth }), values };
  } catch (cause) {
    const why = cause instanceof UnfitMessage ? `: ${cause.message}` : "";
    throw badDescriptor(`a descriptor that the server sent cannot be read${why}`, cause);
  }
}

/**
 * What files with their imports declare. Imports that are missing must be well known.
 *
 * @throws {ProbeError} EGRPCDESCRIPTOR for imports that are missing or lead in a circle, and types that are not there
 */
export function registryOf(files: ReadonlyMap<string, FileDescriptorProto>): Registry {
  const sorted = importsFirst(files);
  for (const file of files.values()) {
    refuseLongNames(file);
    file.messageType.forEach(nameForJson);
  }
  try {
    return createFileRegistry(create(FileDescriptorSetSchema, { file: sorted }));
  } catch (cause) {
    throw badDescriptor("the descriptor names types that it does not declare, or declares them wrongly", cause);
  }
}

/** Of a type, with what surrounds it: the library keeps each in full, so that 28,000 in a package of 200 KB would be gigabytes. */
const maxNameLength = 1_000;

/** @throws {ProbeError} EGRPCDESCRIPTOR where it is too long */
export function fullName(scope: string, name: string): string {
  const full = scope === "" ? name : `${scope}.${name}`;
  if (full.length > maxNameLength) throw badDescriptor(`a full name in the descriptor is longer than ${maxNameLength} characters`);
  return full;
}

function refuseLongNames(file: FileDescriptorProto): void {
  const all = [file.service, file.extension, file.enumType];
  for (const { name } of all.flat()) fullName(file.package, name);
  for (const message of file.messageType) refuseLongIn(message, file.package);
}

function refuseLongIn(message: DescriptorProto, scope: string): void {
  const inside = fullName(scope, message.name);
  for (const { name } of [message.enumType, message.extension].flat()) fullName(inside, name);
  for (const nested of message.nestedType) refuseLongIn(nested, inside);
}

/** Compilers write the names that ProtoJSON has; where they are left out they follow from the others (ProtoJSON Format). */
function nameForJson(message: DescriptorProto): void {
  for (const field of message.field)
    if (field.jsonName === "") field.jsonName = field.name.replace(/_+([A-Za-z0-9]|$)/g, (_, next: string) => next.toUpperCase());
  message.nestedType.forEach(nameForJson);
}

/** Not by recursion: a server may send as long a chain of imports as its bytes allow. */
function importsFirst(files: ReadonlyMap<string, FileDescriptorProto>): FileDescriptorProto[] {
  const sorted: FileDescriptorProto[] = [];
  const states = new Map<string, "open" | "done">();
  const stack = [...files.keys()].reverse();
  for (let name = stack.at(-1); name !== undefined; name = stack.at(-1)) {
    const file = files.get(name) ?? wellKnownFiles.get(name);
    if (file === undefined) throw badDescriptor(`the descriptor imports ${told(name)}, which is not there`);
    const state = states.get(name);
    if (state !== undefined) {
      stack.pop();
      if (state === "open") sorted.push(file);
      states.set(name, "done");
      continue;
    }
    states.set(name, "open");
    for (const wanted of file.dependency) {
      const before = states.get(wanted);
      if (before === "open") throw badDescriptor(`the imports of ${told(name)} lead in a circle`);
      if (before === undefined) stack.push(wanted);
    }
  }
  return sorted;
}

/** A name that somebody else chose, for a message. */
export function told(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
}
