import { describe, expect, it } from "vitest";
import { askServer } from "../../../../src/agent/net/dns/ask.ts";
import { isSet, type Question } from "../../../../src/agent/net/dns/message.ts";
import { typeNumber } from "../../../../src/agent/net/dns/registry.ts";
import {
  type AskedQuestion,
  addressRecord,
  answerTo,
  type DnsReply,
  type DnsServer,
  dnsServer,
  framed,
  rcodes,
  resourceRecord,
} from "../../../support/dns-server.ts";
import { freePort } from "../../../support/free-ports.ts";

const context = { signal: new AbortController().signal, monotonicMs: () => performance.now() };
const question: Question = { name: "www.example.test", type: typeNumber("A") };
const ask = (server: Pick<DnsServer, "port">, transport: "UDP" | "TCP" = "UDP", limitMs = 5_000) =>
  askServer({ transport, address: "127.0.0.1", port: server.port }, question, limitMs, context);

/** A server that says these things one after another, per packet. */
const saying = (...replies: ((asked: AskedQuestion) => DnsReply)[]) => {
  let turn = 0;
  return dnsServer((_name, _type, asked) => replies[Math.min(turn++, replies.length - 1)]?.(asked) ?? "silence");
};
const good = ({ packet }: AskedQuestion, address = "10.0.0.1"): Buffer => answerTo(packet, { answers: [addressRecord(address)] });
/** An OPT record with upper bits of the response code. */
const opt = (extendedCode: number, data = Buffer.alloc(0)): Buffer => {
  const record = resourceRecord(typeNumber("OPT"), data, ".", extendedCode * 2 ** 24);
  record.writeUInt16BE(1232, 3);
  return record;
};

