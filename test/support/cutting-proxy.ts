import { connect, type Socket } from "node:net";
import { rawServer } from "./http-servers/raw-server.ts";

/** A TCP proxy in front of one port that cuts each connection after so many bytes on their way to it. */
export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  cuts(): number;
  /** To the server, of all connections. */
  passedBytes(): number;
}

export async function cuttingProxy(port: number, afterBytes: number): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  let cuts = 0;
  let passed = 0;
  const listening = await rawServer((client) => {
    const server = connect(port, "127.0.0.1");
    let left = afterBytes;
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    server.pipe(client);
    client.on("data", (bytes: Buffer) => {
      passed += Math.min(left, bytes.length);
      if (bytes.length > left) {
        cuts += 1;
        server.end(bytes.subarray(0, left), () => client.destroy());
        left = 0;
        return;
      }
      left -= bytes.length;
      if (server.write(bytes)) return;
      client.pause();
      server.once("drain", () => client.resume());
    });
  });
  return {
    url: `http://127.0.0.1:${listening.port}`,
    cuts: () => cuts,
    passedBytes: () => passed,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await listening[Symbol.asyncDispose]();
    },
  };
}
