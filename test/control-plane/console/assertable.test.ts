import { describe, expect, it } from "vitest";
import { assertablesOf } from "../../../src/control-plane/console/tested/assertable.ts";
import { checkDetails } from "../../support/check-details.ts";

describe("what a response offers for assertions", () => {
  const { response } = checkDetails.API;
  const offered = (changes: object, tookMs: number | null = null) =>
    assertablesOf({ response: { ...response!, headers: {}, ...changes } }, tookMs).map(
      ({ source, property, comparison, target }) => `${source} ${property} ${comparison} ${target}`,
    );

  it("is its status, time, the values of its JSON, and headers that last", () => {
    const body = JSON.stringify({ ok: true, user: { name: "Ada", "two words": 1, "it's": "x" }, tags: ["a", { b: null }], none: null });
    const headers = { "Content-Type": "application/json", Date: "now", "x-request-id": "7", "set-cookie": ["a", "b"] };
    expect(offered({ status: 201, body, headers }, 81)).toEqual([
      "STATUS_CODE  EQUALS 201",
      "RESPONSE_TIME  LESS_THAN 250",
      "JSON_BODY $.ok EQUALS true",
      "JSON_BODY $.user.name EQUALS Ada",
      "JSON_BODY $.user['two words'] EQUALS 1",
      "JSON_BODY $.user['it\\'s'] EQUALS x",
      "JSON_BODY $.tags[0] EQUALS a",
      "HEADERS content-type EQUALS application/json",
    ]);
  });

  it("is bounded, whatever came", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 5_000; depth += 1) deep = { deep };
    expect(offered({ body: JSON.stringify({ deep }) })).toEqual(["STATUS_CODE  EQUALS 200"]);
    expect(offered({ body: JSON.stringify(Array.from({ length: 10_000 }, (_, n) => n)) })).toHaveLength(61);
    expect(offered({ body: JSON.stringify({ long: "x".repeat(10_000) }) })).toHaveLength(1);
    for (const changes of [
      { body: "{" },
      { body: "" },
      { body: "7" },
      { body: '{"a":1}', truncated: true },
      { body: "e30=", bodyEncoding: "base64" },
    ])
      expect(offered(changes)).toHaveLength(1);
    expect(assertablesOf({ response: null }, 5)).toEqual([]);
  });
});
