import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

interface Target extends AsyncDisposable {
  readonly base: string;
  /** Of the newest request. */
  readonly headers: () => IncomingHttpHeaders;
}

/** Answers /ok with 200, everything else with 503, and a body that results keep. */
export async function startTarget(): Promise<Target> {
  let headers: IncomingHttpHeaders = {};
  const server = createServer((request, response) => {
    headers = request.headers;
    response.writeHead(request.url === "/ok" ? 200 : 503).end("a body");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    base: `http://127.0.0.1:${port}`,
    headers: () => headers,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
