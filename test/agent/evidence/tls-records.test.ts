import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable, TlsReader } from "../../../src/agent/evidence/tls-records.ts";

const record = (type: number, body: Buffer | number[], version = 0x0303): Buffer => {
  const header = Buffer.from([type, 0, 0, 0, 0]);
  header.writeUInt16BE(version, 1);
  header.writeUInt16BE(body.length, 3);
  return Buffer.concat([header, Buffer.from(body)]);
};

describe("TlsReader", () => {
  it.each([
    { name: "a fatal alert by name", bytes: record(21, [2, 40]), lines: ["Alert: fatal handshake_failure (40)"] },
    { name: "an alert that nobody named", bytes: record(21, [1, 250]), lines: ["Alert: warning unknown (250)"] },
    { name: "what is encrypted, without guessing", bytes: record(23, Buffer.alloc(40)), lines: ["encrypted record, 40 bytes"] },
    {
      name: "a message after ChangeCipherSpec as encrypted",
      bytes: Buffer.concat([record(20, [1]), record(22, Buffer.alloc(40)), record(21, Buffer.alloc(26))]),
      lines: ["ChangeCipherSpec", "encrypted record, 40 bytes", "encrypted alert"],
    },
    {
      name: "plain HTTP on a TLS port",
      bytes: Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"),
      lines: [String.raw`no TLS: "HTTP/1.1 400 Bad Request\r\n\r\n"`],
    },
    {
      name: "a record of an impossible length",
      bytes: Buffer.from([22, 3, 1, 255, 255, 1]),
      lines: [String.raw`no TLS: "\u0016\u0003\u0001\xff\xff\u0001"`],
    },
    { name: "a damaged ServerHello", bytes: record(22, [2, 0, 0, 2, 3, 3]), lines: ["ServerHello that cannot be read, 2 bytes"] },
    { name: "a damaged chain", bytes: record(22, [11, 0, 0, 3, 0, 1, 0]), lines: ["Certificate that cannot be read, 3 bytes"] },
    { name: "two messages in one record", bytes: record(22, [14, 0, 0, 0, 14, 0, 0, 0]), lines: ["ServerHelloDone", "ServerHelloDone"] },
  ])("tells $name", ({ bytes, lines }) => {
    expect(new TlsReader().read(bytes)).toEqual(lines);
  });

  it("shows no control character of what a server says it chose", () => {
    const name = Buffer.from("h2\u001b[2J\nfake line\0\u00ff", "latin1");
    const alpn = Buffer.from([0, 16, 0, name.length + 3, 0, name.length + 1, name.length, ...name]);
    const body = Buffer.from([3, 3, ...Buffer.alloc(32, 7), 0, 0x13, 1, 0, 0, alpn.length, ...alpn]);
    expect(new TlsReader().read(record(22, [2, 0, 0, body.length, ...body]))).toEqual([
      "ServerHello: TLS 1.2; cipher TLS_AES_128_GCM_SHA256; ALPN h2?[2J?fake?line??",
    ]);
  });

  it("joins a message that spans records", () => {
    const reader = new TlsReader();
    expect(reader.read(record(22, [13, 0, 0, 4, 1]))).toEqual([]);
    expect(reader.read(record(22, [2, 3, 4]))).toEqual(["CertificateRequest"]);
  });

  it("says the same however the bytes are cut, and never throws", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .array(fc.tuple(fc.constantFrom(20, 21, 22, 23, 24, 80), fc.uint8Array({ maxLength: 60 })), { maxLength: 5 })
        .map((records) => Buffer.concat(records.map(([type, body]) => record(type, Buffer.from(body))))),
    );
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 9 }), (all, step) => {
        const whole = new TlsReader().read(Buffer.from(all));
        const reader = new TlsReader();
        const pieces: string[] = [];
        for (let at = 0; at < all.length; at += step) pieces.push(...reader.read(Buffer.from(all.subarray(at, at + step))));
        // Of what is no TLS only the first bytes are told, and these are fewer when they come in pieces.
        const tidy = (lines: string[]): string[] => lines.map((line) => line.replace(/^no TLS.*/s, "no TLS"));
        expect(tidy(pieces)).toEqual(tidy(whole));
      }),
    );
  });
});

describe("printable", () => {
  it("is short and has nothing but printable ASCII", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        const text = printable(Buffer.from(bytes));
        expect(text).toMatch(/^[ -~]*$/);
        expect(text.length).toBeLessThan(800);
      }),
    );
  });
});