describe("a question over UDP", () => {
  it("asks with recursion, EDNS and an id of its own, from a port of its own", async () => {
    await using server = await saying((asked) => ({ packets: [good(asked)] }));
    const replies = [await ask(server), await ask(server), await ask(server)];
    expect(replies.map(({ message }) => message.answers[0]?.data)).toEqual(["10.0.0.1", "10.0.0.1", "10.0.0.1"]);
    const packets = server.questions.map(({ packet }) => packet);
    expect(new Set(packets.map((packet) => packet.readUInt16BE(0))).size).toBe(3);
    for (const packet of packets) {
      expect(packet.readUInt16BE(2) & 0x0100).toBe(0x0100);
      expect(packet.subarray(-11).toString("hex")).toBe("00002904d0000000000000");
    }
  });

  it("passes over packets with a wrong id, a wrong question, no answer's mark or too few bytes, and waits on", async () => {
    await using server = await saying((asked) => {
      const { packet } = asked;
      const other = Buffer.from(packet.subarray(12, -11));
      other.write("xxx", 1);
      const wrong = [
        answerTo(packet, { id: packet.readUInt16BE(0) ^ 1, answers: [addressRecord("10.6.6.6")] }),
        answerTo(packet, { question: other, answers: [addressRecord("10.6.6.6")] }),
        answerTo(packet, { question: Buffer.alloc(0), answers: [addressRecord("10.6.6.6")] }),
        answerTo(packet, { flags: 0x0180, answers: [addressRecord("10.6.6.6")] }),
        packet.subarray(0, 5),
        Buffer.alloc(0),
      ];
      return { packets: [...wrong, good(asked)] };
    });
    expect((await ask(server)).message.answers).toMatchObject([{ data: "10.0.0.1" }]);
  });

  it("takes the question in any case", async () => {
    await using server = await saying(({ packet }) => {
      const question = Buffer.from(packet.subarray(12, -11));
      question.write("WwW", 1);
      return { packets: [answerTo(packet, { question, answers: [addressRecord("10.0.0.2")] })] };
    });
    expect((await ask(server)).message.answers[0]?.data).toBe("10.0.0.2");
  });

  it("does not hear what comes from another port", async () => {
    await using server = await saying(
      (asked) => ({ fromElsewhere: good(asked, "10.6.6.6") }),
      (asked) => ({ packets: [good(asked)] }),
    );
    expect((await ask(server)).message.answers[0]?.data).toBe("10.0.0.1");
  });

  it("asks again when a packet was lost, with the same id", async () => {
    await using server = await saying(
      () => "silence",
      () => "silence",
      (asked) => ({ packets: [good(asked)] }),
    );
    const reply = await ask(server);
    expect(reply.message.answers[0]?.data).toBe("10.0.0.1");
    expect(new Set(server.questions.map(({ packet }) => packet.toString("hex"))).size).toBe(1);
    expect(reply.receivedMs - reply.startedMs).toBeGreaterThan(500);
  });

  it("is refused at once where nothing listens", async () => {
    const gone = { port: await freePort() };
    await expect(ask(gone)).rejects.toMatchObject({ code: "ECONNREFUSED", side: "target" });
  });

  it("says that nothing came, and what did not answer the question", async () => {
    await using silent = await saying(() => "silence");
    await expect(ask(silent, "UDP", 60)).rejects.toMatchObject({
      code: "ETIMEDOUT",
      message: `${silent.address} did not answer over UDP within 60 ms`,
    });
    await using wrong = await saying(() => "wrong id");
    await expect(ask(wrong, "UDP", 60)).rejects.toMatchObject({ code: "ETIMEDOUT", message: expect.stringContaining("1 packets came") });
  });

  it.each([
    ["garbage behind the question", ({ packet }: AskedQuestion) => Buffer.concat([answerTo(packet), Buffer.from([1])]).fill(0xff, 6, 8)],
    ["a record that ends too early", (asked: AskedQuestion) => good(asked).subarray(0, -2)],
    [
      "an address of three bytes",
      ({ packet }: AskedQuestion) => answerTo(packet, { answers: [resourceRecord(1, Buffer.from([1, 2, 3]))] }),
    ],
    [
      "a name that points to itself",
      ({ packet }: AskedQuestion) => {
        const at = packet.length - 11 + 12;
        return answerTo(packet, { answers: [resourceRecord(5, Buffer.from([0xc0 | (at >> 8), at & 255]))] });
      },
    ],
  ])("calls an answer with %s unreadable", async (_what, packet) => {
    await using server = await saying((asked) => ({ packets: [packet(asked)] }));
    await expect(ask(server)).rejects.toMatchObject({ code: "EDNSFORMAT", message: expect.stringContaining(server.address) });
  });

  it.each(["FORMERR", "NOTIMP"] as const)("asks once more without EDNS after %s", async (rcode) => {
    await using server = await saying(
      () => ({ rcode }),
      (asked) => ({ packets: [good(asked)] }),
    );
    expect((await ask(server)).message.responseCode).toBe("NOERROR");
    expect(server.questions.map(({ packet }) => packet.readUInt16BE(10))).toEqual([1, 0]);
  });

  it("asks once more without EDNS after BADVERS, and takes the second answer whatever it is", async () => {
    await using server = await saying(
      ({ packet }) => ({ packets: [answerTo(packet, { additionals: [opt(1)] })] }),
      ({ packet }) => ({ packets: [answerTo(packet, { rcode: rcodes.FORMERR, question: Buffer.alloc(0) })] }),
    );
    expect((await ask(server)).message.responseCode).toBe("FORMERR");
    expect(server.questions).toHaveLength(2);
  });

  it("puts the response code together from both of its parts, and names options", async () => {
    const extra = Buffer.from("\0\x0f\0\x0c\0\x16no route", "latin1");
    extra.writeUInt16BE(extra.length - 4, 2);
    await using server = await saying(({ packet }) => ({ packets: [answerTo(packet, { rcode: 7, additionals: [opt(1, extra)] })] }));
    const { message } = await ask(server);
    expect(message).toMatchObject({ code: 23, responseCode: "BADCOOKIE", additionals: [] });
    expect(message.edns).toMatchObject({ udpPayloadSize: 1232, options: ['EDE: 22 (No Reachable Authority): "no route"'] });
  });

  it("goes to TCP for an answer that does not fit, whatever the rest of the first one holds", async () => {
    await using server = await saying(
      ({ packet }) => ({ packets: [Buffer.concat([answerTo(packet, { flags: 0x8380 }), Buffer.from("cut")])] }),
      (asked) => ({ packets: [good(asked)] }),
    );
    const reply = await ask(server);
    expect(reply).toMatchObject({ protocolUsed: "UDP>TCP" });
    expect(reply.connectionMs).toBeGreaterThan(0);
    expect(isSet(reply.message, "TC")).toBe(false);
    expect(server.questions.map(({ transport }) => transport)).toEqual(["UDP", "TCP"]);
  });

  it("stops with the caller's reason, and leaves nothing behind", async () => {
    await using server = await saying(() => "silence");
    const run = new AbortController();
    const asking = askServer({ transport: "UDP", address: "127.0.0.1", port: server.port }, question, 5_000, {
      ...context,
      signal: run.signal,
    });
    setImmediate(() => run.abort("cancelled"));
    await expect(asking).rejects.toBe("cancelled");
    await expect(
      askServer({ transport: "UDP", address: "127.0.0.1", port: server.port }, question, 9, { ...context, signal: run.signal }),
    ).rejects.toBe("cancelled");
  });

  it.each(["a..b", `${"x".repeat(64)}.test`, `${"long.".repeat(51)}test`, ".a", "ü..x"])(
    "does not ask for %s, which is no name",
    async (name) => {
      await expect(askServer({ transport: "UDP", address: "127.0.0.1", port: 9 }, { name, type: 1 }, 100, context)).rejects.toMatchObject({
        code: "EBADNAME",
      });
    },
  );
});

