import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanError, cleanErrorMessage } from "../../src/domain/error-message.ts";

describe("cleaning an error message", () => {
  it.each([
    ["ECONNREFUSED: connect ECONNREFUSED 10.0.0.1:443", "ECONNREFUSED: connect ECONNREFUSED <address>"],
    ["connect to [2001:db8::1]:443 from fe80::1%eth0, not ::1", "connect to <address> from <address>, not <address>"],
    ["no route from 00:1a:2b:3c:4d:5e", "no route from <address>"],
    ["getaddrinfo ENOTFOUND db-7.example.com:5432", "getaddrinfo ENOTFOUND db-<n>.example.com:<n>"],
    ["request 5f0e6e0c-7a7d-4a3b-9d52-8b8a5f4f3c32 failed", "request <n> failed"],
    ["trace 4bf92f3577b34da6a3ce929d0e0e4736, order req_8f3a2b1c of user42", "trace <n>, order req_<n> of user<n>"],
    ["at 2024-01-02T10:11:12.123Z", "at <time>"],
    ["since 2024-01-02 10:11 +0200", "since <time>"],
    ["at 10:11:12", "at <time>"],
    ["expired on Mon, 01 Jan 2024 10:00:00 GMT", "expired on <time>"],
    ["expired on Jan  1 10:00:00 2024 GMT", "expired on <time>"],
    ["expired on Tue Feb 11 2025 10:00:00 GMT+0000", "expired on <time>"],
    ["response time 5021 ms is over the limit of 5000 ms", "response time <n> ms is over the limit of <n> ms"],
    ["took 12.5ms of -3", "took <n>ms of <n>"],
    ["ERR_HTTP2_GOAWAY_SESSION over IPv4 at eu-west-1", "ERR_HTTP<n>_GOAWAY_SESSION over IPv<n> at eu-west-<n>"],
    ["std::bad_alloc at 0x7ffe12ab", "std::bad_alloc at <n>"],
    ["https://api.example.com/items/123?token=abc&t=1 gave nothing", "https://api.example.com/items/<n>?… gave nothing"],
    ['expected "$.state" to equal "ok", got "down"', 'expected "$.state" to equal "ok", got "down"'],
    ['expected the body to contain "x", got "<html lang="en">so many words"', 'expected the body to contain "x", got "…"'],
    ["it isn't what you'd call 'a very long excerpt of a page'", "it isn't what you'd call '…'"],
    [" two\n\tlines\u0000 ", "two lines"],
  ])("%j reads %j", (message, cleaned) => {
    expect(cleanErrorMessage(message)).toBe(cleaned);
  });

  it("has nothing to say of an empty message", () => {
    expect(cleanError(" \n")).toBeNull();
    expect(cleanError("down")).toEqual({ message: "down", hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it("changes nothing the second time, is bounded and leaves no digit, whatever the message", () => {
    fc.assert(
      fc.property(hostile, (message) => {
        const cleaned = cleanErrorMessage(message);
        expect(cleaned.length).toBeLessThanOrEqual(1_000);
        expect(cleaned).not.toMatch(/\d/);
        expect(cleanErrorMessage(cleaned)).toBe(cleaned);
      }),
      { numRuns: 500 },
    );
  });

  it.each(["a:", "1:", "http://", "'a", "-1", "1.", "Mon ", "Jan 1 ", "aaaaaaaa-", ', got "', '"', "["])(
    "takes no longer for %j again and again",
    (part) => {
      // Ten times the longest message there is; a quadratic pattern would take minutes.
      expect(cleanErrorMessage(part.repeat(100_000 / part.length)).length).toBeLessThanOrEqual(1_000);
    },
  );

  it("is the same for messages that differ in what changes from run to run", () => {
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
        const [one, other] = [0, 1].map((which) => pieces.map((words) => words[which] ?? words[0]).join(" "));
        expect(cleanErrorMessage(one ?? "")).toBe(cleanErrorMessage(other ?? ""));
      }),
    );
  });
});

const twice = (value: fc.Arbitrary<string>): fc.Arbitrary<readonly string[]> => fc.tuple(value, value);
const instant = fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true });

/** A word and what may stand in its place another time. */
const piece: fc.Arbitrary<readonly string[]> = fc.oneof(
  fc.constantFrom("connect", "ECONNRESET:", '"ok"', "status_code", "(while", "reading)").map((word) => [word]),
  twice(fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map(String)),
  twice(fc.uuid()),
  twice(fc.ipV4()),
  twice(fc.nat().map((n) => `order-${n}`)),
  twice(fc.integer({ min: 0, max: 9_999 }).map((n) => `${n / 10}ms`)),
  twice(instant.map((date) => date.toISOString())),
  twice(instant.map((date) => date.toUTCString())),
);

/** Fragments on which the rules could step on each other's toes. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom(
        '"',
        "'",
        "`",
        ', got "',
        "http://a/",
        "?",
        "#",
        "<n>",
        "<time>",
        "…",
        ":",
        "::",
        "fe80::",
        "Jan 1",
        " 10:",
        "-",
        "+",
        "1",
        "0x",
        ".",
        "_",
        " ",
        "e",
      ),
      fc.string({ unit: fc.constantFrom("a", "b", "f", "0", "1", "9", ":", "-", ".", " ", "'", '"', "T", "Z"), maxLength: 40 }),
      fc.nat({ max: 400 }).map((n) => "x".repeat(n)),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(""));
