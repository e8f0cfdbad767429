import { once } from "node:events";
import { connect } from "node:net";

/** Until a program that was started takes connections on this port of loopback. */
export async function untilListening(port: number): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const socket = connect(port, "127.0.0.1");
    const connected = await Promise.race([once(socket, "connect").then(() => true), once(socket, "error").then(() => false)]).catch(
      () => false,
    );
    socket.destroy();
    if (connected) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`nothing listens on port ${port}`);
}
