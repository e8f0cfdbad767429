import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

export interface RawServer extends AsyncDisposable {
  readonly port: number;
  /** Connections accepted so far. */
  connections(): number;
}

/** A TCP server on a free loopback port that leaves every byte to `handle`; all its sockets end with it. */
export async function rawServer(handle: (socket: Socket) => void, host = "127.0.0.1"): Promise<RawServer> {
  return serve(createServer({ noDelay: true }), "connection", handle, host);
}

/** Answers the first bytes of each connection with `answer` and closes. */
export function cannedServer(answer: string | Buffer): Promise<RawServer> {
  return rawServer((socket) => {
    socket.once("data", () => socket.end(answer));
  });
}

/** Starts any server of node:net's family and counts what `event` hands over. */
export async function serve(server: Server, event: string, handle: (socket: Socket) => void, host = "127.0.0.1"): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on("connection", (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on(event, handle);
  server.listen(0, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => accepted,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
