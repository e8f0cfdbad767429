import { fromJson, type JsonValue, type Registry } from "@bufbuild/protobuf";
import { type DescriptorProto, type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { badDescriptor, registryOf, wellKnownFiles } from "../file-registry.ts";
import { parseProto } from "./parse-proto.ts";
import { type Declared, resolveTypes } from "./resolve-types.ts";

/**
 * What a proto file declares. Of its imports the well-known ones are there; others may be named, but nothing of them used.
 *
 * @throws {ProbeError} EGRPCDESCRIPTOR
 */
export function readProto(source: string): Registry {
  const tree = parseProto(source);
  tree.dependency.splice(0, tree.dependency.length, ...new Set(tree.dependency.filter((name) => wellKnownFiles.has(name))));
  resolveTypes(tree, declaredBy(tree.dependency));
  let file: FileDescriptorProto;
  try {
    file = fromJson(FileDescriptorProtoSchema, tree as unknown as JsonValue); // plain objects, as ProtoJSON has them
  } catch (cause) {
    throw badDescriptor("the proto file has an edition, a number or a feature that is not known", cause);
  }
  return registryOf(new Map([[file.name, file]]));
}

function declaredBy(imports: readonly string[]): Declared {
  const declared = new Map<string, "message" | "enum">();
  for (const name of imports) {
    const file = wellKnownFiles.get(name);
    if (file === undefined) continue;
    for (const one of file.enumType) declared.set(`${file.package}.${one.name}`, "enum");
    for (const one of file.messageType) declare(one, file.package, declared);
  }
  return declared;
}

function declare(message: DescriptorProto, scope: string, declared: Map<string, "message" | "enum">): void {
  const name = `${scope}.${message.name}`;
  declared.set(name, "message");
  for (const one of message.enumType) declared.set(`${name}.${one.name}`, "enum");
  for (const one of message.nestedType) declare(one, name, declared);
}
