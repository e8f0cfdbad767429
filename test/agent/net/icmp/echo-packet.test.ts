import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  echoRequest,
  internetChecksum,
  ipv4HeaderBytes,
  numberRequest,
  numberSteadily,
  readEcho,
} from "../../../../src/agent/net/icmp/echo-packet.ts";

const bytes = fc.uint8Array({ maxLength: 128 }).map((array) => Buffer.from(array));

describe("an echo request", () => {
  it("is what ping sends: type 8, code 0, checksum, identifier, sequence, data", () => {
    const packet = echoRequest(4, 0x1234, Buffer.from("abcd"));
    numberRequest(packet, 7);
    expect(packet.toString("hex")).toBe("080020fe1234000761626364");
  });

  it("leaves the checksum of ICMPv6 to the kernel, which knows the addresses", () => {
    const packet = echoRequest(6, 0x1234, Buffer.from("abcd"));
    numberRequest(packet, 7);
    expect(packet.toString("hex")).toBe("800000001234000761626364");
  });

  it("sums up to zero with its checksum, whatever its numbers and data", () => {
    const word = fc.integer({ min: 0, max: 0xffff });
    const property = fc.property(word, word, word, bytes, (identifier, first, second, data) => {
      const packet = echoRequest(4, identifier, data);
      numberRequest(packet, first);
      numberRequest(packet, second);
      expect(internetChecksum(packet)).toBe(0);
      expect(readEcho(packet, 0, packet.length)).toEqual({ type: 8, code: 0, identifier, sequence: second, dataOffset: 8 });
    });
    fc.assert(property);
  });

  it("of a flow has one checksum, whatever its number", () => {
    const word = fc.integer({ min: 0, max: 0xffff });
    const property = fc.property(word, word, word, (identifier, first, second) => {
      const packet = echoRequest(4, identifier, Buffer.alloc(56, 7));
      numberSteadily(packet, first);
      const checksum = packet.readUInt16BE(2);
      numberSteadily(packet, second);
      expect(packet.readUInt16BE(2)).toBe(checksum);
      expect(internetChecksum(packet)).toBe(0);
      expect(readEcho(packet, 0, packet.length)?.sequence).toBe(second);
    });
    fc.assert(property);
  });

  it("has the checksum of the example in RFC 1071", () => {
    expect(internetChecksum(Buffer.from("0001f203f4f5f6f7", "hex"))).toBe(~0xddf2 & 0xffff);
  });
});

describe("what was received", () => {
  it("is no echo when its header is cut", () => {
    expect(readEcho(Buffer.alloc(64), 0, 7)).toBeNull();
    expect(readEcho(Buffer.alloc(64), 20, 27)).toBeNull();
    expect(readEcho(Buffer.alloc(64), 20, 28)).not.toBeNull();
  });

  it.each([
    ["45", 84, 20],
    ["4f", 84, 60],
    ["44", 84, null], // shorter than any IPv4 header
    ["65", 84, null], // not IPv4
    ["4f", 59, null], // cut
    ["45", 19, null],
  ])("of raw IPv4 beginning with %s, %i bytes long, has a header of %s bytes", (first, end, expected) => {
    const received = Buffer.alloc(128);
    received.write(first, "hex");
    expect(ipv4HeaderBytes(received, end)).toBe(expected);
  });

  it("is never read beyond its end, whatever its bytes are", () => {
    const property = fc.property(fc.uint8Array({ minLength: 128, maxLength: 128 }), fc.integer({ min: 0, max: 128 }), (array, end) => {
      const received = Buffer.from(array);
      const offset = ipv4HeaderBytes(received, end) ?? 0;
      expect(readEcho(received, offset, end)?.dataOffset ?? end).toBeLessThanOrEqual(end);
    });
    fc.assert(property);
  });
});
