import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";

/** Two pages and a form between them. */
const page = (body: string): string => `<!doctype html><title>Bench</title><body>${body}</body>`;
const form = '<form action="/found"><label>Search <input name="q"></label><button>Search</button></form>';

const server = createServer(({ url = "" }, response) =>
  response.setHeader("content-type", "text/html").end(page(url.startsWith("/found") ? "<h1>Found</h1>" : form)),
);
server.listen(0, "127.0.0.1", () => parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
