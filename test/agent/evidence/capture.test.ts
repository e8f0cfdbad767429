import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Capture } from "../../../src/agent/evidence/capture.ts";
import { packetFilter } from "../../../src/agent/evidence/packet-filter.ts";
import { PacketRing } from "../../../src/agent/evidence/packet-ring.ts";
import { pcapFile } from "../../../src/agent/evidence/pcap.ts";
import { noTshark, tshark } from "./tshark.ts";

const noRing = whyNoRing();
if (noRing !== null) process.stdout.write(`captures are not tested: ${noRing}\n`);

describe.skipIf(noRing !== null)("a capture on this host", () => {
  let capture: Capture;
  beforeEach(() => {
    capture = new Capture();
    capture.start();
  });
  afterEach(() => capture.stop());

  const { signal } = new AbortController();

  it.skipIf(noTshark !== null)("has each packet of a loopback flow once, and no other flow", async () => {
    const sinceMs = Date.now();
    const port = await talk("hello");
    await talk("another flow");
    const pcap = await capture.take({ address: "127.0.0.1", port, dnsName: null, headersOnly: false }, sinceMs, signal);
    const lines = await tshark(base64(pcap), "tcp", ["tcp.port", "tcp.analysis.retransmission", "tcp.flags.syn"]);
    expect(lines.filter((line) => line.endsWith("1") || line.endsWith("True"))).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(new RegExp(`^(${port},\\d+|\\d+,${port})\t\t`));
  });

  it.each([
    { what: "bytes that begin like an alert but are of no TLS", data: Buffer.from("\x15\x09\x01secret-one") },
    { what: "text", data: Buffer.from("secret-one") },
    { what: "application data of TLS", data: Buffer.from("\x17\x03\x03\x00\x0asecret-one") },
  ])("keeps nothing of a payload of $what", async ({ data }) => {
    const sinceMs = Date.now();
    const port = await talk(data);
    const pcap = await capture.take({ address: "127.0.0.1", port, dnsName: null, headersOnly: false }, sinceMs, signal);
    expect(pcap?.length).toBeGreaterThan(200);
    expect(pcap?.includes("secret-one")).toBe(false);
  });

  it("keeps handshake records, 256 bytes of a packet, but none where the host's name is a secret", async () => {
    const sinceMs = Date.now();
    const port = await talk(Buffer.concat([Buffer.from([22, 3, 1, 1, 244]), Buffer.alloc(500, "name.test ")]));
    const take = (headersOnly: boolean): Promise<Buffer | null> =>
      capture.take({ address: "127.0.0.1", port, dnsName: null, headersOnly }, sinceMs, signal);
    const open = await take(false);
    expect(open?.includes("name.test")).toBe(true);
    expect(open?.toString("latin1").match(/name\.test/g)?.length).toBeLessThan(24);
    expect((await take(true))?.includes("name.test")).toBe(false);
  });

  it("has the DNS messages about a name, and no others", async () => {
    const sinceMs = Date.now();
    await sendUdp(53, query("Missing.Example"), query("other.example"));
    const pcap = await capture.take({ address: null, port: 443, dnsName: "missing.example", headersOnly: false }, sinceMs, signal);
    expect(pcap?.includes("Missing")).toBe(true);
    expect(pcap?.includes("other")).toBe(false);
  });

  it("has nothing from before the attempt, and says so by having no file", async () => {
    const port = await talk("hello");
    expect(await capture.take({ address: "127.0.0.1", port, dnsName: null, headersOnly: false }, Date.now() + 60_000, signal)).toBeNull();
  });

  it("answers nothing when it is stopped meanwhile, and can be stopped twice", async () => {
    const port = await talk("hello");
    const taken = capture.take({ address: "127.0.0.1", port, dnsName: null, headersOnly: false }, 0, signal);
    capture.stop();
    capture.stop();
    expect(await taken).toBeNull();
    expect(capture.trouble).toBe("stopped");
  });
});

describe.skipIf(noRing !== null)("PacketRing", () => {
  it("still has the newest packets after more traffic than it holds, and gives no more than asked for", async () => {
    const ring = new PacketRing();
    try {
      const flood = Array<Buffer>(1_000).fill(Buffer.alloc(1_400));
      for (let round = 0; round < 15; round += 1) {
        await sendUdp(53, ...flood);
        ring.handBack();
      }
      const sinceMs = Date.now();
      const port = await talk("hello");
      await untilFound(ring, sinceMs, port);
      const everything = await ring.read(0, 50_000, (packet) => packet.length);
      expect(pcapFile(everything).length).toBeLessThanOrEqual(50_024);
      expect(everything.length).toBeGreaterThan(10);
    } finally {
      ring.close();
    }
  });
});

/** The last block becomes ours a moment after its packets. */
async function untilFound(ring: PacketRing, sinceMs: number, port: number): Promise<void> {
  const wanted = packetFilter({ address: "127.0.0.1", port, dnsName: null, headersOnly: false });
  await expect.poll(async () => (await ring.read(sinceMs, 1e6, wanted)).length, { timeout: 5_000 }).toBeGreaterThan(4);
}

/** A connection to a server on loopback that sends this and ends. @returns the server's port, closed by now */
async function talk(data: string | Buffer): Promise<number> {
  const server = createServer((socket) => socket.resume().on("end", () => socket.end())).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1").resume();
  socket.end(data);
  await once(socket, "close");
  server.close();
  await once(server, "close");
  return port;
}

/** To an address of loopback where nobody listens. */
async function sendUdp(port: number, ...messages: Buffer[]): Promise<void> {
  const socket = createSocket("udp4").on("error", () => undefined);
  await Promise.all(messages.map((message) => new Promise((resolve) => socket.send(message, port, "127.98.7.6", resolve))));
  socket.close();
}

function query(name: string): Buffer {
  const labels = name.split(".").flatMap((label) => [label.length, ...Buffer.from(label)]);
  return Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, 1, 0, 1]);
}

function base64(pcap: Buffer | null): string {
  return pcap?.toString("base64") ?? "";
}

function whyNoRing(): string | null {
  try {
    new PacketRing().close();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "unknown";
  }
}
