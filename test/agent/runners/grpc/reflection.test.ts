import { type ServerHttp2Stream } from "node:http2";
import { describe, expect, it } from "vitest";
import { framed } from "../../../../src/agent/runners/grpc/message-reader.ts";
import { responseOf } from "../../../support/run-context.ts";
import { grpcChecks } from "./grpc-check.ts";
import { answer, emptyFile, fileBytes, http2Server, ok, order, reflectionAnswer, reflectionError, shopFile } from "./grpc-server.ts";

const check = grpcChecks();
const get = { service: "shop.v1.Orders", method: "Get", message: '{"id":"42"}' };
const v1 = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const v1alpha = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

/** Answers each question of reflection, the first whole message of it, with `tell`. */
function reflecting(tell: (question: string, turn: number) => Buffer | null, path = v1) {
  return http2Server((stream, headers, message) => {
    if (headers[":path"] === "/shop.v1.Orders/Get") return answer(stream, order({ id: "42" }), ok);
    if (headers[":path"] !== path) return answer(stream, null, { "grpc-status": "12" });
    stream.respond({ ":status": 200, "content-type": "application/grpc" });
    let turn = 0;
    const write = (question: Buffer): void => {
      turn += 1;
      const bytes = tell(question.toString("latin1"), turn);
      if (bytes !== null) stream.write(bytes);
    };
    write(message);
    followUps(stream, write);
  });
}

function followUps(stream: ServerHttp2Stream, write: (question: Buffer) => void): void {
  stream.on("data", (bytes: Buffer) => write(bytes.subarray(5)));
}

