import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";

/** A target of several kinds, on every address of its namespace: 8080 answers HTTP, 8443 too, 8444 resets after the first bytes. */
const answer = createHttpServer((_request, response) => response.end("hello"));
const plainOnTlsPort = createHttpServer((_request, response) => response.end("hello"));
const resetting = createServer((socket) => {
  socket.on("error", () => undefined);
  socket.once("data", () => socket.resetAndDestroy());
});
await Promise.all([listen(answer, 8080), listen(plainOnTlsPort, 8443), listen(resetting, 8444)]);
process.stdout.write("ready\n");

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve) => server.listen(port, "::", resolve));
}
