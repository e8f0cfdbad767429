import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CheckResult } from "../../../src/contract/check-results.ts";
import { prettyJson } from "../../../src/control-plane/console/check-types/shared/json-text.ts";
import { readTrace, traceTable } from "../../../src/control-plane/console/result/hops.ts";
import { furtherFailures } from "../../../src/control-plane/console/result/judged.ts";
import { comparedText, oldestWithin } from "../../../src/control-plane/console/result/neighbours.ts";
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

it("what did not hold is told once, be it all of the sentence of the run or a part of it", () => {
  const assertions = ["", "status is 503", "body has no price", undefined].map((error) => ({ source: "STATUS_CODE", error }));
  const result = { tcpCheckResult: { assertions, requestError: null } } as unknown as CheckResult;
  const told = (sentence: string | null) => furtherFailures(result, sentence).map(({ error }) => error);
  expect(told(null)).toEqual(["status is 503", "body has no price"]);
  expect(told("status is 503")).toEqual(["body has no price"]);
  expect(told("status is 503; body has no price")).toEqual([]);
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
  [230, 100, "2.3 × as long as usual (7-day median: 100 ms)"],
  [105, 100, "as usual (7-day median: 100 ms)"],
  [50, 100, "50 % faster than usual (7-day median: 100 ms)"],
  [150, 100, "50 % slower than usual (7-day median: 100 ms)"],
  [2_520, 100, "25 × as long as usual (7-day median: 100 ms)"],
])("a run of %i ms, where %i ms are usual, is %s", (took, usual, text) => {
  expect(comparedText(took, usual, `${usual} ms`)).toBe(text);
});

describe("the run after another", () => {
  /** Runs by their times, listed as the operation does: the newest first, at most so many. */
  const lister = (times: readonly number[], atMost: number) => async (fromMs: number, toMs: number) => {
    const all = times.filter((ms) => ms >= fromMs && ms < toMs).toReversed();
    return { ids: all.slice(0, atMost).map(String), isWhole: all.length <= atMost };
  };

  it("is the first one, however many came after", async () => {
    const uniqueTimes = fc
      .uniqueArray(fc.integer({ min: 0, max: 100_000 }), { maxLength: 400 })
      .map((all) => all.toSorted((a, b) => a - b));
    const property = fc.asyncProperty(
      uniqueTimes,
      fc.integer({ min: 0, max: 100_000 }),
      fc.integer({ min: 1, max: 40 }),
      async (times, from, atMost) => {
        const found = await oldestWithin(lister(times, atMost), from, 100_001);
        expect(found).toBe(times.find((ms) => ms >= from)?.toString() ?? null);
      },
    );
    await fc.assert(property);
  });

  it("is found in few steps", async () => {
    let asked = 0;
    const list = lister(
      Array.from({ length: 100_000 }, (_, minute) => minute * 60_000),
      100,
    );
    const counted = (fromMs: number, toMs: number) => ((asked += 1), list(fromMs, toMs));
    expect(await oldestWithin(counted, 90_000, 800 * 86_400_000)).toBe("120000");
    expect(asked).toBeLessThan(20);
  });
});
