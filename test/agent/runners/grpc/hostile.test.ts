import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { framed } from "../../../../src/agent/runners/grpc/message-reader.ts";
import { cannedServer, rawServer } from "../../../support/http-servers/raw-server.ts";
import { responseOf } from "../../../support/run-context.ts";
import { turnsUntil } from "../../../support/turns.ts";
import { grpcChecks } from "./grpc-check.ts";
import { answer, http2Server, ok, order, shopServer } from "./grpc-server.ts";
import { shopProto } from "./shop-proto.ts";

const check = grpcChecks();
const get = { service: "shop.v1.Orders", method: "Get", protoContent: shopProto, message: '{"id":"42"}' };

/** A frame (RFC 9113 §4.1). */
function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const settings = frame(4, 0, 0);
/** Sends frames as soon as something came. */
const framesServer = (...frames: readonly Buffer[]) =>
  rawServer((socket) => {
    socket.once("data", () => socket.write(Buffer.concat([settings, ...frames])));
  });
/** `:status: 200`, `content-type: application/grpc`, uncompressed (RFC 7541). */
const head = Buffer.concat([Buffer.from([0x88, 0x0f, 0x10, 16]), Buffer.from("application/grpc")]);

function packed(bytes: Uint8Array): Buffer {
  const whole = framed(bytes);
  whole[0] = 1;
  return whole;
}

