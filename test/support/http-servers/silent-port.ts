import { once } from "node:events";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";

/**
 * A port whose kernel queue is full and whose program never accepts: packets that would open a connection are dropped,
 * as behind a firewall that says nothing.
 */
export async function silentPort(host: string, port = 0): Promise<AsyncDisposable & { readonly port: number }> {
  const worker = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads");
     const server = require("node:net").createServer();
     server.listen({ ...workerData, backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
     });`,
    { eval: true, workerData: { host, port } },
  );
  const [bound] = (await once(worker, "message")) as [number];
  const fillers = Array.from({ length: 6 }, () => connect(bound, host).on("error", () => undefined));
  await Promise.all(fillers.slice(0, 2).map((filler) => once(filler, "connect")));
  return {
    port: bound,
    async [Symbol.asyncDispose]() {
      for (const filler of fillers) filler.destroy();
      await worker.terminate();
    },
  };
}
