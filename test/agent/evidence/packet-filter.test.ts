import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packetFilter } from "../../../src/agent/evidence/packet-filter.ts";

const here = [10, 0, 0, 1];
const target = [10, 0, 0, 2];
const other = [10, 0, 0, 3];
const here6 = [0xfd, ...Array<number>(14).fill(0), 1];
const target6 = [0xfd, ...Array<number>(14).fill(0), 2];

const ipv4 = (protocol: number, from: number[], to: number[], ...rest: number[]): number[] =>
  [[0x45, 0, 0, 40, 0, 0, 0, 0, 64, protocol, 0, 0], from, to, rest].flat();
const ipv6 = (protocol: number, from: number[], to: number[], ...rest: number[]): number[] =>
  [[0x60, 0, 0, 0, 0, 20, protocol, 64], from, to, rest].flat();
const ports = (from: number, to: number): number[] => [from >> 8, from & 255, to >> 8, to & 255];
const tcp = (from: number, to: number, ...data: number[]): number[] => [
  ...ports(from, to),
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0x50,
  2,
  0,
  0,
  0,
  0,
  0,
  0,
  ...data,
];
const icmp = (type: number, ...quoted: number[]): number[] => [type, 0, 0, 0, 0, 0, 0, 0, ...quoted];

describe("packetFilter", () => {
  const wanted = { address: "10.0.0.2", port: 443, dnsName: null, headersOnly: false };

  it.each([
    { what: "the flow to the port", packet: ipv4(6, here, target, ...tcp(50_000, 443)), keeps: true },
    { what: "the flow back", packet: ipv4(6, target, here, ...tcp(443, 50_000)), keeps: true },
    { what: "another port", packet: ipv4(6, here, target, ...tcp(50_000, 80)), keeps: false },
    { what: "another host", packet: ipv4(6, here, other, ...tcp(50_000, 443)), keeps: false },
    { what: "a datagram of traceroute", packet: ipv4(17, here, target, ...ports(50_000, 33_440), 0, 8, 0, 0), keeps: true },
    { what: "a DNS message, though it is the target's", packet: ipv4(17, here, target, ...ports(50_000, 53), 0, 8, 0, 0), keeps: false },
    { what: "an echo request", packet: ipv4(1, here, target, ...icmp(8)), keeps: true },
    {
      what: "an error that quotes the flow",
      packet: ipv4(1, other, here, ...icmp(11, ...ipv4(6, here, target, ...ports(9, 443)))),
      keeps: true,
    },
    {
      what: "an error that quotes another port",
      packet: ipv4(1, other, here, ...icmp(11, ...ipv4(6, here, target, ...ports(9, 80)))),
      keeps: false,
    },
    {
      what: "an error that quotes another host",
      packet: ipv4(1, target, here, ...icmp(11, ...ipv4(6, here, other, ...ports(9, 443)))),
      keeps: false,
    },
    {
      what: "an error that quotes a datagram",
      packet: ipv4(1, other, here, ...icmp(3, ...ipv4(17, here, target, ...ports(9, 33_440)))),
      keeps: true,
    },
    { what: "the other family", packet: ipv6(6, here6, target6, ...tcp(50_000, 443)), keeps: false },
  ])("of $what: $keeps", ({ packet, keeps }) => {
    expect(packetFilter(wanted)(Buffer.from(packet))).toBe(keeps ? packet.length : 0);
  });

  it("knows IPv6 flows and the errors that quote them", () => {
    const keep = packetFilter({ ...wanted, address: "fd00::2" });
    const flow = ipv6(6, here6, target6, ...tcp(50_000, 443));
    const error = ipv6(58, here6, here6, ...icmp(3, ...flow));
    expect([flow, error].map((packet) => keep(Buffer.from(packet)))).toEqual([flow.length, error.length]);
    expect(keep(Buffer.from(ipv6(58, here6, here6, ...icmp(3, ...ipv6(6, target6, here6, ...tcp(443, 50_000))))))).toBe(0);
  });

  it("keeps headers alone where it must", () => {
    const packet = ipv4(6, here, target, ...tcp(50_000, 443, 22, 3, 1, 0, 1, 7));
    expect(packetFilter({ ...wanted, headersOnly: true })(Buffer.from(packet))).toBe(40);
    expect(packetFilter({ ...wanted, address: null, dnsName: "a.test", headersOnly: true })(Buffer.from(packet))).toBe(0);
  });

  it("never throws, and never keeps more than there is", () => {
    const head = fc.constantFrom(
      ipv4(6, here, target),
      ipv4(1, other, here),
      ipv4(17, here, target),
      ipv6(6, here6, target6),
      ipv6(58, here6, here6),
      [0x4f],
      [0x6f],
    );
    const filters = [wanted, { ...wanted, address: "fd00::2", headersOnly: true }, { ...wanted, address: null, dnsName: "a.test" }].map(
      packetFilter,
    );
    fc.assert(
      fc.property(head, fc.uint8Array({ maxLength: 120 }), fc.nat(160), (start, rest, cut) => {
        const packet = Buffer.from([...start, ...rest]).subarray(0, cut);
        for (const keep of filters) {
          const kept = keep(packet);
          expect(kept >= 0 && kept <= packet.length).toBe(true);
        }
      }),
    );
  });
});
