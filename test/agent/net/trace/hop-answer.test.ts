import { describe, expect, it } from "vitest";
import { meaningOf, unreachableSentence } from "../../../../src/agent/net/trace/hop-answer.ts";

describe("meaningOf", () => {
  const target = "10.0.0.2";
  it.each([
    { method: "tcp", address: target, type: 11, code: 0, from: "10.0.0.1", is: "router", says: "" },
    { method: "udp", address: target, type: 3, code: 3, from: target, is: "target", says: "port unreachable" },
    { method: "udp", address: target, type: 3, code: 3, from: "10.0.0.1", is: "unreachable", says: "port unreachable" },
    { method: "tcp", address: target, type: 3, code: 3, from: target, is: "unreachable", says: "port unreachable" },
    { method: "icmp", address: target, type: 3, code: 13, from: "10.0.0.1", is: "unreachable", says: "administratively prohibited" },
    { method: "udp", address: "fd00::2", type: 3, code: 0, from: "fd00::1", is: "router", says: "" },
    { method: "udp", address: "fd00::2", type: 1, code: 4, from: "fd00::2", is: "target", says: "port unreachable" },
  ] as const)("of $method, type $type code $code from $from: $is", ({ method, address, type, code, from, is, says }) => {
    expect(meaningOf(method, address, { type, code, from }, 1.5)).toMatchObject({ from, rttMs: 1.5, is, says });
  });
});

describe("unreachableSentence", () => {
  it.each([
    { isIPv6: false, type: 3, code: 13, words: "administratively prohibited" },
    { isIPv6: true, type: 1, code: 0, words: "no route" },
    { isIPv6: true, type: 2, code: 0, words: "packet too big" },
    { isIPv6: false, type: 3, code: 99, words: "ICMP type 3 code 99" },
    { isIPv6: true, type: 4, code: 1, words: "ICMP type 4 code 1" },
  ])("$words", ({ isIPv6, type, code, words }) => {
    expect(unreachableSentence(isIPv6, type, code)).toBe(words);
  });
});
