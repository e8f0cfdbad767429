import { expect, it } from "vitest";
import { errorMeaning, unsentError } from "../../../../src/agent/net/icmp/icmp-error.ts";

it.each([
  [4, 3, 0, "ENETUNREACH"],
  [4, 3, 1, "EHOSTUNREACH"],
  [4, 3, 13, "EACCES"],
  [4, 3, 99, "EHOSTUNREACH"],
  [4, 11, 0, "EHOSTUNREACH"],
  [4, 200, 0, "EHOSTUNREACH"],
  [6, 1, 0, "ENETUNREACH"],
  [6, 1, 1, "EACCES"],
  [6, 1, 3, "EHOSTUNREACH"],
  [6, 2, 0, "EMSGSIZE"],
  [6, 3, 0, "EHOSTUNREACH"],
] as const)("ICMP of IPv%i with type %i and code %i means %s, and its numbers are told", (family, type, code, expected) => {
  const meaning = errorMeaning(family, type, code);
  expect(meaning.code).toBe(expected);
  expect(meaning.sentence).toContain(`type ${type}, code ${code}`);
});

it.each([
  ["EPERM", "agent", "firewall"],
  ["ENOBUFS", "agent", "no room"],
  ["EHOSTUNREACH", "target", "no way"],
  ["E2BIG", "agent", "E2BIG"],
])("a request that fails here with %s is the fault of the %s", (code, side, words) => {
  expect(unsentError("198.18.0.1", code)).toMatchObject({ code, side, message: expect.stringContaining(words) as string });
});
