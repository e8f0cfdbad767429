import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseControl, timespecMs } from "../../../../src/agent/net/icmp/received-message.ts";
import { addressText, isSameAddress, socketAddress } from "../../../../src/agent/net/icmp/socket-address.ts";

const noLinux = process.platform === "linux" ? null : "sockets of Linux";

/** A control message as the kernel writes it: length, level, type, data, padding to eight bytes. */
function message(level: number, type: number, data: Buffer): Buffer {
  const bytes = Buffer.alloc((16 + data.length + 7) & ~7);
  bytes.writeUInt32LE(16 + data.length, 0);
  bytes.writeInt32LE(level, 8);
  bytes.writeInt32LE(type, 12);
  data.copy(bytes, 16);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function timespec(seconds: bigint, nanoseconds: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigInt64LE(seconds, 0);
  bytes.writeUInt32LE(nanoseconds, 8);
  return bytes;
}

function parsed(...messages: Buffer[]): ReturnType<typeof parseControl> {
  const control = Buffer.concat(messages);
  return parseControl(control, control.length);
}

describe("control data", () => {
  it("tells the kernel's time and the time to live of either family", () => {
    const stamp = message(1, 35, timespec(1_700_000_000n, 123_456_789));
    expect(parsed(stamp, message(0, 2, int32(57)))).toEqual({ atMs: 1_700_000_000_123.4568, ttl: 57, error: null });
    expect(parsed(message(41, 52, int32(61)), stamp)).toMatchObject({ ttl: 61 });
  });

  it.skipIf(noLinux)("tells ICMP errors with who sent them, and not those of this host", () => {
    const error = (origin: number): Buffer => Buffer.from([113, 0, 0, 0, origin, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const from4 = socketAddress("198.18.0.1", 0);
    const from6 = socketAddress("fd18::1", 0);
    expect(parsed(message(0, 11, Buffer.concat([error(2), from4]))).error).toEqual({ type: 3, code: 1, from: "198.18.0.1" });
    expect(parsed(message(41, 25, Buffer.concat([error(3), from6]))).error).toEqual({ type: 3, code: 1, from: "fd18::1" });
    expect(parsed(message(0, 11, error(2))).error).toEqual({ type: 3, code: 1, from: null });
    expect(parsed(message(0, 11, Buffer.concat([error(1), from4]))).error).toBeNull();
  });

  it.each([
    ["a length below that of its header", Buffer.alloc(32)],
    ["a length beyond the end", message(0, 2, int32(57)).fill(0xff, 0, 4)],
    ["no room for its value", message(0, 2, Buffer.alloc(3))],
    ["an unknown kind", message(7, 7, int32(57))],
  ])("with %s says nothing", (_name, control) => {
    expect(parsed(control)).toEqual({ atMs: null, ttl: null, error: null });
  });

  it("is read to its end without failing, whatever its bytes are", () => {
    const kinds = fc.constantFrom([0, 2], [0, 11], [1, 35], [41, 25], [41, 52], [9, 9]);
    const part = fc
      .tuple(kinds, fc.uint8Array({ maxLength: 60 }))
      .map(([[level = 0, type = 0], data]) => message(level, type, Buffer.from(data)));
    const noise = fc.uint8Array({ maxLength: 40 }).map((data) => Buffer.from(data));
    const property = fc.property(fc.array(fc.oneof(part, noise), { maxLength: 6 }), (parts) => {
      expect(() => parsed(...parts)).not.toThrow();
    });
    fc.assert(property);
  });

  it("keeps a quarter of a microsecond of a time stamp", () => {
    const property = fc.property(fc.integer({ min: 0, max: 2 ** 32 }), fc.integer({ min: 0, max: 999_999_999 }), (seconds, nanoseconds) => {
      const ms = timespecMs(timespec(BigInt(seconds), nanoseconds));
      expect(Math.abs(ms - seconds * 1_000 - nanoseconds / 1e6)).toBeLessThan(0.0005);
    });
    fc.assert(property);
  });
});

describe.skipIf(noLinux)("a socket address", () => {
  it.each([
    ["198.18.0.1", 443, "020001bbc61200010000000000000000"],
    ["fd18::a:1", 80, "0a00005000000000fd1800000000000000000000000a000100000000"],
    ["::ffff:198.18.0.1", 0, "0a0000000000000000000000000000000000ffffc612000100000000"],
    ["fe80::1%1", 0, "0a00000000000000fe80000000000000000000000000000101000000"],
  ])("of %s, port %i, has the kernel's bytes", (address, port, expected) => {
    expect(socketAddress(address, port).toString("hex")).toBe(expected);
  });

  it("reads back as the same text", () => {
    const property = fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
      const bytes = socketAddress(address, 0);
      const text = addressText(bytes);
      expect(text === null ? null : socketAddress(text, 0)).toEqual(bytes);
    });
    fc.assert(property);
  });

  it("is the same with another port, and another with another family", () => {
    expect(isSameAddress(socketAddress("fd18::1", 0), socketAddress("fd18::1", 9))).toBe(true);
    expect(isSameAddress(socketAddress("198.18.0.1", 0), socketAddress("198.18.0.2", 0))).toBe(false);
    expect(isSameAddress(socketAddress("198.18.0.1", 0), socketAddress("::ffff:198.18.0.1", 0))).toBe(false);
  });
});
