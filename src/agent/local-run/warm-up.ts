import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { ApiCheckSettings } from "#contract/checks/api.ts";
import type { EgressPolicy } from "../net/egress-policy.ts";
import type { CheckRunner, RunContext } from "../runners/check-runner.ts";

const runs = 3;
const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const everywhere: EgressPolicy = { check: () => undefined, checkName: () => undefined };

/**
 * Code that runs for the first time is slow (5 ms and more for a first request), and a check would count that as the target's: so a few
 * requests go to a listener of this very process first. Nothing leaves the host, and without loopback it is left out.
 */
export async function warmUp(runner: CheckRunner<"API">, context: RunContext): Promise<void> {
  const server = createServer((socket) => socket.on("error", () => undefined).once("data", () => socket.end(answer)));
  try {
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const request = { method: "GET", url: `http://127.0.0.1:${port}/` };
    const settings = ApiCheckSettings.parse({ request, degradedResponseTime: null, maxResponseTime: null });
    for (let run = 0; run < runs; run += 1) await runner.run(settings, { ...context, proxyUrl: null, egress: everywhere });
  } catch {
    return; // the check itself will tell what is wrong
  } finally {
    server.close();
  }
}
