import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { FileOutput } from "#contract/operation.ts";
import type { StreamedFile } from "./handler.ts";

/** To be saved, never to be shown: what is in it came from targets. A streamed file can be asked for in part (RFC 9110 §14). */
export async function sendFile(reply: FastifyReply, file: FileOutput | StreamedFile): Promise<FastifyReply> {
  const body = "body" in file ? file.body : await streamed(reply, file); // may throw, and an error is no file
  return reply
    .header("content-disposition", `attachment; filename="${file.name}"`)
    .header("content-security-policy", "default-src 'none'; sandbox") // where something shows it all the same
    .type(file.contentType)
    .send(body);
}

async function streamed(reply: FastifyReply, { size, open }: StreamedFile): Promise<Readable | string> {
  const range = rangeOf(reply.request.headers.range, size);
  if (range === "beyond") {
    reply.header("accept-ranges", "bytes").code(416).header("content-range", `bytes */${size}`);
    return "";
  }
  const [start, end] = range ?? [0, size];
  const body = await open(start, end);
  if (range !== null) reply.code(206).header("content-range", `bytes ${start}-${end - 1}/${size}`);
  reply.header("accept-ranges", "bytes").header("content-length", end - start);
  return body;
}

/**
 * What a Range header asks for, as start and end of the bytes; null where all are sent: there is none, it is of another unit, or it asks
 * for several ranges, which a server need not answer in parts.
 */
export function rangeOf(header: string | undefined, size: number): readonly [start: number, end: number] | "beyond" | null {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replaceAll(" ", "") ?? "") ?? [];
  if (first === "") return last === "" ? null : lastBytes(Number(last), size);
  const start = Number(first);
  const end = last === "" ? size : Math.min(size, Number(last) + 1);
  if (last !== "" && Number(last) < start) return null;
  return start >= size ? "beyond" : [start, end];
}

function lastBytes(count: number, size: number): readonly [start: number, end: number] | "beyond" {
  return count === 0 || size === 0 ? "beyond" : [Math.max(0, size - count), size];
}
