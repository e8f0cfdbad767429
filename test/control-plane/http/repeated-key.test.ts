import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { repeatedKey } from "../../../src/control-plane/http/repeated-key.ts";

describe("a repeated key", () => {
  it.each([
    ['{"a":1,"a":2}', "a"],
    ['{"a":{"b":1},"c":[{"d":1,"e":[],"d":2}]}', "d"],
    ['{"\\u0061":1,"a":2}', "a"],
    ['{"a\\"b":1,"a\\"b":2}', 'a"b'],
    ['{"":1, "" :2}', ""],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
    ['[{"a":1},{"a":1}]', undefined],
    ['{"a":{"a":{"a":[]}},"b":"a","c":["a","a"]}', undefined],
    ['{"a":"\\\\","b":"{\\"a\\":1,","c":"\\\\\\""}', undefined],
    ['{"a":{},"b":{}}', undefined],
    ['["a","a"]', undefined],
    ['"a"', undefined],
    ["{}", undefined],
  ])("of %s is %j", (text, expected) => {
    expect(JSON.parse(text)).toBeDefined();
    expect(repeatedKey(text)).toBe(expected);
  });

  it("is in no text that JSON.stringify wrote, and is found wherever one is put in", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, key) => {
        expect(repeatedKey(JSON.stringify(value))).toBeUndefined();
        const inner = `{${JSON.stringify(key)}:${JSON.stringify(value)},${JSON.stringify(key)}:0}`;
        expect(repeatedKey(`[${JSON.stringify(value)},${inner}]`)).toBe(key);
      }),
    );
  });
});
