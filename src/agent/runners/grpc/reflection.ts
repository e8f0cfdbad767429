import { fromBinary, fromJson, toBinary, toJson } from "@bufbuild/protobuf";
import type { FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import { statusName } from "#domain/grpc-findings.ts";
import type { StepContext } from "../../net/connection.ts";
import { ProbeError } from "../../net/probe-error.ts";
import type { CallSession } from "./call-session.ts";
import { type CallEnd, type CallWish, type OpenCall, openCall } from "./call-stream.ts";
import { badDescriptor, readFileDescriptor, told, wellKnownFiles } from "./file-registry.ts";
import type { WireMessage } from "./message-reader.ts";
import { standardMessages } from "./standard-services.ts";
import { boundValues } from "./value-count.ts";

/** What a server may send until its descriptors are whole: files, their bytes, and what is in them. */
const [maxFiles, maxBytes, maxValues] = [500, 4 * 1024 * 1024, 400_000];
const [unimplemented, notFound] = [12, 5];
/** The newest first; servers older than 2023 know the second only. */
const services = ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"] as const;

/** As a call, without its path and encodings. */
export type ReflectionWish = Pick<CallWish, "metadata" | "userAgent"> & {
  /** What is left of the deadline (ms). */
  readonly restMs: () => number;
};

/**
 * Asks a server for the files that declare a service and all that they import (gRPC, doc/server-reflection.md).
 *
 * @throws {ProbeError} EGRPCREFLECTION where it does not tell, EGRPCMETHOD where it knows no such service, EGRPCDESCRIPTOR for files
 * that are none or too many; what a call can come to
 */
export async function reflect(
  session: CallSession,
  symbol: string,
  wish: ReflectionWish,
  context: StepContext,
): Promise<ReadonlyMap<string, FileDescriptorProto>> {
  for (const service of services) {
    const talk = new ReflectionTalk(session, service, wish, context);
    const files = await talk.filesOf(symbol);
    if (files !== null) return files;
  }
  throw new ProbeError("EGRPCREFLECTION", `${session.peer} does not offer reflection; give the check a proto file`);
}

class ReflectionTalk {
  readonly #peer: string;
  readonly #call: OpenCall;
  readonly #files = new Map<string, FileDescriptorProto>();
  readonly #answers: WireMessage[] = [];
  #onAnswer: (() => void) | null = null;
  #bytes = 0;
  #values = 0;

  constructor(session: CallSession, service: string, { metadata, userAgent, restMs }: ReflectionWish, context: StepContext) {
    this.#peer = session.peer;
    const path = `/${service}/ServerReflectionInfo`;
    const wish = { path, metadata, userAgent, acceptedEncodings: "identity", limitMs: restMs(), step: "reflection" };
    this.#call = openCall(session, wish, context, (message) => this.#take(message));
    this.#call.done.catch(() => undefined); // told where it is waited for
  }

  /** Null where the server has no such service. */
  async filesOf(symbol: string): Promise<ReadonlyMap<string, FileDescriptorProto> | null> {
    try {
      if (!(await this.#ask({ fileContainingSymbol: symbol }, symbol))) return null;
      const asked = new Set<string>();
      for (let name = this.#missing(asked); name !== undefined; name = this.#missing(asked)) {
        asked.add(name);
        await this.#ask({ fileByFilename: name }, name);
      }
      return this.#files;
    } finally {
      this.#call.abandon();
    }
  }

  /** The next import that is not there yet. What every compiler has is not asked for. */
  #missing(asked: ReadonlySet<string>): string | undefined {
    for (const { dependency } of this.#files.values())
      for (const name of dependency) if (!this.#files.has(name) && !wellKnownFiles.has(name) && !asked.has(name)) return name;
    return undefined;
  }

  /** False where the service of reflection is not there. */
  async #ask(question: Record<string, string>, name: string): Promise<boolean> {
    const { reflectionRequest, reflectionResponse } = standardMessages();
    this.#call.send(toBinary(reflectionRequest, fromJson(reflectionRequest, question)));
    const end = await this.#answered();
    if (end !== null) {
      if (end.status.code === unimplemented) return false;
      if (end.status.code === 0) throw badDescriptor(`${this.#peer} ended the reflection before its descriptors were whole`);
      throw this.#refusal(end.status.code, end.status.message);
    }
    const { bytes } = this.#answers.shift() ?? { bytes: Buffer.alloc(0) };
    this.#read(reflectionResponse, bytes, name);
    return true;
  }

  /** Until a message is there, or the call ended: without one, which is told, or with a failure, which is thrown. */
  async #answered(): Promise<CallEnd | null> {
    if (this.#answers.length > 0) return null;
    const answer = new Promise<null>((resolve) => (this.#onAnswer = () => resolve(null)));
    return Promise.race([answer, this.#call.done]);
  }

  #take(message: WireMessage): void {
    this.#bytes += message.bytes.length;
    if (this.#bytes > maxBytes) throw badDescriptor(`${this.#peer} sent more than ${maxBytes} bytes of descriptors`);
    if (message.isCompressed) throw new ProbeError("EGRPCENCODING", `${this.#peer} sent a compressed descriptor, which was not asked for`);
    if (this.#answers.length > 1) throw badDescriptor(`${this.#peer} sent descriptors that were not asked for`);
    this.#answers.push(message);
    this.#onAnswer?.();
  }

  #read(desc: ReturnType<typeof standardMessages>["reflectionResponse"], bytes: Uint8Array, name: string): void {
    const answer = this.#parsed(desc, bytes);
    const refusal = answer.errorResponse;
    if (refusal !== undefined) {
      if (refusal.errorCode === notFound) throw this.#unknown(name);
      throw this.#refusal(refusal.errorCode ?? 2, refusal.errorMessage ?? "");
    }
    for (const encoded of answer.fileDescriptorResponse?.fileDescriptorProto ?? []) {
      const { file, values } = readFileDescriptor(Buffer.from(encoded, "base64"), maxValues - this.#values);
      this.#values += values;
      if (!this.#files.has(file.name)) this.#files.set(file.name, file);
      if (this.#files.size > maxFiles) throw badDescriptor(`${this.#peer} sent more than ${maxFiles} files of descriptors`);
    }
    if (this.#files.size === 0) throw this.#unknown(name);
  }

  #parsed(desc: ReturnType<typeof standardMessages>["reflectionResponse"], bytes: Uint8Array): ReflectionAnswer {
    try {
      boundValues(desc, bytes, 4 * maxFiles);
      return toJson(desc, fromBinary(desc, bytes, { readUnknownFields: false })) as ReflectionAnswer; // by its descriptor
    } catch (cause) {
      throw badDescriptor(`the answer of ${this.#peer} to reflection cannot be read`, cause);
    }
  }

  #unknown(name: string): ProbeError {
    if (this.#files.size > 0) return badDescriptor(`${this.#peer} does not know ${told(name)}, which its descriptors import`);
    return new ProbeError("EGRPCMETHOD", `${this.#peer} knows no service ${told(name)} (reflection)`);
  }

  #refusal(code: number, message: string): ProbeError {
    const words = message === "" ? "" : `: ${message.slice(0, 500)}`;
    return new ProbeError("EGRPCREFLECTION", `${this.#peer} refuses reflection with ${statusName(code)} (${code})${words}`);
  }
}

/** As ProtoJSON has it. */
interface ReflectionAnswer {
  readonly errorResponse?: { readonly errorCode?: number; readonly errorMessage?: string };
  readonly fileDescriptorResponse?: { readonly fileDescriptorProto?: readonly string[] };
}
