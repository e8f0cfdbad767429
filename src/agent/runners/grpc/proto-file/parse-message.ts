import { badDescriptor } from "../file-registry.ts";
import { descriptorOptions, type Options, readOption, readOptionList } from "./options.ts";
import type { EnumTree, FieldTree, FileTree, MessageTree } from "./syntax-tree.ts";
import type { Tokens } from "./tokens.ts";

type Syntax = FileTree["syntax"];

/** Messages in messages; the compiler itself stops at 32. */
const maxNesting = 32;

const scalars: ReadonlySet<string> = new Set(
  "double float int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool string bytes".split(" "),
);

/**
 * A message after its first word, or the fields in `extend`, which have no name.
 *
 * @throws {ProbeError} EGRPCDESCRIPTOR
 */
export function parseMessage(tokens: Tokens, syntax: Syntax, depth: number, name = tokens.word("the name of a message")): MessageTree {
  if (depth > maxNesting) throw badDescriptor(`the messages of the proto file are nested more than ${maxNesting} deep`);
  const message: MessageTree = { name, field: [], nestedType: [], enumType: [], oneofDecl: [] };
  const options: Options = new Map();
  const parsing: Parsing = { tokens, syntax, message, depth };
  tokens.expect("{");
  while (!tokens.skip("}")) {
    if (!tokens.skip(";")) parseMember(parsing, options);
  }
  const told = descriptorOptions(options, ["message_set_wire_format"]);
  if (told !== undefined) message.options = told;
  addSyntheticOneofs(message);
  return message;
}

interface Parsing {
  readonly tokens: Tokens;
  readonly syntax: Syntax;
  readonly message: MessageTree;
  readonly depth: number;
}

function parseMember(parsing: Parsing, options: Options): void {
  const { tokens } = parsing;
  let type = tokens.typeName();
  const hasVisibility = (type === "export" || type === "local") && ["message", "enum"].includes(tokens.next.source); // of edition 2024
  if (hasVisibility) type = tokens.typeName();
  if (type === "map" && tokens.skip("<")) return parseMap(parsing);
  if (type === "optional" || type === "required" || type === "repeated") return parseField(parsing, type, tokens.typeName());
  const parse = Object.hasOwn(members, type) ? members[type] : undefined;
  if (parse === undefined) parseField(parsing, null, type);
  else parse(parsing, options);
}

/** Words that begin something else than a field. */
const members: Readonly<Record<string, (parsing: Parsing, options: Options) => void>> = {
  option: ({ tokens }, options) => readOption(tokens, options),
  reserved: ({ tokens }) => skipRanges(tokens),
  extensions: ({ tokens }) => skipRanges(tokens),
  oneof: parseOneof,
  message: ({ tokens, syntax, message, depth }) => message.nestedType.push(parseMessage(tokens, syntax, depth + 1)),
  enum: ({ tokens, message }) => message.enumType.push(parseEnum(tokens)),
  extend({ tokens, syntax, depth }) {
    tokens.typeName();
    parseMessage(tokens, syntax, depth + 1, "extensions");
  },
};

function parseField(parsing: Parsing, rule: "optional" | "required" | "repeated" | null, type: string, oneofIndex?: number): void {
  const { tokens, syntax, message, depth } = parsing;
  const written = tokens.word("the name of a field");
  tokens.expect("=");
  const number = tokens.whole("the number of a field");
  const options = readOptionList(tokens);
  const isGroup = type === "group";
  if (isGroup) message.nestedType.push(parseMessage(tokens, syntax, depth + 1, written));
  else tokens.expect(";");
  const jsonName = options.get("json_name");
  const defaultValue = options.get("default");
  const told = descriptorOptions(options, ["packed"]);
  message.field.push({
    name: isGroup ? written.toLowerCase() : written,
    number,
    label: `LABEL_${(rule ?? "optional").toUpperCase()}` as FieldTree["label"], // one of the three
    ...(isGroup ? { type: "TYPE_GROUP", typeName: written } : typeOf(type)),
    ...(jsonName !== undefined && { jsonName }),
    ...(defaultValue !== undefined && { defaultValue }),
    ...(oneofIndex !== undefined && { oneofIndex }),
    ...(rule === "optional" && syntax === "proto3" && { proto3Optional: true as const }),
    ...(told !== undefined && { options: told }),
  });
}

function typeOf(type: string): Pick<FieldTree, "type" | "typeName"> {
  return scalars.has(type) ? { type: `TYPE_${type.toUpperCase()}` } : { typeName: type };
}

function parseOneof(parsing: Parsing): void {
  const { tokens, message } = parsing;
  const name = tokens.word("the name of a oneof");
  message.oneofDecl.push({ name });
  const index = message.oneofDecl.length - 1;
  tokens.expect("{");
  while (!tokens.skip("}")) {
    if (tokens.skip(";")) continue;
    const type = tokens.typeName();
    if (type === "option") readOption(tokens, new Map());
    else parseField(parsing, null, type, index);
  }
}

/** A map is a list of messages with a key and a value (Language Guide, "Backwards compatibility"). */
function parseMap(parsing: Parsing): void {
  const { tokens, message } = parsing;
  const key = tokens.typeName();
  tokens.expect(",");
  const value = tokens.typeName();
  tokens.expect(">");
  const name = tokens.next.source;
  const entry = `${name.replace(/(?:^|_)+([A-Za-z0-9]|$)/g, (_, first: string) => first.toUpperCase())}Entry`;
  message.nestedType.push({
    name: entry,
    field: [
      { name: "key", number: 1, label: "LABEL_OPTIONAL", ...typeOf(key) },
      { name: "value", number: 2, label: "LABEL_OPTIONAL", ...typeOf(value) },
    ],
    nestedType: [],
    enumType: [],
    oneofDecl: [],
    options: { map_entry: true },
  });
  parseField(parsing, "repeated", entry);
}

/** `optional` of proto3 is a oneof with one field (field_presence.md); they stand behind the others. */
function addSyntheticOneofs(message: MessageTree): void {
  for (const field of message.field) {
    if (field.proto3Optional !== true) continue;
    field.oneofIndex = message.oneofDecl.push({ name: `_${field.name}` }) - 1;
  }
}

/** @throws {ProbeError} EGRPCDESCRIPTOR */
export function parseEnum(tokens: Tokens): EnumTree {
  const tree: EnumTree = { name: tokens.word("the name of an enum"), value: [] };
  const options: Options = new Map();
  tokens.expect("{");
  while (!tokens.skip("}")) {
    if (tokens.skip(";")) continue;
    const name = tokens.word("the name of a value");
    if (name === "option" && tokens.next.source !== "=") readOption(tokens, options);
    else if (name === "reserved" && tokens.next.source !== "=") skipRanges(tokens);
    else {
      tokens.expect("=");
      tree.value.push({ name, number: tokens.whole("the number of a value") });
      readOptionList(tokens);
      tokens.expect(";");
    }
  }
  const told = descriptorOptions(options, ["allow_alias"]);
  if (told !== undefined) tree.options = told;
  return tree;
}

/** `reserved` and `extensions`: nothing here depends on them. */
function skipRanges(tokens: Tokens): void {
  while (!tokens.skip(";")) {
    if (tokens.next.kind === "end" || tokens.next.source === "}") throw tokens.unfit('";"');
    tokens.take();
  }
}