describe("a question over TCP", () => {
  it("takes an answer that comes byte by byte, after others that were not asked for", async () => {
    await using server = await saying((asked) => ({
      stream: (socket) => {
        socket.setNoDelay(true);
        const other = answerTo(asked.packet, { id: asked.packet.readUInt16BE(0) ^ 1 });
        const bytes = Buffer.concat([framed(Buffer.alloc(0)), framed(other), framed(good(asked))]);
        const next = (at: number): void => {
          if (at < bytes.length) socket.write(bytes.subarray(at, at + 1), () => next(at + 1));
        };
        next(0);
      },
    }));
    const reply = await ask(server, "TCP");
    expect(reply).toMatchObject({ protocolUsed: "TCP", message: { answers: [{ data: "10.0.0.1" }] } });
  });

  it("reads an answer of 64 KB", async () => {
    const records = Array.from({ length: 4_000 }, (_, index) => addressRecord(`10.0.${index >> 8}.${index & 255}`));
    await using server = await saying(({ packet }) => ({ packets: [answerTo(packet, { answers: records })] }));
    const { message } = await ask(server, "TCP");
    expect(message.answers).toHaveLength(4_000);
    expect(message.bytes).toBeGreaterThan(64_000);
  });

  it.each([
    ["nothing", "ECONNRESET", () => Buffer.alloc(0)],
    ["half an answer", "ECONNRESET", (asked: AskedQuestion) => framed(good(asked)).subarray(0, 20)],
    ["half a length", "ECONNRESET", () => Buffer.alloc(1)],
    ["another protocol", "ECONNRESET", () => Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["answers to other questions", "EDNSFORMAT", () => Buffer.alloc(2_000)],
  ])("calls %s before the end of the connection %s", async (_what, code, bytes) => {
    await using server = await saying((asked) => ({ stream: (socket) => socket.end(bytes(asked)) }));
    await expect(ask(server, "TCP")).rejects.toMatchObject({ code });
  });

  it("gives up on a drip that does not end within its limit", async () => {
    await using server = await saying((asked) => ({
      stream: (socket) => {
        const bytes = framed(good(asked));
        const timer = setInterval(() => socket.write(bytes.subarray(0, 1)), 5);
        socket.once("close", () => clearInterval(timer));
      },
    }));
    await expect(ask(server, "TCP", 100)).rejects.toMatchObject({ code: "ETIMEDOUT" });
  });

  it("is refused where nothing listens", async () => {
    const gone = { port: await freePort() };
    await expect(ask(gone, "TCP")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