describe("the gRPC runner by reflection", () => {
  it.each([v1, v1alpha])("asks %s for the descriptor and calls", async (path) => {
    await using server = await reflecting(() => reflectionAnswer([fileBytes(shopFile())]), path);
    const seen = await check({ port: server.port, ...get, serviceDefinition: "REFLECTION" });
    const response = responseOf(seen);
    expect(JSON.parse(response.responseMessage)).toMatchObject({ id: "42" });
    expect(response.discoveredMethods).toEqual(["shop.v1.Orders/Get", "shop.v1.Orders/Watch"]);
    expect(response.timingPhases.reflection).toBeGreaterThan(0);
    const { total, ...phases } = response.timingPhases;
    expect(Object.values(phases).reduce((sum, length) => sum + length, 0)).toBeCloseTo(total, 2);
  });

  it("asks for the imports that are missing", async () => {
    const importing = { ...shopFile(), dependency: [...shopFile().dependency, "a.proto"] };
    await using server = await reflecting((question) => {
      if (question.includes("a.proto")) return reflectionAnswer([emptyFile("a.proto", ["b.proto", "google/protobuf/any.proto"])]);
      return reflectionAnswer([question.includes("b.proto") ? emptyFile("b.proto", []) : fileBytes(importing)]);
    });
    expect((await check({ port: server.port, ...get })).failure).toBeNull();
  });

  it("takes the service that stands before the method", async () => {
    await using server = await reflecting(() => reflectionAnswer([fileBytes(shopFile())]));
    expect((await check({ port: server.port, method: "/shop.v1.Orders/Get" })).failure).toBeNull();
  });

  it.each([
    [
      "no reflection at all",
      () => http2Server((stream) => answer(stream, null, { "grpc-status": "12" })),
      "EGRPCREFLECTION",
      /give the check a proto file/,
    ],
    [
      "a refusal",
      () => http2Server((stream) => answer(stream, null, { "grpc-status": "7", "grpc-message": "not you" })),
      "EGRPCREFLECTION",
      /PERMISSION_DENIED \(7\): not you/,
    ],
    ["an unknown service", () => reflecting(() => reflectionError(5, "not found")), "EGRPCMETHOD", /knows no service "shop.v1.Orders"/],
    ["another error", () => reflecting(() => reflectionError(13, "broken")), "EGRPCREFLECTION", /INTERNAL \(13\): broken/],
    ["no files", () => reflecting(() => reflectionAnswer([])), "EGRPCMETHOD", /knows no service/],
    [
      "files that are none",
      () => reflecting(() => reflectionAnswer([Buffer.from([0xff, 0xff, 0xff])])),
      "EGRPCDESCRIPTOR",
      /cannot be read/,
    ],
    ["an answer that is none", () => reflecting(() => framed(Buffer.from([0x22, 0x7f]))), "EGRPCDESCRIPTOR", /cannot be read/],
    ["a file of something else", () => reflecting(() => reflectionAnswer([emptyFile("x.proto", [])])), "EGRPCMETHOD", /has no service/],
    [
      "an import that it does not have",
      () =>
        reflecting((_question, turn) => (turn === 1 ? reflectionAnswer([emptyFile("x.proto", ["gone.proto"])]) : reflectionError(5, ""))),
      "EGRPCDESCRIPTOR",
      /does not know "gone.proto"/,
    ],
    [
      "imports in a circle",
      () => reflecting(() => reflectionAnswer([emptyFile("x.proto", ["y.proto"]), emptyFile("y.proto", ["x.proto"])])),
      "EGRPCDESCRIPTOR",
      /in a circle/,
    ],
    [
      "ever more imports",
      () => reflecting((_question, turn) => reflectionAnswer([emptyFile(`${turn}.proto`, [`${turn + 1}.proto`])])),
      "EGRPCDESCRIPTOR",
      /more than 500 files/,
    ],
    [
      "more than it was asked for",
      () => reflecting(() => Buffer.concat(Array.from({ length: 50 }, () => reflectionAnswer([emptyFile("x.proto", ["y.proto"])])))),
      "EGRPCDESCRIPTOR",
      /not asked for|not there/,
    ],
    [
      "a file of two bytes' messages",
      () => reflecting(() => reflectionAnswer([Buffer.from("2200".repeat(100_000), "hex")])),
      "EGRPCDESCRIPTOR",
      /more than 400000 values/,
    ],
    [
      "messages nested without end",
      () => {
        let nested = Buffer.alloc(0);
        for (let depth = 0; depth < 200; depth += 1) nested = Buffer.concat([Buffer.from([0x1a, ...varint(nested.length)]), nested]);
        return reflecting(() => reflectionAnswer([Buffer.concat([Buffer.from([0x22, ...varint(nested.length)]), nested])]));
      },
      "EGRPCDESCRIPTOR",
      /nested more than 100 deep/,
    ],
    [
      "a type that is not there",
      () => {
        const { messageType: _none, ...rest } = shopFile();
        return reflecting(() => reflectionAnswer([fileBytes({ ...rest, messageType: [] })]));
      },
      "EGRPCDESCRIPTOR",
      /names types that it does not declare/,
    ],
  ])("ends clearly with %s", async (_what, start, code, message) => {
    await using server = await start();
    const seen = await check({ port: server.port, ...get });
    expect(seen.failure).toMatchObject({ code, message: expect.stringMatching(message), side: "target" });
    expect(seen.result).toMatchObject({ response: null, requestError: expect.stringMatching(`^${code}: `) });
  });

  it("refuses methods that stream, and ones that are not there", async () => {
    await using server = await reflecting(() => reflectionAnswer([fileBytes(shopFile())]));
    expect((await check({ port: server.port, ...get, method: "Watch" })).failure).toMatchObject({
      code: "EGRPCMETHOD",
      message: expect.stringContaining("streams"),
    });
    expect((await check({ port: server.port, ...get, method: "Put" })).failure).toMatchObject({
      code: "EGRPCMETHOD",
      message: expect.stringContaining("it has Get, Watch"),
    });
  });
});

function varint(value: number): number[] {
  return value > 127 ? [(value & 127) | 128, ...varint(value >>> 7)] : [value];
}
