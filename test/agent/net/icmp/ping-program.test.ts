import fc from "fast-check";
import { expect, it } from "vitest";
import { readPingOutput } from "../../../../src/agent/net/icmp/ping-program.ts";

const output4 = `PING 198.18.0.9 (198.18.0.9) 56(84) bytes of data.
64 bytes from 198.18.0.9: icmp_seq=1 ttl=63 time=0.104 ms
64 bytes from 198.18.0.9: icmp_seq=1 ttl=63 time=0.250 ms (DUP!)
From 198.18.0.1 icmp_seq=2 Destination Host Unreachable
From 198.18.0.1 icmp_seq=3 Packet filtered
64 bytes from 198.18.0.9: icmp_seq=4 ttl=63 time=2100 ms
64 bytes from 198.18.0.9: icmp_seq=900 ttl=63 time=1 ms

--- 198.18.0.9 ping statistics ---
5 packets transmitted, 1 received, +1 duplicates, +2 errors, 80% packet loss, time 2000ms
`;

it("reads replies, duplicates, errors and late replies of the system's ping", () => {
  const { echoes } = readPingOutput(output4, 4, 5);
  const blank = { wasSent: true, rttMs: null, ttl: null, type: null, code: null, from: null };
  expect(echoes).toEqual([
    { sequence: 1, wasSent: true, rttMs: 0.104, ttl: 63, type: 0, code: 0, from: null },
    { ...blank, sequence: 2, type: 3, code: 1, from: "198.18.0.1" },
    { ...blank, sequence: 3, type: 3, code: 13, from: "198.18.0.1" },
    { ...blank, sequence: 4 },
    { ...blank, sequence: 5 },
  ]);
});

it("reads what it says of IPv6", () => {
  const lines = [
    "From fd18::1 icmp_seq=1 Destination unreachable: Address unreachable",
    "64 bytes from fd18::9: icmp_seq=2 ttl=64 time=1.5 ms",
    "From fd18::1: icmp_seq=3 Time exceeded: Hop limit",
  ];
  expect(readPingOutput(lines.join("\n"), 6, 3).echoes).toMatchObject([
    { type: 1, code: 3, from: "fd18::1" },
    { type: 129, code: 0, rttMs: 1.5 },
    { type: 3, code: 0, from: "fd18::1" },
  ]);
});

it("takes any output, and tells as many echoes as were asked for", () => {
  const line = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc
      .tuple(fc.integer({ min: -1, max: 99_999 }), fc.integer({ min: 0, max: 999 }), fc.double())
      .map(([seq, ttl, ms]) => `icmp_seq=${seq} ttl=${ttl} time=${ms} ms`),
  );
  const property = fc.property(fc.array(line), fc.integer({ min: 1, max: 50 }), (lines, count) => {
    const { echoes } = readPingOutput(lines.join("\n"), 4, count);
    expect(echoes.map(({ sequence }) => sequence)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    for (const { rttMs } of echoes) expect(rttMs ?? 0).toBeLessThanOrEqual(2_000);
  });
  fc.assert(property);
});
