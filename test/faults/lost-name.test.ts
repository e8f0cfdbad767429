import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type DnsReply, dnsServer } from "../support/dns-server.ts";
import { ledgerTarget } from "../support/ledger-target.ts";
import { networkNamespace, noNamespaces } from "../support/namespace.ts";
import { until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

const [ipv4Record, ipv6Record] = [1, 28];
if (noNamespaces !== null) process.stdout.write(`the lost name of a control plane is skipped: ${noNamespaces}\n`);

it.skipIf(noNamespaces !== null)(
  "an agent outlives a name server that fails or is silent, and follows its control plane to another address (L-19)",
  { timeout: 180_000 },
  async () => {
    await using namespace = await networkNamespace();
    const [first, second, inside] = [namespace.outside.ipv4, namespace.outside.ipv6, namespace.inside.ipv4];
    const etc = join("/etc/netns", namespace.name);
    mkdirSync(etc, { recursive: true });
    using _etc = { [Symbol.dispose]: () => rmSync(etc, { recursive: true, force: true }) };
    writeFileSync(join(etc, "resolv.conf"), `nameserver ${first}\noptions timeout:1 attempts:1\n`);
    const only = (type: number, address: string) => (asked: number) =>
      asked === type ? { addresses: [address] } : { rcode: "NODATA" as const };
    let reply: (type: number) => DnsReply = only(ipv4Record, first);
    await using names = await dnsServer((_name, type) => reply(type), { host: first, port: 53 });
    await using target = await ledgerTarget();
    await using toTarget = await relay(first, 0, Number(new URL(target.url("")).port));
    await using site = await Site.start();
    const key = await site.location("north");
    const check = await site.check(`http://${first}:${toTarget.port}/one`, ["north"]);
    const old = await relay(first, 0, site.port);
    const env = { API_URL: `http://control-plane.test:${old.port}`, AGENT_HEALTH_HOST: inside, LOG_LEVEL: "INFO" };
    const agent = site.agent(key, env, ["ip", "netns", "exec", namespace.name]);
    const { healthPort } = await agent.logged("agent started");
    const status = async (probe: string): Promise<number> => (await fetch(`http://${inside}:${String(healthPort)}/-/${probe}`)).status;
    const ready = (words: string, wanted: number) => until(words, async () => (await status("readiness")) === wanted, 80_000);
    await ready("a connected agent", 200);

    await old[Symbol.asyncDispose]();
    reply = () => ({ rcode: "SERVFAIL" });
    await ready("the agent to miss its control plane", 503);
    reply = () => "silence";
    const asked = names.asked.length;
    await until("more questions", () => names.asked.length > asked + 2, 60_000);
    expect(await status("liveness")).toBe(200);

    await using _moved = await relay(second, old.port, site.port);
    reply = only(ipv6Record, second.replace("::", ":0:0:0:0:"));
    const [session] = await site.trigger(check);
    await ready("the agent at the new address", 200);
    expect((await site.ended(session!, 80_000)).results.map(({ hasErrors, hasFailures }) => hasErrors || hasFailures)).toEqual([false]);
  },
);

/** Passes what comes to one address on to a port of loopback. */
async function relay(host: string, port: number, to: number): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const onward = connect(to, "127.0.0.1");
    for (const [socket, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(onward).pipe(client);
  });
  await new Promise<void>((resolve) => void server.listen(port, host, resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
