import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface ProxyCutAt {
  readonly port: number;
  /** Whether somebody sent the words already. */
  readonly hasCut: () => boolean;
  readonly end: () => void;
}

/** In front of a server on loopback: cuts every connection as soon as somebody sends these words; then is gone, or lets the next ones through. */
export async function proxyCutAt(words: string, port: number, then: "is gone" | "goes on"): Promise<ProxyCutAt> {
  const open = new Set<Socket>();
  let hasCut = false;
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => undefined).on("close", () => [client, upstream].forEach((one) => one.destroy()));
    }
    upstream.pipe(client);
    client.on("data", (bytes: Buffer) => {
      if (hasCut || !bytes.includes(words)) return void upstream.write(bytes);
      hasCut = true;
      if (then === "is gone") server.close();
      for (const socket of open) socket.destroy();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    hasCut: () => hasCut,
    end() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
