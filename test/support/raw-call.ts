import { once } from "node:events";
import { createReadStream } from "node:fs";
import { type ClientRequest, request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

export interface RawAnswer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly body: any;
}

/** Bytes of a file, from and up to but without. */
export interface FilePart {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

/** Sends a body as it is, streamed, with this length. An answer before its end counts. */
export async function putBytes(
  url: string,
  token: string,
  bytes: Buffer | FilePart,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  const size = Buffer.isBuffer(bytes) ? bytes.length : bytes.end - bytes.start;
  const sent = request(url, {
    method: "PUT",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/octet-stream",
      "content-length": String(size),
      ...headers,
    },
  });
  const answer = answerOf(sent);
  const source = Buffer.isBuffer(bytes)
    ? Readable.from(cut(bytes))
    : createReadStream(bytes.path, { start: bytes.start, end: bytes.end - 1 });
  pipeline(source, sent).catch(() => undefined); // the answer, or its absence, tells
  return answer;
}

function* cut(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

async function answerOf(sent: ClientRequest): Promise<RawAnswer> {
  const [message] = await once(sent, "response");
  const text = Buffer.concat(await message.toArray()).toString("utf8");
  if (!sent.writableFinished) sent.destroy(); // answered before its end
  return { status: message.statusCode, body: text === "" ? undefined : JSON.parse(text) };
}
