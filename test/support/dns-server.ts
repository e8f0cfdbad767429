import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

export interface AskedQuestion {
  readonly name: string;
  readonly type: number;
  readonly transport: "UDP" | "TCP";
  /** The whole packet. */
  readonly packet: Buffer;
}

export type DnsReply =
  | { readonly addresses: readonly string[] }
  | { readonly rcode: "NXDOMAIN" | "SERVFAIL" | "REFUSED" | "NODATA" | "FORMERR" | "NOTIMP" }
  /** As they are, in this order. */
  | { readonly packets: readonly Buffer[] }
  /** From a socket that was not asked. */
  | { readonly fromElsewhere: Buffer }
  /** TCP only: what is done with the connection. */
  | { readonly stream: (socket: Socket) => void }
  | "silence"
  | "wrong id";

export interface DnsServer extends AsyncDisposable {
  /** `127.0.0.1:port`, or at the host that was asked for. */
  readonly address: string;
  readonly port: number;
  /** Names asked for, in order, one per packet. */
  readonly asked: string[];
  /** The same with all else. */
  readonly questions: AskedQuestion[];
}

export const rcodes = { NODATA: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;

/** A DNS server over UDP and TCP on loopback. By itself it knows A (1) and AAAA (28); `reply` is asked per question. */
export async function dnsServer(
  reply: (name: string, type: number, question: AskedQuestion) => DnsReply,
  at: { readonly host?: string; readonly port?: number } = {},
): Promise<DnsServer> {
  const { host = "127.0.0.1" } = at;
  const questions: AskedQuestion[] = [];
  const replyTo = (packet: Buffer, transport: "UDP" | "TCP"): DnsReply => {
    const { name, type } = questionOf(packet);
    const question = { name, type, transport, packet };
    questions.push(question);
    return reply(name, type, question);
  };
  const { tcp, udp, port } = await bothOnOnePort(host, at.port ?? 0);
  const elsewhere = createSocket("udp4");
  udp.on("message", (query, from) => {
    const answer = replyTo(query, "UDP");
    if (typeof answer === "object" && "fromElsewhere" in answer) elsewhere.send(answer.fromElsewhere, from.port, from.address);
    else sendAll(packetsOf(query, answer), (packet) => udp.send(packet, from.port, from.address));
  });
  const sockets = new Set<Socket>();
  tcp.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.once("data", (bytes: Buffer) => {
      const query = Buffer.from(bytes.subarray(2));
      const answer = replyTo(query, "TCP");
      if (typeof answer === "object" && "stream" in answer) answer.stream(socket);
      else sendAll(packetsOf(query, answer), (packet) => socket.write(framed(packet)));
    });
  });
  return {
    address: `${host}:${port}`,
    port,
    questions,
    get asked() {
      return questions.map(({ name }) => name);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      tcp.close();
      elsewhere.close();
      udp.close();
      await once(udp, "close");
    },
  };
}

/** A message as TCP carries it. */
export function framed(packet: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(packet.length);
  return Buffer.concat([length, packet]);
}

export interface AnswerParts {
  readonly rcode?: number;
  /** Upper bits of the second word; default QR, RD and RA. */
  readonly flags?: number;
  readonly id?: number;
  readonly answers?: readonly Buffer[];
  readonly authorities?: readonly Buffer[];
  readonly additionals?: readonly Buffer[];
  /** Default: the query's. */
  readonly question?: Buffer;
}

/** An answer to a query, with its id and question unless told otherwise. */
export function answerTo(query: Buffer, parts: AnswerParts = {}): Buffer {
  const { answers = [], authorities = [], additionals = [], question = query.subarray(12, questionOf(query).end) } = parts;
  const header = Buffer.alloc(12);
  header.writeUInt16BE(parts.id ?? query.readUInt16BE(0), 0);
  header.writeUInt16BE((parts.flags ?? 0x8180) | (parts.rcode ?? 0), 2);
  header.writeUInt16BE(question.length === 0 ? 0 : 1, 4);
  for (const [index, section] of [answers, authorities, additionals].entries()) header.writeUInt16BE(section.length, 6 + 2 * index);
  return Buffer.concat([header, question, ...answers, ...authorities, ...additionals]);
}

/** A record; without an owner its name points to the question's. */
export function resourceRecord(type: number, data: Buffer, owner?: string, ttl = 60): Buffer {
  const name = owner === undefined ? Buffer.from([0xc0, 12]) : wireName(owner);
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt32BE(ttl, 4);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, head, data]);
}

/** A name without compression. */
export function wireName(name: string): Buffer {
  const labels = name.split(".").filter((label) => label !== "");
  return Buffer.concat([...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])), Buffer.alloc(1)]);
}

export function addressRecord(address: string, owner?: string): Buffer {
  const data = address.includes(":")
    ? Buffer.from(
        address
          .split(":")
          .map((group) => group.padStart(4, "0"))
          .join(""),
        "hex",
      )
    : Buffer.from(address.split(".").map(Number));
  return resourceRecord(data.length === 4 ? 1 : 28, data, owner);
}

type Packets = Exclude<DnsReply, { readonly stream: unknown } | { readonly fromElsewhere: unknown }>;

function packetsOf(query: Buffer, reply: DnsReply): readonly Buffer[] {
  const answer = reply as Packets;
  if (answer === "silence") return [];
  if (answer === "wrong id") return [answerTo(query, { id: query.readUInt16BE(0) ^ 0xffff })];
  if ("packets" in answer) return answer.packets;
  return [
    answerTo(query, "rcode" in answer ? { rcode: rcodes[answer.rcode] } : { answers: answer.addresses.map((each) => addressRecord(each)) }),
  ];
}

function sendAll(packets: readonly Buffer[], send: (packet: Buffer) => void): void {
  for (const packet of packets) send(packet);
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

/** A port that is free for TCP may be taken for UDP. */
async function bothOnOnePort(
  host: string,
  wanted: number,
): Promise<{ tcp: ReturnType<typeof createServer>; udp: ReturnType<typeof createSocket>; port: number }> {
  for (;;) {
    const tcp = createServer().listen(wanted, host);
    await once(tcp, "listening");
    const { port } = tcp.address() as AddressInfo;
    const udp = createSocket(host.includes(":") ? "udp6" : "udp4");
    udp.bind(port, host);
    try {
      await once(udp, "listening");
      return { tcp, udp, port };
    } catch (error) {
      udp.close();
      tcp.close();
      if (wanted !== 0 || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
}
