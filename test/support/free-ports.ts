import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that Linux gives to outgoing connections, so none of them takes a port between its choice and its use. */
const [from, to] = [20_000, 32_000];

/** Each worker has ports of its own: none takes what another one has chosen and not yet used. */
const slices = 8;
const size = (to - from) / slices;
const first = from + (Number(process.env["VITEST_POOL_ID"] ?? 0) % slices) * size;
let turn = randomInt(size); // other runs of the tests on this machine begin elsewhere

/** Ports of 127.0.0.1 that were free a moment ago, for TCP and UDP. None comes twice before all others have. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = first + (turn++ % size);
    if ((await isFree(port)) && (await isFreeForUdp(port))) ports.push(port);
  }
  return ports;
}

/** One of them: to listen at, or where nobody listens. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return !(await isTaken(async () => {
    await once(server.listen(port, "127.0.0.1"), "listening");
    await once(server.close(), "close");
  }));
}

async function isFreeForUdp(port: number): Promise<boolean> {
  const socket = createSocket("udp4");
  const isIt = !(await isTaken(async () => void (await once(socket.bind(port, "127.0.0.1"), "listening"))));
  await once(socket.close(), "close");
  return isIt;
}

async function isTaken(bind: () => Promise<void>): Promise<boolean> {
  try {
    await bind();
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return true;
    throw error;
  }
}
