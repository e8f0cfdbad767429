import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { parentPort } from "node:worker_threads";

/** A request whose answer has left: its path, and the milliseconds since it came. */
export interface Answered {
  readonly path: string;
  readonly tookMs: number;
}

/* Pages that wait for `?wait=` milliseconds, in a thread of their own: what it sees of time is not what the others' work makes of it. */
const server = createServer(async (request, response) => {
  const startMs = performance.now();
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://target");
  await pause(Number(searchParams.get("wait")));
  response.setHeader("content-type", "text/html").end("<!doctype html><title>Bench</title><p>Here.</p>");
  response.once("finish", () => parentPort?.postMessage({ path: pathname, tookMs: performance.now() - startMs } satisfies Answered));
});
server.listen(0, "127.0.0.1", () => parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
