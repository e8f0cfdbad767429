import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerText } from "../../../../src/agent/net/dns/answer-text.ts";
import { encodeName, reverseName } from "../../../../src/agent/net/dns/domain-name.ts";
import { answersQuery, decodeMessage, encodeQuery, type Message } from "../../../../src/agent/net/dns/message.ts";
import { MalformedMessage } from "../../../../src/agent/net/dns/packet-reader.ts";
import { typeNumber } from "../../../../src/agent/net/dns/registry.ts";
import { addressRecord, answerTo, resourceRecord, wireName } from "../../../support/dns-server.ts";

const query = encodeQuery({ name: "www.example.test", type: typeNumber("A") }, 0x1234, true);

/** What decoding came to; anything but a message or this one error fails the test. */
function decoded(packet: Buffer): Message | null {
  try {
    return decodeMessage(packet);
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    return null;
  }
}

const name = wireName("target.example.test");
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

/** An answer that has a record of each kind. */
const rich = answerTo(query.packet, {
  answers: [
    addressRecord("10.0.0.1"),
    addressRecord("fd00:0:0:0:0:0:0:1"),
    resourceRecord(typeNumber("CNAME"), hex("c00c")),
    resourceRecord(typeNumber("MX"), Buffer.concat([hex("000a"), name])),
    resourceRecord(typeNumber("TXT"), hex("03616263 00")),
    resourceRecord(typeNumber("SOA"), Buffer.concat([name, hex("c00c"), Buffer.alloc(20, 1)])),
    resourceRecord(typeNumber("SRV"), Buffer.concat([hex("000100020003"), name])),
    resourceRecord(typeNumber("NAPTR"), Buffer.concat([hex("00010002 0175 0161 0162"), name])),
    resourceRecord(typeNumber("CAA"), hex("00 05 6973737565 6361")),
    resourceRecord(typeNumber("TLSA"), hex("030101 0011223344")),
    resourceRecord(typeNumber("HTTPS"), hex("0001 00 0001 0003 026832 0003 0002 01bb 0004 0004 c0000201")),
    resourceRecord(65_280, hex("0a000001")),
  ],
  authorities: [resourceRecord(typeNumber("NS"), name)],
  additionals: [resourceRecord(typeNumber("OPT"), hex("000f 0002 0016 0003 0002 6162"), ".", 0)],
});

