import { fromJson, type JsonValue, type Registry } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { badDescriptor, registryOf, wellKnownFiles } from "../file-registry.ts";
import { parseProto } from "./parse-proto.ts";
import { resolveTypes } from "./resolve-types.ts";
import { declarationsIn } from "./syntax-tree.ts";

/** Each takes some 5 µs of the main thread. In files that people write it has 18 bytes and more, of the 262,144 that a file may have. */
const maxDeclarations = 15_000;

/**
 * What a proto file declares. Of its imports the well-known ones are there; others may be named, but nothing of them used.
 *
 * @throws {ProbeError} EGRPCDESCRIPTOR
 */
export function readProto(source: string): Registry {
  const tree = parseProto(source);
  if (declarationsIn(tree) > maxDeclarations)
    throw badDescriptor(`the proto file declares more than ${maxDeclarations} things: messages, fields, values, methods`);
  tree.dependency.splice(0, tree.dependency.length, ...new Set(tree.dependency.filter((name) => wellKnownFiles.has(name))));
  resolveTypes(
    tree,
    tree.dependency.flatMap((name) => wellKnownFiles.get(name) ?? []),
  );
  let file: FileDescriptorProto;
  try {
    file = fromJson(FileDescriptorProtoSchema, tree as unknown as JsonValue); // plain objects, as ProtoJSON has them
  } catch (cause) {
    throw badDescriptor("the proto file has an edition, a number or a feature that is not known", cause);
  }
  return registryOf(new Map([[file.name, file]]));
}
