const maxLength = 262_144;
/** What a proto file may declare, less a few for what stands around. */
const most = 14_900;

/** As many of `one` between head and tail as fit. */
function filled(head: string, one: (index: number) => string, tail: string, count = Number.POSITIVE_INFINITY): string {
  const parts: string[] = [];
  let length = head.length + tail.length;
  for (let index = 0; index < count; index += 1) {
    const part = one(index);
    length += part.length;
    if (length > maxLength) break;
    parts.push(part);
  }
  return head + parts.join("") + tail;
}

const name = (index: number): string => index.toString(36);
const field = (type: string) => (index: number) => `${type} a${name(index)}=${index + 1};`;
const opened = Array.from({ length: 31 }, (_, depth) => `message A${depth}{`).join("");
const closed = "}".repeat(31);
const deepPackage = `syntax="proto3";package ${"a.".repeat(31)}a;message Z{}`;
const longPackage = `syntax="proto3";package ${"a".repeat(900)};`;
const edition = `edition="2023";`;
const service = "message In{}service S{rpc M(In)returns(In);}";

/** Proto files of 262 KB, each with as much as may be of one thing: what is read, and what is refused. */
export const meanProtos: Readonly<Record<string, string>> = {
  fields: filled("message A{", field("A"), "}", most),
  "fields deep within": filled(deepPackage + opened, field("Z"), closed, most),
  "fields of the same number": filled("message A{", () => "A a=1;", "}"),
  "a package of 490 parts": filled(`package ${"a.".repeat(490)}a;message A{`, field("A"), "}"),
  "imported types in a package of 490 parts": filled(
    `import "google/protobuf/any.proto";package ${"a.".repeat(490)}a;message A{`,
    field("google.protobuf.Any"),
    "}",
  ),
  "imported types": filled(`import "google/protobuf/any.proto";message A{`, field("google.protobuf.Any"), "}"),
  "long names": filled(`${longPackage}message A{`, field("A"), "}", most),
  "long names deep within": filled(`${longPackage}${"message A{".repeat(31)}`, field("A"), closed, most),
  "a name of 200 KB": filled(`message ${"A".repeat(200_000)}{`, (index) => `message B${name(index)}{}`, "}"),
  messages: filled(deepPackage, (index) => `message A${name(index)}{}`, "", most),
  "messages with fields": filled(deepPackage, (index) => `message A${name(index)}{Z a=1;Z b=2;}`, "", most / 3),
  "messages in messages": filled("", (index) => `message A${name(index)}{${"message B{".repeat(30)}${"}".repeat(31)}`, "", most / 31),
  groups: filled("message A{", (index) => `optional group B${name(index)}=${index + 1}{}`, "}", most / 2),
  maps: filled("message A{", (index) => `map<int32,A>m${name(index)}=${index + 1};`, "}", most / 4),
  "maps deep within": filled(deepPackage + opened, (index) => `map<int32,Z>m${name(index)}=${index + 1};`, closed, most / 4),
  "maps beyond the limit": filled("message A{", () => "map<int32,A>m=1;", "}"),
  oneofs: filled("message A{", (index) => `oneof o${name(index)}{A a${name(index)}=${index + 1};}`, "}", most / 2),
  "optional fields": filled(`syntax="proto3";message A{`, (index) => `optional ${field("A")(index)}`, "}", most / 2),
  "features of fields": filled(edition + opened, (index) => `A0 a${name(index)}=1[features.utf8_validation=NONE];`, closed),
  "features by inheritance": filled(edition + opened, field("A0"), closed, most),
  "options of fields": filled("message A{A a=1[", (index) => `a${name(index)}=1,`, "a=1];}"),
  defaults: filled("message A{", (index) => `optional int32 a${name(index)}=${index + 1}[default=5];`, "}"),
  enums: filled("", (index) => `enum E${name(index)}{V${name(index)}=0;}`, "", most / 2),
  "values of an enum": filled("enum E{", (index) => `V${name(index)}=${index};`, "}", most),
  methods: filled(`${deepPackage}service S{`, (index) => `rpc M${name(index)}(Z)returns(Z);`, "}", most),
  services: filled("", (index) => `service S${name(index)}{}`, "", most),
  imports: filled("", (index) => `import "${name(index)}";`, ""),
  "extension ranges": filled("message A{extensions 1", (index) => `,${index + 2}`, ";}"),
  extensions: filled("message A{extensions 1 to max;}", (index) => `extend A{optional int32 a${name(index)}=1;}`, ""),
  "reserved numbers": filled("message A{reserved 1", (index) => `,${index + 2}`, ";}"),
  "an option in braces": `option (a)=${"{".repeat(130_000)}${"}".repeat(130_000)};`,
  "an option of many parts": `option ${"a.".repeat(130_000)}a=1;`,
  comments: "/**/".repeat(65_536),
  "a comment without an end": "/*".repeat(131_072),
  spaces: `${" ".repeat(maxLength - 1)};`,
  lines: `${"\n".repeat(maxLength - 1)}?`,
  "a long text": `option a="${"\\n".repeat(131_000)}";`,
  "short texts": `option a=${'""'.repeat(131_000)};`,
  "a text without an end": `option a="${'\\"'.repeat(131_000)}`,
  "a long number": `message A{int32 a=${"0".repeat(262_000)}1;}`,
  semicolons: ";".repeat(maxLength),
};

/** A file of such fields, and what makes it callable. */
export const wideProto = `syntax="proto3";message Row{${Array.from({ length: 9_000 }, (_, at) => `repeated int32 f${at}=${at + 1};`).join("")}}
message Rows{repeated Row row=1;}service S{rpc M(Rows)returns(Rows);}`;

/** What an answer may be made of. */
export const mixedProto = `syntax="proto3";import "google/protobuf/any.proto";import "google/protobuf/timestamp.proto";import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";message T{repeated T t=1;}enum E{A=0;}
message L{repeated string s=1;repeated int64 l=2;map<string,string> pairs=3;map<int64,T> trees=4;repeated google.protobuf.Timestamp at=5;
repeated google.protobuf.Any any=6;repeated google.protobuf.FieldMask mask=7;google.protobuf.Struct struct=8;repeated T t=9;repeated bytes b=10;repeated E e=11;L in=12;}
${service.replace("returns(In)", "returns(L)")}`;
