import { descriptorOptions, type Options, readOption } from "./options.ts";
import { parseEnum, parseMessage } from "./parse-message.ts";
import type { FileTree, MethodTree } from "./syntax-tree.ts";
import { Tokens } from "./tokens.ts";

/**
 * Reads a proto file (protobuf.dev, Language Specification of proto2, proto3 and editions). Extensions and what only describes are read
 * over; types are names still.
 *
 * @throws {ProbeError} EGRPCDESCRIPTOR, which names the line
 */
export function parseProto(source: string): FileTree {
  const tokens = new Tokens(source.replace(/^\ufeff/, ""));
  const file: FileTree = { name: "check.proto", package: "", syntax: "proto2", dependency: [], messageType: [], enumType: [], service: [] };
  const options: Options = new Map();
  while (tokens.next.kind !== "end") {
    if (!tokens.skip(";")) parseDeclaration(tokens, file, options);
  }
  const told = descriptorOptions(options, []);
  if (told !== undefined) file.options = told;
  return file;
}

function parseDeclaration(tokens: Tokens, file: FileTree, options: Options): void {
  for (const visibility of ["export", "local"]) tokens.skip(visibility); // of edition 2024
  const word = tokens.word("a declaration");
  const parse = Object.hasOwn(declarations, word) ? declarations[word] : undefined;
  if (parse === undefined) throw tokens.unfit("a declaration (message, enum, service …)");
  parse(tokens, file, options);
}

/** What follows each word that begins a declaration. */
const declarations: Readonly<Record<string, (tokens: Tokens, file: FileTree, options: Options) => void>> = {
  syntax: (tokens, file) => parseEdition(tokens, "syntax", file),
  edition: (tokens, file) => parseEdition(tokens, "edition", file),
  package: parsePackage,
  import: parseImport,
  option: (tokens, _file, options) => readOption(tokens, options),
  message: (tokens, file) => file.messageType.push(parseMessage(tokens, file.syntax, 1)),
  enum: (tokens, file) => file.enumType.push(parseEnum(tokens)),
  extend(tokens, file) {
    tokens.typeName();
    parseMessage(tokens, file.syntax, 1, "extensions");
  },
  service: (tokens, file) => file.service.push(parseService(tokens)),
};

function parsePackage(tokens: Tokens, file: FileTree): void {
  file.package = tokens.typeName();
  tokens.expect(";");
}

function parseImport(tokens: Tokens, file: FileTree): void {
  for (const kind of ["public", "weak", "option"]) tokens.skip(kind);
  file.dependency.push(tokens.text("the name of a file"));
  tokens.expect(";");
}

function parseEdition(tokens: Tokens, word: "syntax" | "edition", file: FileTree): void {
  tokens.expect("=");
  const value = tokens.text("a version");
  tokens.expect(";");
  if (word === "edition") {
    file.syntax = "editions";
    file.edition = `EDITION_${value}`;
  } else if (value === "proto2" || value === "proto3") file.syntax = value;
  else throw tokens.unfit("proto2 or proto3");
}

function parseService(tokens: Tokens): { name: string; method: MethodTree[] } {
  const name = tokens.word("the name of a service");
  const method: MethodTree[] = [];
  tokens.expect("{");
  while (!tokens.skip("}")) {
    if (tokens.skip(";")) continue;
    if (tokens.skip("option")) readOption(tokens, new Map());
    else {
      tokens.expect("rpc");
      method.push(parseMethod(tokens));
    }
  }
  return { name, method };
}

function parseMethod(tokens: Tokens): MethodTree {
  const name = tokens.word("the name of a method");
  const input = parseSide(tokens);
  tokens.expect("returns");
  const output = parseSide(tokens);
  if (tokens.skip("{")) {
    while (!tokens.skip("}")) {
      if (tokens.skip(";")) continue;
      tokens.expect("option");
      readOption(tokens, new Map());
    }
  } else tokens.expect(";");
  return { name, inputType: input.type, outputType: output.type, clientStreaming: input.streams, serverStreaming: output.streams };
}

/** `(stream Type)`; a type may be called `stream`, too. */
function parseSide(tokens: Tokens): { type: string; streams: boolean } {
  tokens.expect("(");
  const isWord = tokens.skip("stream");
  const isType = isWord && tokens.next.source === ")";
  const type = isType ? "stream" : tokens.typeName();
  tokens.expect(")");
  return { type, streams: isWord && !isType };
}
