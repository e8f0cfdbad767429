import { toJson } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, file_google_protobuf_struct, file_google_protobuf_type } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProbeError } from "../../../../src/agent/net/probe-error.ts";
import { readProto } from "../../../../src/agent/runners/grpc/proto-file/read-proto.ts";
import { shopProto } from "./shop-proto.ts";

function problemOf(source: string): string {
  try {
    readProto(source);
  } catch (error) {
    if (error instanceof ProbeError && error.code === "EGRPCDESCRIPTOR") return error.message;
    throw error;
  }
  return "";
}

const fieldsOf = (source: string, name: string) => readProto(source).getMessage(name)?.fields ?? [];

describe("readProto", () => {
  it("reads google/protobuf/struct.proto and type.proto as the compiler does", () => {
    for (const { proto } of [file_google_protobuf_struct, file_google_protobuf_type]) {
      const wanted = toJson(FileDescriptorProtoSchema, { ...proto, options: undefined, $unknown: undefined } as never) as Record<
        string,
        unknown
      >;
      const read = readProto(sourceOf(proto.name)).getMessage(`google.protobuf.${proto.messageType[0]?.name}`)?.file.proto;
      const seen = toJson(FileDescriptorProtoSchema, read ?? proto) as Record<string, unknown>;
      expect(seen).toMatchObject({ messageType: wanted["messageType"], enumType: wanted["enumType"] ?? [] });
    }
  });

  it("reads proto2 with groups, defaults, required fields and extensions", () => {
    const source = `
      message A {
        required string s = 1 [default = "a\\"b" "c"]; optional group Part = 3 { optional int32 q = 1; }
        optional E e = 4 [default = B]; optional double d = 5 [default = -inf]; extensions 100 to max;
        extend A { optional int32 inner = 101; }
      }
      enum E { B = 1; C = -0x10; } extend A { optional int32 outer = 100; }`;
    expect(fieldsOf(source, "A").map(({ name, kind, presence }) => [name, kind, presence])).toMatchObject([
      ["s", "field", 3],
      ["part", "field", 1],
      ["e", "field", 1],
      ["d", "field", 1],
    ]);
    expect(readProto(source).getMessage("A.Part")?.fields).toHaveLength(1);
  });

  it("reads editions and their features, in braces and by name", () => {
    const source = `edition = "2023"; option features.field_presence = IMPLICIT; option features = { enum_type: CLOSED };
      message A { string s = 1 [features.field_presence = LEGACY_REQUIRED]; A a = 2 [features.message_encoding = DELIMITED]; int32 n = 3; }`;
    expect(fieldsOf(source, "A").map(({ presence }) => presence)).toEqual([3, 1, 2]);
  });

  it("looks for types from the inside out", () => {
    const source = `syntax = "proto3"; package a.b; message T {} message M { message T { message U {} } T near = 1; .a.b.T far = 2; b.T half = 3; T.U deep = 4; }`;
    expect(fieldsOf(source, "a.b.M").map(({ message }) => message?.typeName)).toEqual(["a.b.M.T", "a.b.T", "a.b.T", "a.b.M.T.U"]);
  });

  it("takes words of the language as names", () => {
    const source = `syntax = "proto3"; message M { string message = 1; int32 option = 2; bool syntax = 3; string map = 4; string stream = 5; } message stream {}
      service S { rpc rpc (stream) returns (stream stream); }`;
    expect(fieldsOf(source, "M")).toHaveLength(5);
    expect(readProto(source).getService("S")?.methods[0]).toMatchObject({ methodKind: "server_streaming", name: "rpc" });
  });

  it.each([
    ['syntax = "proto4";', "proto2 or proto3 is wanted on line 1"],
    ["message A {", "the name of a type is wanted on line 1"],
    ["message A {\n  string a = x;\n}", "the number of a field is wanted on line 2"],
    ["\n/* never closed", "a declaration is wanted on line 2"],
    ['option a = "never closed', "another character is wanted on line 1"],
    ["message A { B b = 1; }", 'uses "B", which it does not declare'],
    ['import "other.proto"; message A { other.B b = 1; }', "copy what it imports into it"],
    ['edition = "1999"; message A {}', "an edition, a number or a feature that is not known"],
    ["message A { int32 a = 99999999999; }", "an edition, a number or a feature"],
    ["message A {".repeat(100), "nested more than 32 deep"],
    [`package ${"a.".repeat(32)}b;`, "the package of the proto file has more than 32 parts"],
    [`message ${"a".repeat(900)} { message ${"b".repeat(100)} {} }`, "longer than 1000 characters"],
    [`message A { ${"A a = 1;".repeat(15_000)} }`, "more than 15000 things"],
    ["package a.b; message T {} message M { message b {} b.T far = 1; }", 'uses "b.T", which it does not declare'], // as the compiler
    [`package ${"a.".repeat(10_000)}b;`, "a name of at most 1000 characters"],
  ])("refuses %j", (source, problem) => {
    expect(problemOf(source)).toContain(problem);
  });

  it("fails in no other way, whatever is cut out of a file or put into it", () => {
    fc.assert(
      fc.property(
        fc.nat(shopProto.length),
        fc.nat(40),
        fc.constantFrom("", "{", "}", ";", "=", '"', "/*", "map<", "stream", "1", "."),
        (at, length, put) => {
          expect(problemOf(shopProto.slice(0, at) + put + shopProto.slice(at + length))).toBeTypeOf("string");
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ["fields", `message A {${Array.from({ length: 12_000 }, (_each, at) => `int32 f${at}=${at + 1};`).join("")}}`],
    ["values", `enum A {${Array.from({ length: 14_000 }, (_each, at) => `A${at}=${at};`).join("")}}`],
    ["comments", "/**/".repeat(60_000)],
    ["braces of options", `option (x) = ${"{a:".repeat(50_000)}1${"}".repeat(50_000)};`],
    ["words", "export ".repeat(35_000)],
    ["semicolons", ";".repeat(250_000)],
  ])("reads %s of 250 KB in linear time", (_what, source) => {
    const startedMs = performance.now();
    problemOf(source);
    expect(performance.now() - startedMs).toBeLessThan(5_000); // a parser that looks at all before it for each takes eleven seconds
  });
});

/** As the compiler's own files have them, without comments. */
function sourceOf(name: string): string {
  return name.endsWith("struct.proto") ? structProto : typeProto;
}

const structProto = `syntax = "proto3"; package google.protobuf;
message Struct { map<string, Value> fields = 1; }
message Value { oneof kind { NullValue null_value = 1; double number_value = 2; string string_value = 3; bool bool_value = 4; Struct struct_value = 5; ListValue list_value = 6; } }
enum NullValue { NULL_VALUE = 0; }
message ListValue { repeated Value values = 1; }`;

const typeProto = `syntax = "proto3"; package google.protobuf; import "google/protobuf/any.proto"; import "google/protobuf/source_context.proto";
message Type { string name = 1; repeated Field fields = 2; repeated string oneofs = 3; repeated Option options = 4; SourceContext source_context = 5; Syntax syntax = 6; string edition = 7; }
message Field {
  enum Kind { TYPE_UNKNOWN = 0; TYPE_DOUBLE = 1; TYPE_FLOAT = 2; TYPE_INT64 = 3; TYPE_UINT64 = 4; TYPE_INT32 = 5; TYPE_FIXED64 = 6; TYPE_FIXED32 = 7; TYPE_BOOL = 8; TYPE_STRING = 9; TYPE_GROUP = 10; TYPE_MESSAGE = 11; TYPE_BYTES = 12; TYPE_UINT32 = 13; TYPE_ENUM = 14; TYPE_SFIXED32 = 15; TYPE_SFIXED64 = 16; TYPE_SINT32 = 17; TYPE_SINT64 = 18; }
  enum Cardinality { CARDINALITY_UNKNOWN = 0; CARDINALITY_OPTIONAL = 1; CARDINALITY_REQUIRED = 2; CARDINALITY_REPEATED = 3; }
  Kind kind = 1; Cardinality cardinality = 2; int32 number = 3; string name = 4; string type_url = 6; int32 oneof_index = 7; bool packed = 8; repeated Option options = 9; string json_name = 10; string default_value = 11;
}
message Enum { string name = 1; repeated EnumValue enumvalue = 2; repeated Option options = 3; SourceContext source_context = 4; Syntax syntax = 5; string edition = 6; }
message EnumValue { string name = 1; int32 number = 2; repeated Option options = 3; }
message Option { string name = 1; Any value = 2; }
enum Syntax { SYNTAX_PROTO2 = 0; SYNTAX_PROTO3 = 1; SYNTAX_EDITIONS = 2; }`;
