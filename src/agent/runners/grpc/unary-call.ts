import { servingStatusNames } from "#domain/grpc-names.ts";
import type { StepContext } from "../../net/connection.ts";
import { ProbeError } from "../../net/probe-error.ts";
import type { CallSession } from "./call-session.ts";
import { type CallWish, openCall } from "./call-stream.ts";
import type { WireMessage } from "./message-reader.ts";
import { decodedAnswer } from "./messages.ts";
import type { Method } from "./method.ts";
import type { Answer } from "./observation.ts";
import { acceptedEncodings, unpacked } from "./unpack.ts";

export interface UnaryWish extends Pick<CallWish, "metadata" | "userAgent" | "limitMs"> {
  readonly method: Method;
  /** As protobuf. */
  readonly message: Uint8Array;
  readonly isHealth: boolean;
}

/**
 * Makes a call with one message each way.
 *
 * @throws {ProbeError} EGRPCFORMAT where OK comes without a message, several come, or one that is none; EGRPCENCODING, EGRPCSIZE; what a
 * call can come to
 */
export async function callUnary(session: CallSession, wish: UnaryWish, context: StepContext): Promise<Answer> {
  const { method, message, isHealth, ...rest } = wish;
  let answer: WireMessage | null = null;
  const call = openCall(session, { ...rest, path: method.path, acceptedEncodings, step: "answer" }, context, (one) => {
    if (answer !== null) throw new ProbeError("EGRPCFORMAT", `${session.peer} sent more than one message to a unary call`);
    answer = one;
  });
  call.send(message);
  call.finish();
  const { status, metadata, encoding, headMs, endMs } = await call.done;
  const read = await readAnswer(answer, encoding, method, session.peer);
  if (status.code === 0 && read === null)
    throw new ProbeError("EGRPCFORMAT", `${session.peer} ended the call with OK, but sent no message`);
  return { status, metadata, message: read, healthStatus: isHealth && status.code === 0 ? healthIn(read?.json) : null, headMs, endMs };
}

async function readAnswer(
  answer: WireMessage | null,
  encoding: string | undefined,
  method: Method,
  peer: string,
): Promise<Answer["message"]> {
  if (answer === null) return null;
  const bytes = await unpacked(answer, encoding, peer);
  return { json: decodedAnswer(method.output, bytes, method.registry), bytes: bytes.length };
}

/** Known states stand as names in ProtoJSON, others as numbers. */
function healthIn(json: unknown): number | null {
  const status = typeof json === "object" && json !== null && "status" in json ? json.status : null;
  if (typeof status === "number") return status;
  const at = servingStatusNames.findIndex((name) => name === status);
  return at === -1 ? null : at;
}
