import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCheckFile } from "../../../src/agent/local-run/check-file.ts";
import { localCheck } from "../../../src/agent/local-run/local-check.ts";

/** What `outpost run` would say of a text: `line:column: message`, or the types of its checks. */
function told(text: string): string[] {
  const read = readCheckFile(text);
  const parts = "problems" in read ? [read.problems] : read.checks.map(localCheck);
  return parts.flatMap((part) =>
    "type" in part ? [part.type] : part.map(({ position: { line, column }, message }) => `${line}:${column}: ${message}`),
  );
}

describe("a file of checks", () => {
  it.each([
    ["YAML", "request: {method: GET, url: http://a/}", ["API"]],
    ["JSON", '{\n\t"checkType": "URL",\n\t"request": {"url": "http://a/"}\n}', ["URL"]],
    ["a list", "- {checkType: TCP, request: {hostname: a, port: 1}}\n- {checkType: ICMP, request: {hostname: a}}", ["TCP", "ICMP"]],
    [
      "several documents",
      "---\ncheckType: DNS\nrequest: {query: a, recordType: A}\n---\n- request: {method: GET, url: a}\n",
      ["DNS", "API"],
    ],
    ["an alias and a merge", "- &a {request: {method: GET, url: a}}\n- *a\n- {<<: *a, shouldFail: true}", ["API", "API", "API"]],
    ["an SSL monitor", "{checkType: SSL, request: {sslConfig: {hostname: a}}}", ["SSL"]],
  ])("may be %s", (_title, text, types) => {
    expect(told(text)).toEqual(types);
  });

  it.each([
    ["nothing", "", "1:1: holds no check"],
    ["a comment", "# later\n", "1:1: holds no check"],
    ["an empty list", "[]", "1:1: holds no check"],
    ["text", "hello", '1:1: the check must be an object, received "hello"'],
    ["a list in a list", "- [1]", "1:3: the check must be an object, received an array"],
    ["no YAML", "a: [1,\nb", "2:1: is no YAML or JSON: "],
    ["a key twice", "a: 1\na: 2", "2:1: is no YAML or JSON: Map keys must be unique"],
    [
      "a bomb of aliases",
      `a: &a [x]\n${"bcdefghij"
        .split("")
        .map((name, n) => `${name}: &${name} [${`*${"abcdefghi"[n]},`.repeat(9)}]\n`)
        .join("")}`,
      "1:1: cannot be read: ",
    ],
  ])("that holds %s is refused, with its place", (_title, text, message) => {
    expect(told(text)[0]).toContain(message);
  });

  it("never throws, whatever it holds, and places every problem", () => {
    const scrap = fc.constantFrom(
      "request:",
      " ",
      "\n",
      "- ",
      "{",
      "}",
      "[",
      "]",
      "checkType: ",
      "API",
      "url: ",
      "&a ",
      "*a",
      "<<: ",
      "---\n",
      '"',
      "\t",
      "5",
      "null",
      ": ",
      "!x ",
      "|\n",
      "\0",
      "\ud800",
    );
    fc.assert(
      fc.property(fc.array(scrap, { maxLength: 25 }), (scraps) => {
        for (const line of told(scraps.join(""))) expect(line).toMatch(/^(\d+:\d+: |[A-Z]+$)/);
      }),
      { numRuns: 500 },
    );
    expect(() => told("[".repeat(100_000))).not.toThrow();
    expect(() => told("[".repeat(3_000) + "]".repeat(3_000))).not.toThrow();
  });
});

describe("a check that is not right", () => {
  it.each([
    ["a field that is missing", "request:\n  method: GET\n", "2:3: request.url is required"],
    ["all of it missing", "checkType: URL\n", "1:1: request is required"],
    [
      "a wrong word",
      "request: {url: a,\n  method: FETCH}",
      '2:11: request.method must be one of GET, POST, PUT, HEAD, DELETE, PATCH, OPTIONS; received "FETCH"',
    ],
    ["a bare number", "request: {method: GET, url: 5}", "1:29: request.url must be a string, received 5 (put it in quotes)"],
    [
      "a value out of bounds",
      "request: {method: GET, url: a}\nmaxResponseTime: 99999",
      "2:18: maxResponseTime must be at most 30000, received 99999",
    ],
    [
      "a name that is misspelt",
      "checkType: TCP\nrequest:\n  hostname: a\n  port: 1\n  expct: b",
      "5:10: request.expct is no field of this check type",
    ],
    [
      "a misspelt name in a list",
      'request: {method: GET, url: a, assertions: [{source: STATUS_CODE, comparison: EQUALS, tarket: "1", target: "1"}]}',
      "1:95: request.assertions[0].tarket is no field of this check type",
    ],
    [
      "an unknown type",
      "checkType: SMTP",
      '1:12: checkType must be one of API, URL, TCP, DNS, ICMP, SSL, GRPC, TRACEROUTE, MULTI_STEP, PLAYWRIGHT, BROWSER, AGENTIC; received "SMTP"',
    ],
    ["a number as a type", "checkType: 5", "1:12: checkType must be one of"],
    [
      "an expression that cannot be",
      'request:\n  method: GET\n  url: a\n  assertions:\n  - {source: JSON_BODY, comparison: EQUALS, property: "$[", target: ok}',
      "5:5: request.assertions[0] cannot be evaluated: ",
    ],
  ])("names the field and its place: %s", (_title, text, message) => {
    expect(told(text)).toEqual([expect.stringContaining(message)]);
  });

  it("places a field behind an alias where it was written", () => {
    expect(told("x: &r\n  method: NO\n  url: a\nrequest: *r")).toEqual([expect.stringMatching(/^2:11: request.method must be one of/)]);
  });

  it("is not refused for what a local run does not need", () => {
    expect(told("{name: 5, frequency: 7, locations: nowhere, request: {method: GET, url: a}}")).toEqual(["API"]);
    expect(told('{checkType: DNS, request: {query: a, recordType: A, nameServer: ""}}')).toEqual(["DNS"]);
  });
});
