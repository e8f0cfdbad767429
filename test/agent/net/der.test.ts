import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DerError, derChildren, derHeader, oidText, readDer } from "../../../src/agent/net/der.ts";

describe("the reader of DER", () => {
  it.each([
    ["2a864886f70d01010b", "1.2.840.113549.1.1.11"],
    ["2b0601040182370201", "1.3.6.1.4.1.311.2.1"],
    ["883703", "2.999.3"],
    ["", "0.0"],
  ])("reads the object identifier %s as %s", (hex, text) => {
    expect(oidText(Buffer.from(hex, "hex"))).toBe(text);
  });

  it.each([
    ["", null],
    ["30", null],
    ["3003", { tag: 0x30, headerLength: 2, totalLength: 5 }],
    ["308180", { tag: 0x30, headerLength: 3, totalLength: 131 }],
    ["308201", null],
    ["30840000000c", { tag: 0x30, headerLength: 6, totalLength: 18 }],
  ])("reads the header of %s, as far as it is there", (hex, header) => {
    expect(derHeader(Buffer.from(hex, "hex"))).toEqual(header);
  });

  it.each(["1f8101", "3080", "3085000000000100", "3084ffffffff"])("refuses %s, which is of a form that nobody needs", (hex) => {
    expect(() => derHeader(Buffer.from(hex, "hex"))).toThrow(DerError);
  });

  it("refuses more than 1,000 elements", () => {
    expect(derChildren(Buffer.alloc(2_000))).toHaveLength(1_000);
    expect(() => derChildren(Buffer.alloc(2_002))).toThrow(DerError);
  });

  it("never reads beyond what it was given, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (array) => {
        const bytes = Buffer.from(array);
        const element = read(() => readDer(bytes));
        const children = read(() => derChildren(element?.content ?? Buffer.alloc(0)));
        expect(element?.whole.length ?? 0).toBeLessThanOrEqual(bytes.length);
        const rejoined = children === null ? element?.content : Buffer.concat(children.map(({ whole }) => whole));
        expect(rejoined ?? Buffer.alloc(0)).toEqual(element?.content ?? Buffer.alloc(0));
      }),
    );
  });
});

/** What was read, or null where it is no DER; any other error fails the test. */
function read<T>(reading: () => T): T | null {
  try {
    return reading();
  } catch (error) {
    if (error instanceof DerError) return null;
    throw error;
  }
}