describe("the decoder", () => {
  it("reads a record of each kind", () => {
    const message = decodeMessage(rich);
    expect(message.answers.map(({ data }) => data)).toEqual([
      "10.0.0.1",
      "fd00::1",
      "www.example.test.",
      "10 target.example.test.",
      '"abc" ""',
      "target.example.test. www.example.test. 16843009 16843009 16843009 16843009 16843009",
      "1 2 3 target.example.test.",
      '1 2 "u" "a" "b" target.example.test.',
      '0 issue "ca"',
      "3 1 1 0011223344",
      '1 . alpn="h2" port=443 ipv4hint=192.0.2.1',
      "\\# 4 0A000001",
    ]);
    expect(message.edns?.options).toEqual(["EDE: 22 (No Reachable Authority)", 'NSID: "ab"']);
    expect(message).toMatchObject({ responseCode: "NOERROR", authorities: [{ data: "target.example.test." }], additionals: [] });
  });

  it("never hangs and throws nothing but MalformedMessage, on any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        expect(typeof decoded(Buffer.from(bytes))).toBe("object");
      }),
      { numRuns: 3_000 },
    );
  });

  it("never hangs and throws nothing but MalformedMessage, on answers with changed and cut bytes", () => {
    const change = fc.record({ at: fc.nat(rich.length - 1), byte: fc.oneof(fc.nat(255), fc.constantFrom(0, 0xc0, 0xff, 63, 64)) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), fc.nat(rich.length), (changes, end) => {
        const packet = Buffer.from(rich);
        for (const { at, byte } of changes) packet[at] = byte;
        const message = decoded(packet.subarray(0, end === 0 ? rich.length : end));
        expect(typeof answerText([...(message?.answers ?? []), ...(message?.authorities ?? [])])).toBe("string");
        expect(typeof answersQuery(packet, query)).toBe("boolean");
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ["to itself", hex("c021")],
    ["forwards", hex("c0ff")],
    ["into a circle", hex("0161 c021")],
    ["beyond the end", hex("ffff")],
    ["with an unknown kind of label", hex("4161")],
  ])("refuses a name that leads %s", (_what, owner) => {
    const record = Buffer.concat([owner, hex("0001 0001 0000003c 0004 0a000001")]);
    expect(() => decodeMessage(answerTo(query.packet, { answers: [record] }))).toThrow(MalformedMessage);
  });

  it("refuses a long chain of pointers and names of more than 255 bytes, and reads the longest ones", () => {
    // Pointer after pointer, each to the one before it, in the data of an unknown type.
    const chain = Buffer.alloc(2_000);
    const dataAt = answerTo(query.packet).length + 12;
    for (let at = 2; at < chain.length; at += 2) chain.writeUInt16BE(0xc000 | (dataAt + at - 2), at);
    const end = dataAt + chain.length - 2;
    const bad = Buffer.concat([hex(`c${end.toString(16).padStart(3, "0")}`), hex("0001 0001 0000003c 0004 0a000001")]);
    expect(() => decodeMessage(answerTo(query.packet, { answers: [resourceRecord(65_280, chain), bad] }))).toThrow(MalformedMessage);

    const longest = `${"a.".repeat(127)}`;
    const ok = addressRecord("10.0.0.1", longest);
    expect(decodeMessage(answerTo(query.packet, { answers: [ok] })).answers[0]?.name).toBe(longest);
    expect(() => decodeMessage(answerTo(query.packet, { answers: [addressRecord("10.0.0.1", `${longest}a.`)] }))).toThrow(MalformedMessage);
  });

  it("refuses what would unpack to megabytes, fast", () => {
    const long = resourceRecord(typeNumber("CNAME"), hex("c00c"), "x.".repeat(120));
    const at = answerTo(query.packet).length;
    const small = Buffer.concat([
      hex(`c${at.toString(16).padStart(3, "0")}`),
      hex("0005 0001 0000003c 0002"),
      hex(`c${at.toString(16).padStart(3, "0")}`),
    ]);
    const packet = answerTo(query.packet, { answers: [long, ...Array<Buffer>(4_500).fill(small)] });
    expect(packet.length).toBeLessThan(65_536);
    expect(() => decodeMessage(packet)).toThrow("unpacks");
  });

  it("believes no count", () => {
    const packet = Buffer.from(answerTo(query.packet));
    packet.fill(0xff, 4, 12);
    expect(() => decodeMessage(packet)).toThrow(MalformedMessage);
  });

  it("takes a TTL with its top bit set as 0", () => {
    const packet = answerTo(query.packet, { answers: [resourceRecord(1, Buffer.from([1, 2, 3, 4]), undefined, 0x8000_0001)] });
    expect(decodeMessage(packet).answers[0]?.ttl).toBe(0);
  });
});

describe("names", () => {
  it.each([
    ["www.example.test", "03777777 076578616d706c65 0474657374 00"],
    ["www.example.test.", "03777777 076578616d706c65 0474657374 00"],
    [".", "00"],
    ["a\\.b.c", "03612e62 0163 00"],
    ["a\\032b", "03612062 00"],
    ["bücher.test", "0d786e2d2d62636865722d6b7661 0474657374 00"],
  ])("%s goes over the wire as %s", (text, wire) => {
    expect(encodeName(text).toString("hex")).toBe(wire.replaceAll(" ", ""));
  });

  it("come back as they were written", () => {
    const label = fc.uint8Array({ minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 8 }), (labels) => {
        const wire = Buffer.concat([...labels.map((bytes) => Buffer.concat([Buffer.from([bytes.length]), bytes])), Buffer.alloc(1)]);
        const record = Buffer.concat([wire, hex("0001 0001 0000003c 0004 0a000001")]);
        const text = decodeMessage(answerTo(query.packet, { answers: [record] })).answers[0]?.name ?? "";
        expect(encodeName(text).equals(wire)).toBe(true);
      }),
    );
  });

  it.each([
    ["192.168.1.7", "7.1.168.192.in-addr.arpa."],
    ["2001:db8::ff", "f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa."],
    ["::", `${"0.".repeat(32)}ip6.arpa.`],
    ["::ffff:10.0.0.1", "1.0.0.0.0.0.a.0.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa."],
    ["example.test", null],
  ])("the owner of %s is asked for as %s", (address, expected) => {
    expect(reverseName(address)).toBe(expected);
  });
});
