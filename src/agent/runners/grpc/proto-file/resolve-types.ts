import { badDescriptor, told } from "../file-registry.ts";
import type { FileTree, MessageTree } from "./syntax-tree.ts";

/** Full names of types, and whether each is a message. */
export type Declared = ReadonlyMap<string, "message" | "enum">;

/**
 * Gives every type its full name, looked for from the inside out as the language has it (Language Specification, "Packages and name
 * resolution").
 *
 * @param imported what the imports declare
 * @throws {ProbeError} EGRPCDESCRIPTOR for a type that neither the file nor a well-known import declares
 */
export function resolveTypes(file: FileTree, imported: Declared): void {
  const declared = new Map(imported);
  declare(file, file.package, declared);
  const find = (name: string, scope: string): string => {
    const found = lookUp(name, scope, declared);
    if (found !== null) return found;
    const hint = "its own types and those of google/protobuf are known; copy what it imports into it";
    throw badDescriptor(`the proto file uses ${told(name)}, which it does not declare (${hint})`);
  };
  for (const message of file.messageType) resolveFields(message, file.package, find, declared);
  for (const { name, method } of file.service) {
    for (const one of method) {
      one.inputType = `.${find(one.inputType, join(file.package, name))}`;
      one.outputType = `.${find(one.outputType, join(file.package, name))}`;
    }
  }
}

/** Of what surrounds a type. */
const maxNameLength = 1_000;

type Types = Pick<MessageTree, "enumType"> & {
  readonly nestedType?: readonly MessageTree[];
  readonly messageType?: readonly MessageTree[];
};

function declare({ nestedType, messageType, enumType }: Types, scope: string, declared: Map<string, "message" | "enum">): void {
  if (scope.length > maxNameLength) throw badDescriptor(`the full names in the proto file are longer than ${maxNameLength} characters`);
  for (const { name } of enumType) declared.set(join(scope, name), "enum");
  for (const message of nestedType ?? messageType ?? []) {
    const name = join(scope, message.name);
    declared.set(name, "message");
    declare(message, name, declared);
  }
}

function resolveFields(message: MessageTree, scope: string, find: (name: string, scope: string) => string, declared: Declared): void {
  const inside = join(scope, message.name);
  for (const field of message.field) {
    if (field.typeName === undefined) continue;
    const name = find(field.typeName, inside);
    field.typeName = `.${name}`;
    field.type ??= declared.get(name) === "enum" ? "TYPE_ENUM" : "TYPE_MESSAGE";
  }
  for (const nested of message.nestedType) resolveFields(nested, inside, find, declared);
}

function lookUp(name: string, scope: string, declared: Declared): string | null {
  if (name.startsWith(".")) return declared.has(name.slice(1)) ? name.slice(1) : null;
  for (let outer = scope; ; outer = outer.slice(0, Math.max(0, outer.lastIndexOf(".")))) {
    const candidate = join(outer, name);
    if (declared.has(candidate)) return candidate;
    if (outer === "") return null;
  }
}

/** Every name that is looked up is made here. */
function join(scope: string, name: string): string {
  return scope === "" ? name : `${scope}.${name}`;
}
