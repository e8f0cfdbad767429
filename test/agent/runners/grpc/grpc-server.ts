import {
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Server } from "node:net";
import { create, fromBinary, fromJson, type JsonValue, type Registry, toBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { framed } from "../../../../src/agent/runners/grpc/message-reader.ts";
import { readProto } from "../../../../src/agent/runners/grpc/proto-file/read-proto.ts";
import { type RawServer, serve } from "../../../support/http-servers/raw-server.ts";
import { shopProto } from "./shop-proto.ts";

/** What a test's server does with a call; the request's message is whole. */
export type Handle = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, message: Buffer) => void;

export interface GrpcServerOptions {
  readonly tls?: SecureServerOptions;
  readonly onSession?: (session: ServerHttp2Session) => void;
}

/** A server over real HTTP/2 on loopback, written without the runner's own code. */
export function http2Server(handle: Handle, { tls, onSession }: GrpcServerOptions = {}): Promise<RawServer> {
  const server = tls === undefined ? createServer() : createSecureServer(tls);
  server.on("sessionError", () => undefined);
  if (onSession !== undefined) server.on("session", onSession);
  server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on("error", () => undefined);
    const parts: Buffer[] = [];
    let isAnswered = false;
    stream.on("data", (part: Buffer) => {
      parts.push(part);
      const whole = Buffer.concat(parts);
      if (isAnswered || whole.length < 5 || whole.length < 5 + whole.readUInt32BE(1)) return;
      isAnswered = true;
      handle(stream, headers, whole.subarray(5));
    });
  });
  return serve(server as unknown as Server, "listening", () => undefined); // of the same family at run time
}

export const ok = { "grpc-status": "0" };

/** Answers a call: headers, bytes as they are, trailers. */
export function answer(
  stream: ServerHttp2Stream,
  bytes: Uint8Array | null,
  trailers: Record<string, string | string[]> | null,
  headers: Record<string, string> = {},
): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc+proto", ...headers }, { waitForTrailers: true });
  stream.on("wantTrailers", () => (trailers === null ? stream.close() : stream.sendTrailers(trailers)));
  if (bytes === null) stream.end();
  else stream.end(bytes);
}

export const shop: Registry = readProto(shopProto);

export function shopMessage(type: string, json: JsonValue): Uint8Array {
  const desc = shop.getMessage(`shop.v1.${type}`);
  if (desc === undefined) throw new Error(type);
  return toBinary(desc, fromJson(desc, json, { registry: shop }));
}

export function order(json: JsonValue): Buffer {
  return framed(shopMessage("Order", json));
}

/** Answers `Get` with what `make` makes of its id; everything else is unimplemented. */
export function shopServer(make: (id: string) => JsonValue, options?: GrpcServerOptions): Promise<RawServer> {
  return http2Server((stream, headers, message) => {
    if (headers[":path"] !== "/shop.v1.Orders/Get") return answer(stream, null, { "grpc-status": "12" });
    const desc = shop.getMessage("shop.v1.GetRequest");
    const { id } = fromBinary(desc!, message) as unknown as { id: string };
    answer(stream, order(make(id)), { ...ok, "x-served-by": "one" });
  }, options);
}

function part(field: number, bytes: Uint8Array | string): Buffer {
  const whole = Buffer.from(bytes);
  const length: number[] = [];
  for (let rest = whole.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...length]), whole]);
}

/** An answer of reflection that holds these files. */
export function reflectionAnswer(files: readonly Uint8Array[]): Buffer {
  return framed(part(4, Buffer.concat(files.map((file) => part(1, file)))));
}

export function reflectionError(code: number, message: string): Buffer {
  return framed(part(7, Buffer.concat([Buffer.from([8, code]), part(2, message)])));
}

export function shopFile(): FileDescriptorProto {
  const file = shop.getService("shop.v1.Orders")?.file.proto;
  if (file === undefined) throw new Error("no file");
  return file;
}

export function fileBytes(file: FileDescriptorProto): Uint8Array {
  return toBinary(FileDescriptorProtoSchema, file);
}

/** A file with one message `T`, which imports others. */
export function emptyFile(name: string, dependency: readonly string[]): Uint8Array {
  return fileBytes(create(FileDescriptorProtoSchema, { name, package: "p", syntax: "proto3", dependency: [...dependency] }));
}
