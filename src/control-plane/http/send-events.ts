import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { ServerEvent } from "#contract/operation.ts";

/** As they come; null keeps the connection alive. Whoever goes away ends the iteration. */
export function sendEvents(reply: FastifyReply, events: AsyncIterable<ServerEvent | null>): FastifyReply {
  return reply
    .header("cache-control", "no-store, no-transform")
    .header("x-accel-buffering", "no") // nginx would keep back what it has not enough of
    .type("text/event-stream; charset=utf-8")
    .send(Readable.from(framed(events), { objectMode: false }));
}

async function* framed(events: AsyncIterable<ServerEvent | null>): AsyncGenerator<string> {
  for await (const one of events) yield one === null ? ":\n\n" : `event: ${one.event}\ndata: ${JSON.stringify(one.data)}\n\n`;
}
