import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bodyText, storedBody, storedBodyBytes } from "../../../../src/agent/runners/api/response-body.ts";

describe("what is stored of a body", () => {
  it("is text that begins the body and is at most 3 bytes short of the limit", () => {
    fc.assert(
      fc.property(fc.nat(5), fc.constantFrom("é", "漢", "🙂", "a"), (shift, character) => {
        const bytes = Buffer.from("x".repeat(shift) + character.repeat(storedBodyBytes + 1));
        const stored = storedBody(bytes, "text/plain", false);
        expect(stored).toMatchObject({ truncated: true });
        expect(stored.bodyEncoding).toBeUndefined();
        const kept = Buffer.from(stored.body);
        expect(bytes.subarray(0, kept.length).equals(kept)).toBe(true);
        expect(storedBodyBytes - kept.length).toBeLessThan(4);
      }),
      { numRuns: 20 },
    );
  });

  it("comes back to the byte: as text or as base64", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (array) => {
        const bytes = Buffer.from(array);
        const { body, bodyEncoding } = storedBody(bytes, undefined, false);
        expect(Buffer.from(body, bodyEncoding ?? "utf8").equals(bytes)).toBe(true);
        expect(body).not.toContain("\0");
      }),
    );
  });

  it("is marked truncated when reading stopped at the cap", () => {
    expect(storedBody(Buffer.from("x"), undefined, true).truncated).toBe(true);
  });
});

describe("the text that assertions read", () => {
  it.each([
    ["UTF-8 with a byte order mark", Buffer.from("\ufeff{}"), "application/json", "{}"],
    ["UTF-16", Buffer.from("hé", "utf16le"), "text/plain; charset=utf-16le", "hé"],
    ["a charset that nobody knows", Buffer.from("hé"), "text/plain; charset=x-unheard-of", "hé"],
    ["a quoted charset", Buffer.from("h\u00e9", "latin1"), 'text/plain; charset="windows-1252"; x=y', "hé"],
  ])("of %s", (_title, bytes, contentType, expected) => {
    expect(bodyText(bytes, contentType)).toBe(expected);
  });
});
