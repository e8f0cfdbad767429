import type { FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import { badDescriptor, fullName, told } from "../file-registry.ts";
import type { FileTree, MessageTree } from "./syntax-tree.ts";

/** Packages in packages. With what `parseMessage` allows, a name is looked for in so many scopes at most. */
const maxPackageParts = 32;

/** A package, a message or an enum, and what is declared in it. */
class Scope {
  readonly name: string;
  readonly outer: Scope | null;
  kind: "package" | "message" | "enum" = "package";
  readonly #inner = new Map<string, Scope>();

  constructor(name = "", outer: Scope | null = null) {
    this.name = name;
    this.outer = outer;
  }

  in(part: string): Scope | undefined {
    return this.#inner.get(part);
  }

  /** What has this name in here, made where it is not there yet. */
  add(part: string): Scope {
    const there = this.#inner.get(part);
    if (there !== undefined) return there;
    const made = new Scope(fullName(this.name, part), this);
    this.#inner.set(part, made);
    return made;
  }
}

/** As descriptors and their trees have it. */
interface Types {
  readonly enumType: readonly { readonly name: string }[];
  readonly messageType?: readonly Named[];
  readonly nestedType?: readonly Named[];
}

interface Named extends Types {
  readonly name: string;
}

/**
 * Gives every type its full name, looked for from the inside out as the language has it (Language Specification, "Packages and name
 * resolution"): where the first part of a name is found, the rest must be in there.
 *
 * @param imports the files that are imported
 * @throws {ProbeError} EGRPCDESCRIPTOR for a type that neither the file nor a well-known import declares
 */
export function resolveTypes(file: FileTree, imports: readonly Pick<FileDescriptorProto, "package" | "messageType" | "enumType">[]): void {
  const root = new Scope();
  for (const one of imports) declare(one, packageIn(root, one.package));
  const own = packageIn(root, file.package);
  declare(file, own);
  for (const message of file.messageType) resolveFields(message, own);
  for (const { name, method } of file.service) {
    const service = new Scope(name, own);
    for (const one of method) {
      one.inputType = `.${typeOf(one.inputType, service).name}`;
      one.outputType = `.${typeOf(one.outputType, service).name}`;
    }
  }
}

function packageIn(root: Scope, name: string): Scope {
  const parts = name === "" ? [] : name.split(".");
  if (parts.length > maxPackageParts) throw badDescriptor(`the package of the proto file has more than ${maxPackageParts} parts`);
  return parts.reduce((scope, part) => scope.add(part), root);
}

function declare({ enumType, messageType, nestedType }: Types, scope: Scope): void {
  for (const { name } of enumType) scope.add(name).kind = "enum";
  for (const message of messageType ?? nestedType ?? []) {
    const inside = scope.add(message.name);
    inside.kind = "message";
    declare(message, inside);
  }
}

function resolveFields(message: MessageTree, scope: Scope): void {
  const inside = scope.add(message.name);
  for (const field of message.field) {
    if (field.typeName === undefined) continue;
    const { name, kind } = typeOf(field.typeName, inside);
    field.typeName = `.${name}`;
    field.type ??= kind === "enum" ? "TYPE_ENUM" : "TYPE_MESSAGE";
  }
  for (const nested of message.nestedType) resolveFields(nested, inside);
}

function typeOf(name: string, from: Scope): Scope {
  const [first = "", ...rest] = name.split(".");
  let found = first === "" ? rootOf(from) : firstOf(first, from, rest.length === 0);
  for (const part of rest) found = found?.in(part);
  if (found !== undefined && found.kind !== "package") return found;
  const hint = "its own types and those of google/protobuf are known; copy what it imports into it";
  throw badDescriptor(`the proto file uses ${told(name)}, which it does not declare (${hint})`);
}

/** @param isWhole then packages of that name are passed by */
function firstOf(part: string, from: Scope, isWhole: boolean): Scope | undefined {
  for (let scope: Scope | null = from; scope !== null; scope = scope.outer) {
    const found = scope.in(part);
    if (found !== undefined && !(isWhole && found.kind === "package")) return found;
  }
  return undefined;
}

function rootOf(scope: Scope): Scope {
  let root = scope;
  while (root.outer !== null) root = root.outer;
  return root;
}
