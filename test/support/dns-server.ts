import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

export type DnsReply =
  | { readonly addresses: readonly string[] }
  | { readonly rcode: "NXDOMAIN" | "SERVFAIL" | "REFUSED" | "NODATA" }
  | "silence"
  | "wrong id";

export interface DnsServer extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Names asked for, in order, one per packet. */
  readonly asked: string[];
}

const rcodes = { NODATA: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;

/** A DNS server over UDP on loopback. It knows A (1) and AAAA (28); `reply` is asked per question. */
export async function dnsServer(reply: (name: string, type: number) => DnsReply): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (query, from) => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    const answer = reply(name, type);
    if (answer === "silence") return;
    const packet = response(query.subarray(12, end), query.readUInt16BE(0) ^ (answer === "wrong id" ? 0xffff : 0), type, answer);
    socket.send(packet, from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, "close");
    },
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function response(question: Buffer, id: number, type: number, answer: Exclude<DnsReply, "silence">): Buffer {
  const addresses = typeof answer === "object" && "addresses" in answer ? answer.addresses : [];
  const rcode = typeof answer === "object" && "rcode" in answer ? rcodes[answer.rcode] : 0;
  const header = Buffer.alloc(12);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(0x8180 | rcode, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  return Buffer.concat([header, question, ...addresses.map((address) => record(address, type))]);
}

/** An answer whose name points to the question's, with a TTL of one minute. */
function record(address: string, type: number): Buffer {
  const data =
    type === 28
      ? Buffer.from(
          address
            .split(":")
            .map((group) => group.padStart(4, "0"))
            .join(""),
          "hex",
        )
      : Buffer.from(address.split(".").map(Number));
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