function prefix(flag: number, length: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt8(flag, 0);
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

describe("the gRPC runner and hostile answers", () => {
  it.each([
    ["HTTP/1 on the port", () => cannedServer("HTTP/1.1 400 Bad Request\r\n\r\n"), "EPROTO", /answered with HTTP\/1;/],
    [
      "a TLS alert on the port",
      () => cannedServer(Buffer.from([21, 3, 3, 0, 2, 2, 40])),
      "EPROTO",
      /answered with TLS; the check has tls off/,
    ],
    ["something else on the port", () => cannedServer("SSH-2.0-OpenSSH_9.9\r\n"), "EPROTO", /not HTTP\/2/],
    ["a close at once", () => rawServer((socket) => socket.end()), "ECONNRESET", /closed the connection/],
    ["a reset", () => rawServer((socket) => socket.once("data", () => socket.resetAndDestroy())), "ECONNRESET", /reset the connection/],
    ["a GOAWAY", () => framesServer(frame(7, 0, 0, Buffer.from([0, 0, 0, 0, 0, 0, 0, 11]))), "ECONNRESET", /GOAWAY|ENHANCE_YOUR_CALM/],
    ["a reset of the call", () => framesServer(frame(3, 0, 1, Buffer.from([0, 0, 0, 7]))), "ECONNRESET", /REFUSED_STREAM/],
    ["a frame that is too long", () => framesServer(frame(0, 0, 1, Buffer.alloc(20_000))), "EPROTO", /broke the rules|HTTP\/2/],
    ["data on no stream", () => framesServer(frame(0, 0, 0, Buffer.alloc(10))), "EPROTO", /broke the rules of HTTP\/2/],
    ["headers that are no HPACK", () => framesServer(frame(1, 4, 1, Buffer.alloc(100, 0xff))), "EPROTO", /broke the rules of HTTP\/2/],
    [
      "a flood of PING",
      () => framesServer(...Array.from({ length: 3_000 }, () => frame(6, 0, 0, Buffer.alloc(8)))),
      "EFLOOD",
      /more than 2000 frames/,
    ],
    ["a flood of SETTINGS", () => framesServer(...Array.from({ length: 3_000 }, () => settings)), "EFLOOD", /more than 2000 frames/],
    [
      "a flood of RST_STREAM",
      () => framesServer(...Array.from({ length: 3_000 }, () => frame(3, 0, 3, Buffer.alloc(4)))),
      "EFLOOD",
      /more than 2000 frames/,
    ],
    [
      "a flood of empty DATA",
      () => framesServer(frame(1, 4, 1, head), ...Array.from({ length: 3_000 }, () => frame(0, 0, 1))),
      "EFLOOD",
      /more than 2000 frames/,
    ],
    [
      "a flood of unknown frames",
      () => framesServer(...Array.from({ length: 3_000 }, () => frame(99, 0, 0, Buffer.alloc(1_000)))),
      "EFLOOD",
      /frames/,
    ],
    [
      "headers that never end",
      () => framesServer(frame(1, 0, 1, head), ...Array.from({ length: 300 }, () => frame(9, 0, 1, Buffer.alloc(16_000)))),
      "EPROTO",
      /broke the rules of HTTP\/2/,
    ],
  ])("ends clearly with %s", async (_what, start, code, message) => {
    await using server = await start();
    const seen = await check({ port: server.port, ...get });
    expect(seen.failure).toMatchObject({ code, message: expect.stringMatching(message), side: "target" });
  });

  it.each([
    ["a page", { ":status": 404, "content-type": "text/html" }, /HTTP status 404, the content type "text\/html"/],
    ["no content type", { ":status": 200 }, /no content type/],
    ["gRPC-Web", { ":status": 200, "content-type": "application/grpc-web+proto" }, /application\/grpc-web/],
    ["another status", { ":status": 503, "content-type": "application/grpc" }, /HTTP status 503/],
  ])("tells %s", async (_what, headers, message) => {
    await using server = await http2Server((stream) => {
      stream.respond(headers);
      stream.end("<html>");
    });
    expect((await check({ port: server.port, ...get })).failure).toMatchObject({
      code: "EGRPCHTTP",
      message: expect.stringMatching(message),
    });
  });

  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
  const zeros = (length: number) => Buffer.from("1a00".repeat(length), "hex");
  it.each([
    ["a message that says it is 4 GB", prefix(0, 0xffff_ffff), {}, "EGRPCSIZE", /is 4294967295 bytes long/],
    ["a message one byte too long", prefix(0, 4 * 1024 * 1024 + 1), {}, "EGRPCSIZE", /at most 4194304 bytes/],
    ["a gzip bomb", packed(bomb), { "grpc-encoding": "gzip" }, "EGRPCSIZE", /unpacks to more/],
    ["gzip that is none", packed(Buffer.from("no gzip")), { "grpc-encoding": "gzip" }, "EGRPCENCODING", /no valid gzip/],
    ["an encoding that was not offered", packed(bomb), { "grpc-encoding": "br" }, "EGRPCENCODING", /says "br"/],
    ["compression without a name", packed(bomb), {}, "EGRPCENCODING", /does not say how/],
    ["a flag that is none", prefix(7, 3), {}, "EGRPCFORMAT", /begins with 7/],
    ["half a message", prefix(0, 10), {}, "EGRPCFORMAT", /in the middle of a message/],
    ["two messages", Buffer.concat([order({}), order({})]), {}, "EGRPCFORMAT", /more than one message/],
    ["bytes that are no message", framed(Buffer.from([0x0a, 0xff])), {}, "EGRPCFORMAT", /cannot be read as shop.v1.Order/],
    ["a million empty messages", framed(zeros(1_000_000)), {}, "EGRPCFORMAT", /more than 200000 values/],
    [
      "a million packed numbers",
      framed(Buffer.concat([Buffer.from([0x42, 0xc0, 0x84, 0x3d]), Buffer.alloc(1_000_000, 1)])),
      {},
      "EGRPCFORMAT",
      /more than 200000 values/,
    ],
    ["messages nested too deep", framed(nested(0x4a, 300, Buffer.alloc(0))), {}, "EGRPCFORMAT", /nested more than 100 deep/],
    ["Any in Any in Any", framed(nestedAny(300)), {}, "EGRPCFORMAT", /nested more than 100 deep/],
    ["an Any of an unknown type", framed(nestedAny(1, "x.y/no.such.Type")), {}, "EGRPCFORMAT", /cannot be read/],
  ] as const)("refuses %s", async (_what, bytes, headers, code, message) => {
    await using server = await http2Server((stream) => answer(stream, bytes, ok, headers));
    const seen = await check({ port: server.port, ...get });
    expect(seen.failure).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(seen.result.response).toBeNull();
  });

  it.each([
    ["no trailers", null],
    ["trailers without a status", { "x-other": "1" }],
    ["a status that is no number", { "grpc-status": "fine" }],
  ])("tells %s", async (_what, trailers) => {
    await using server = await http2Server((stream) => answer(stream, order({}), trailers));
    expect((await check({ port: server.port, ...get })).failure).toMatchObject({ code: "EGRPCSTATUS" });
  });

  it("tells OK without a message", async () => {
    await using server = await http2Server((stream) => answer(stream, null, ok));
    expect((await check({ port: server.port, ...get })).failure).toMatchObject({
      code: "EGRPCFORMAT",
      message: expect.stringContaining("sent no message"),
    });
  });

  it.each([
    ["headers", {}, { "x-large": "a".repeat(40_000) }],
    ["trailers", { "x-large": "a".repeat(40_000) }, {}],
    ["many trailers", Object.fromEntries(Array.from({ length: 400 }, (_each, index) => [`x-${index}`, "1"])), {}],
  ])("bounds %s", async (_what, trailers, headers) => {
    await using server = await http2Server((stream) => answer(stream, order({}), { ...ok, ...trailers }, headers));
    expect((await check({ port: server.port, ...get })).failure).toMatchObject({ code: "EHEADERSIZE" });
  });

  it("does not stumble over keys and texts of any kind", async () => {
    const trailers = { ...ok, constructor: "c", "a-bin": "AAEC", "grpc-message": "%00%ff\u00e9" };
    await using server = await http2Server((stream) => answer(stream, order({ id: "\0\u2028</script>" }), trailers));
    const seen = await check({ port: server.port, ...get });
    const response = responseOf(seen);
    expect(response.metadata.map(({ key }) => key)).toEqual(expect.arrayContaining(["constructor", "a-bin"]));
    expect(response.responseMessage).not.toContain("\0");
    expect(response.grpcStatusMessage).not.toContain("\0");
  });
});

describe("the gRPC runner and servers that never answer", () => {
  afterEach(() => void vi.useRealTimers());

  it.each([
    ["nothing", () => undefined, /1000 ms \(the call was sent\)$/],
    ["settings only", (socket: Socket) => void socket.write(settings), /the call was sent/],
    [
      "half an answer",
      (socket: Socket) => void socket.write(Buffer.concat([settings, frame(1, 4, 1, head), frame(0, 0, 1, prefix(0, 100))])),
      /the call was sent/,
    ],
  ])("gives up after its timeout where a server sends %s", async (_what, say, message) => {
    let isAsked = false;
    await using server = await rawServer((socket) => {
      socket.once("data", () => {
        isAsked = true;
        say(socket);
      });
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const done = check({ port: server.port, ...get, timeout: 1 });
    await turnsUntil(() => isAsked);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(1_001);
    expect((await done).failure).toMatchObject({ code: "ETIMEDOUT", side: "target", message: expect.stringMatching(message) });
  });

  it("counts reflection into the timeout", async () => {
    let isAsked = false;
    await using server = await http2Server(() => (isAsked = true));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const done = check({ port: server.port, service: "a.B", method: "C", timeout: 2 });
    await turnsUntil(() => isAsked);
    vi.advanceTimersByTime(2_001);
    const seen = await done;
    expect(seen.failure).toMatchObject({ code: "ETIMEDOUT", message: expect.stringContaining("(reflection)") });
    expect(seen.metrics).toMatchObject({ tcp: expect.any(Number), reflection: null, firstByte: null });
  });

  it("throws the reason of another abort", async () => {
    const run = new AbortController();
    await using server = await http2Server(() => run.abort("cancelled"));
    await expect(check({ port: server.port, ...get }, { signal: run.signal })).rejects.toBe("cancelled");
  });

  it("leaves no connection behind", async () => {
    const closed: boolean[] = [];
    await using server = await shopServer(() => ({}), { onSession: (session) => void session.on("close", () => closed.push(true)) });
    await check({ port: server.port, ...get });
    await turnsUntil(() => closed.length > 0);
    expect(closed).toEqual([true]);
  });
});

describe("the gRPC runner and requests that cannot be made", () => {
  it.each([
    ["message", { message: '{"id":' }, /"grpcConfig.message" must be a JSON object/],
    ["a message of another type", { message: '{"id":{"secret":"s3cret"}}' }, /look at its field id$/],
    ["an unknown field", { message: '{"s3cret":"s3cret"}' }, /look for fields that it does not have$/],
    ["service", { service: "a b" }, /"grpcConfig.service" must be/],
    ["no service", { service: null }, /"grpcConfig.service" is required/],
    ["no method", { method: null }, /"grpcConfig.method" is required/],
    ["a reserved key", { metadata: [{ key: "grpc-timeout", value: "s3cret" }] }, /"grpcConfig.metadata\[0\].key" is reserved/],
    ["a key that is none", { metadata: [{ key: "a b", value: "s3cret" }] }, /"grpcConfig.metadata\[0\].key" must hold only/],
    ["a value that is none", { metadata: [{ key: "a", value: "s3cret\n" }] }, /"grpcConfig.metadata\[0\].value" must hold printable/],
    ["a binary value that is none", { metadata: [{ key: "a-bin", value: "s3cret!" }] }, /must be base64/],
    [
      "a key that may be there once",
      {
        metadata: [
          { key: "authorization", value: "s3cret" },
          { key: "authorization", value: "s3cret" },
        ],
      },
      /has a key twice/,
    ],
    [
      "too much metadata",
      { metadata: Array.from({ length: 10 }, () => ({ key: "a", value: "s3cret".repeat(1_000) })) },
      /at most 32768 are sent/,
    ],
    ["a scheme", { url: "https://127.0.0.1" }, /"url" must be a name or an address alone/],
    ["a port that is none", { port: "{{PORT}}" }, /"port" must be a whole number/],
    ["FlatBuffers", { encoding: "FLATBUFFERS" as const }, /FLATBUFFERS is kept but not run/],
    ["no proto file", { serviceDefinition: "PROTO_FILE" as const, protoContent: " " }, /"grpcConfig.protoContent" is required/],
  ])("names the field with %s, and no value", async (_what, input, message) => {
    await using server = await shopServer(() => ({}));
    const seen = await check({ port: server.port, ...get, ...input });
    expect(seen.failure).toMatchObject({ code: "EGRPCREQUEST", message: expect.stringMatching(message) });
    expect(JSON.stringify(seen.failure)).not.toContain("s3cret");
  });

  it("tells a proto file that cannot be read before it dials", async () => {
    await using server = await shopServer(() => ({}));
    const seen = await check({ port: server.port, ...get, protoContent: 'syntax = "proto3";\n\nmessage {' });
    expect(seen.failure).toMatchObject({
      code: "EGRPCDESCRIPTOR",
      message: "the proto file cannot be read: the name of a message is wanted on line 3",
    });
    expect(server.connections()).toBe(0);
  });
});

function varint(value: number): number[] {
  return value > 127 ? [(value & 127) | 128, ...varint(value >>> 7)] : [value];
}

function nested(tag: number, depth: number, inner: Buffer): Buffer {
  let bytes = inner;
  for (let left = depth; left > 0; left -= 1) bytes = Buffer.concat([Buffer.from([tag, ...varint(bytes.length)]), bytes]);
  return bytes;
}

/** In the field `extra` of an order; the value stands before the name of its type. */
function nestedAny(depth: number, type = "type.googleapis.com/google.protobuf.Any"): Buffer {
  let bytes: Buffer = Buffer.alloc(0);
  for (let left = depth; left > 0; left -= 1)
    bytes = Buffer.concat([Buffer.from([0x12, ...varint(bytes.length)]), bytes, Buffer.from([0x0a, type.length]), Buffer.from(type)]);
  return Buffer.concat([Buffer.from([0x52, ...varint(bytes.length)]), bytes]);
}
