import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTrace, traceTable } from "../../../src/control-plane/console/result/hops.ts";
import { prettyJson } from "../../../src/control-plane/console/result/json-text.ts";
import { comparedText } from "../../../src/control-plane/console/result/neighbours.ts";
import { evil } from "./key-holder.ts";

describe("a body that is JSON", () => {
  it.each([
    ['{"a":1,"b":[true,null],"c":{}}', '{\n  "a": 1,\n  "b": [\n    true,\n    null\n  ],\n  "c": {}\n}'],
    ['{"id":12345678901234567890,"id":1e400}', '{\n  "id": 12345678901234567890,\n  "id": 1e400\n}'],
    ['["{,}:[]\\""]', '[\n  "{,}:[]\\""\n]'],
  ])("has a member to a line, and what it says stays: %s", (text, pretty) => {
    expect(prettyJson(text)).toBe(pretty);
  });

  it.each(["", "hello", "{", "42", '{"a":1}}', "[]", `[${" ".repeat(300_000)}]`])("stays as it came where that is no help: %#", (text) => {
    expect(prettyJson(text)).toBeNull();
  });

  it("means the same with lines", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const pretty = prettyJson(text) ?? text;
        expect(JSON.parse(pretty)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("of any depth is not mostly blanks", () => {
    const deep = "[".repeat(5_000) + "]".repeat(5_000);
    expect(prettyJson(deep)?.length).toBeLessThan(1_000_000);
  });
});

describe("a traceroute", () => {
  const text = `traceroute to shop.example (192.0.2.9), TCP SYN to port 443, 30 hops at most
 1  10.0.0.1  0.412 ms
 2  *
 3  2001:db8::7  12.500 ms  host unreachable
 4-30  *

reached nothing: ${evil}
packet capture: none, because of rights
`;

  it("is read hop by hop, with times and the conclusion", () => {
    const { parts, conclusion } = readTrace(text);
    expect(conclusion).toBe(`reached nothing: ${evil}`);
    expect(parts[0]?.hops).toEqual([
      { number: "1", from: "10.0.0.1", ms: 0.412, says: "" },
      { number: "2", from: null, ms: null, says: "no answer" },
      { number: "3", from: "2001:db8::7", ms: 12.5, says: "host unreachable" },
      { number: "4-30", from: null, ms: null, says: "no answer" },
    ]);
  });

  it("is text, whatever answered on the way", () => {
    const [part] = readTrace(`traceroute to ${evil}\n 1  not sent: ${evil}\n 2  10.0.0.1  ${evil}`).parts;
    const { text: page } = traceTable(part ?? { heading: "", hops: [] });
    expect(page).toContain("not sent: &lt;img");
    expect(page).not.toContain("<img");
  });

  it("is left out where an agent wrote something else", () => {
    expect(readTrace("nothing was found in time\n")).toEqual({ parts: [], conclusion: "nothing was found in time" });
  });
});

it.each([
  [230, 100, "2.3 × the usual 100 ms"],
  [105, 100, "about the usual 100 ms"],
  [50, 100, "0.5 × the usual 100 ms"],
  [2_520, 100, "25 × the usual 100 ms"],
])("%i ms where %i ms are usual is %s", (took, usual, text) => {
  expect(comparedText(took, usual, `${usual} ms`)).toBe(text);
});
