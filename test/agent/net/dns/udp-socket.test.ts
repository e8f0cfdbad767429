import { once } from "node:events";
import { expect, it } from "vitest";
import { openUdpSocket } from "../../../../src/agent/net/dns/udp-socket.ts";
import { dnsServer } from "../../../support/dns-server.ts";

/** So many of 28,000 ports, chosen at random, would hold a pair in 99 of 100 cases. */
const count = 500;

it.each([true, false])("gives each socket a port of its own, also where the kernel stamps (%j)", async (isMeasured) => {
  await using server = await dnsServer(() => "silence");
  const sockets = Array.from({ length: count }, () => openUdpSocket("127.0.0.1", isMeasured).socket);
  await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.connect(server.port, "127.0.0.1", resolve))));
  expect(new Set(sockets.map((socket) => socket.address().port)).size).toBe(count);
  await Promise.all(sockets.map((socket) => once(socket.close(), "close")));
});

it.each(["127.0.0.1", "::1"])("tells how long ago a packet came from %s", async (host) => {
  await using server = await dnsServer(() => ({ addresses: ["10.0.0.1"] }), { host });
  // Seventeen bytes are a question for nothing.
  const question = Buffer.from("0001 0100 0001 0000 0000 0000 00 0001 0001".replaceAll(" ", ""), "hex");
  const age = async (): Promise<number> => {
    const { socket, ageMs } = openUdpSocket(host, true);
    await new Promise<void>((resolve) => socket.connect(server.port, host, resolve));
    socket.send(question);
    await once(socket, "message");
    const seenMs = ageMs();
    await once(socket.close(), "close");
    return seenMs;
  };
  await age();
  const seenMs = await age();
  expect(seenMs).toBeGreaterThanOrEqual(0);
  expect(seenMs).toBeLessThan(1_000);
});
