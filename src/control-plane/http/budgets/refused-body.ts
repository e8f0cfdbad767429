import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";

/** So much of a body that is too large is read and thrown away, and for so long. */
const mostBytes = 32 * 1_048_576;
const mostMs = 5_000;

/**
 * To be awaited before an error is answered. Many clients send their whole body before they look for an answer (Python, Go, `fetch`): one that
 * closes the connection while they send is lost to them. So the rest of a body that is too large is thrown away first, and the connection stays.
 * Nothing of it is kept; it costs the client as much as it costs us.
 */
export async function readRefusedBody(error: unknown, { raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!(error instanceof Error && "code" in error && error.code === "FST_ERR_CTP_BODY_TOO_LARGE")) return;
  if (await isReadToEnd(raw)) reply.removeHeader("connection");
  else reply.header("connection", "close");
}

function isReadToEnd(body: IncomingMessage): Promise<boolean> {
  if (body.readableEnded || body.destroyed) return Promise.resolve(body.readableEnded);
  return new Promise((resolve) => {
    let left = mostBytes;
    const count = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0) over();
    };
    const over = (): void => {
      clearTimeout(timer);
      body.off("data", count).off("end", over).off("close", over).pause();
      resolve(body.readableEnded);
    };
    const timer = setTimeout(over, mostMs).unref();
    body.unpipe(); // whoever read it takes no more
    body.on("data", count).once("end", over).once("close", over).resume();
  });
}
