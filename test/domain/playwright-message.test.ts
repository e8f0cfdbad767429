import { describe, expect, it } from "vitest";
import { playwrightSentence } from "../../src/domain/playwright-message.ts";

/** As these versions wrote them, colours and folders left out. */
const messages: readonly (readonly [version: string, message: string, sentence: string])[] = [
  [
    "1.65.0",
    `Error: expect(locator).toHaveText(expected) failed\n\nLocator:  locator('h1')\nExpected: "Nonsense"\nReceived: "Sign in"\nTimeout:  300ms\n\nCall log:\n  - Expect "toHaveText" locator('h1') with timeout 300ms\n  - waiting for locator('h1')\n    5 × locator resolved to <h1>Sign in</h1>\n      - unexpected value "Sign in"\n`,
    `expect(locator('h1')).toHaveText failed: expected "Nonsense", received "Sign in"`,
  ],
  [
    "1.51.1",
    `Error: Timed out 300ms waiting for expect(locator).toHaveText(expected)\n\nLocator: locator('h1')\nExpected string: "Nonsense"\nReceived string: "Sign in"\nCall log:\n  - expect.toHaveText with timeout 300ms\n  - waiting for locator('h1')\n`,
    `expect(locator('h1')).toHaveText failed: expected "Nonsense", received "Sign in"`,
  ],
  [
    "1.28.1",
    `Error: expect(received).toHaveText(expected)\n\nExpected string: "Nonsense"\nReceived string: "Sign in"\nCall log:\n  - expect.toHaveText with timeout 300ms\n  - waiting for locator('h1')\n  -   locator resolved to <h1>Sign in</h1>\n`,
    `expect(locator('h1')).toHaveText failed: expected "Nonsense", received "Sign in"`,
  ],
  [
    "1.65.0",
    `Error: the title is right\n\nexpect(locator).toHaveText(expected) failed\n\nLocator:  locator('h1')\nExpected: "Nonsense"\nReceived: "Sign in"\nTimeout:  300ms\n\nCall log:\n  - the title is right locator('h1') with timeout 300ms\n`,
    `the title is right: expect(locator('h1')).toHaveText failed: expected "Nonsense", received "Sign in"`,
  ],
  [
    "1.48.2",
    `Error: the title is right\n\nTimed out 300ms waiting for expect(locator).toHaveText(expected)\n\nLocator: locator('h1')\nExpected string: "Nonsense"\nReceived string: "Sign in"\nCall log:\n  - the title is right with timeout 300ms\n`,
    `the title is right: expect(locator('h1')).toHaveText failed: expected "Nonsense", received "Sign in"`,
  ],
  [
    "1.28.1",
    `Error: the title is right\n\nExpected string: "Nonsense"\nReceived string: "Sign in"\nCall log:\n  - expect.toHaveText with timeout 300ms\n`,
    `the title is right: expected "Nonsense", received "Sign in"`,
  ],
  [
    "1.65.0",
    `Error: expect(locator).toHaveText(expected) failed\n\nLocator: locator('h2')\nExpected: "Nonsense"\nTimeout: 300ms\nError: element(s) not found\n\nCall log:\n  - waiting for locator('h2')\n`,
    `expect(locator('h2')).toHaveText failed: expected "Nonsense", element(s) not found`,
  ],
  [
    "1.51.1",
    `Error: Timed out 300ms waiting for expect(locator).toBeVisible()\n\nLocator: locator('#nope')\nExpected: visible\nReceived: <element(s) not found>\nCall log:\n  - expect.toBeVisible with timeout 300ms\n`,
    `expect(locator('#nope')).toBeVisible failed: expected visible, element(s) not found`,
  ],
  [
    "1.28.1",
    `Error: expect(received).toBeVisible()\nCall log:\n  - expect.toBeVisible with timeout 300ms\n  - waiting for locator('#hid')\n`,
    `expect(locator('#hid')).toBeVisible failed`,
  ],
  [
    "1.65.0",
    `Error: expect(locator).not.toHaveText(expected) failed\n\nLocator:  locator('h1')\nExpected: not "Sign in"\nReceived: "Sign in"\nTimeout:  300ms\n\nCall log:\n`,
    `expect(locator('h1')).not.toHaveText failed: expected not "Sign in", received "Sign in"`,
  ],
  [
    "1.65.0",
    `Error: expect(page).toHaveURL(expected) failed\n\nExpected pattern: /dash/\nReceived string:  "about:blank"\nTimeout: 300ms\n\nCall log:\n  - Expect "toHaveURL" with timeout 300ms\n`,
    `expect(page).toHaveURL failed: expected /dash/, received "about:blank"`,
  ],
  [
    "1.40.1",
    `Error: Timed out 300ms waiting for expect(locator).toHaveURL(expected)\n\nLocator: locator(':root')\nExpected string: "https://x.example/dash"\nReceived string: "about:blank"\nCall log:\n  - expect.toHaveURL with timeout 300ms\n`,
    `expect(page).toHaveURL failed: expected "https://x.example/dash", received "about:blank"`,
  ],
  [
    "1.65.0",
    `Error: expect(locator).toHaveText(expected) failed\n\nLocator: locator('a')\nTimeout: 300ms\n- Expected  - 1\n+ Received  + 1\n\n  Array [\n    "x",\n-   "z",\n+   "y",\n  ]\n\nCall log:\n  - Expect "toHaveText" locator('a') with timeout 300ms\n`,
    `expect(locator('a')).toHaveText failed: expected "z", received "y"`,
  ],
  [
    "1.65.0",
    `Error: expect(received).toEqual(expected) // deep equality\n\n- Expected  - 2\n+ Received  + 2\n\n  Object {\n-   "a": 2,\n+   "a": 1,\n    "b": Array [\n      1,\n-     3,\n+     2,\n    ],\n  }`,
    `expect(received).toEqual failed: expected "a": 2, 3, received "a": 1, 2`,
  ],
  [
    "1.65.0",
    `Error: expect(received).toEqual(expected) // deep equality\n\n- Expected  - 1\n+ Received  + 0\n\n  Array [\n    1,\n-   2,\n  ]`,
    `expect(received).toEqual failed: expected 2, received nothing`,
  ],
  [
    "1.65.0",
    `Error: status of the shop\n\nexpect(received).toBe(expected) // Object.is equality\n\nExpected: 404\nReceived: 200`,
    `status of the shop: expect(received).toBe failed: expected 404, received 200`,
  ],
  [
    "1.65.0",
    `Error: expect(received).toHaveLength(expected)\n\nExpected length: 2\nReceived length: 1\nReceived array:  [1]`,
    `expect(received).toHaveLength failed: expected 2, received 1`,
  ],
  [
    "1.65.0",
    `Error: expect(received).toHaveProperty(path, value)\n\nExpected path: "b"\nReceived path: []\n\nExpected value: 2\nReceived value: {"a": 1}`,
    `expect(received).toHaveProperty failed: expected 2, received {"a": 1}`,
  ],
  ["1.65.0", `Error: expect(received).toBeTruthy()\n\nReceived: null`, `expect(received).toBeTruthy failed: received null`],
  [
    "1.65.0",
    `Error: expect(received).toThrow()\n\nReceived function did not throw`,
    `expect(received).toThrow failed: Received function did not throw`,
  ],
  [
    "1.65.0",
    `Error: expect(response).toBeOK() failed\n\n\nCall log:\n→ GET http://127.0.0.1:45139/health\n  user-agent: Playwright/1.65.0\n← 503 Service Unavailable\n  content-length: 4\n`,
    `expect(response).toBeOK failed: GET http://127.0.0.1:45139/health answered 503 Service Unavailable`,
  ],
  [
    "1.65.0",
    `Error: the job ends\n\nthe job ends\n\nexpect(received).toBe(expected) // Object.is equality\n\nExpected: 2\nReceived: 1\n\nCall Log:\n- Timeout 300ms exceeded while waiting on the predicate`,
    `the job ends: expect(received).toBe failed: expected 2, received 1`,
  ],
  [
    "1.65.0",
    `Error: expect(locator).toHaveText(expected) failed\n\nLocator: locator('a')\nExpected: "x"\nError: strict mode violation: locator('a') resolved to 2 elements:\n    1) <a>x</a> aka getByText('x')\n    2) <a>y</a> aka getByText('y')\n\nCall log:\n`,
    `expect(locator('a')).toHaveText failed: expected "x", strict mode violation: locator('a') resolved to 2 elements`,
  ],
  [
    "1.40.1",
    `Error: expect.toHaveText: Error: strict mode violation: locator('a') resolved to 2 elements:\n    1) <a>x</a> aka getByText('x')\n    2) <a>y</a> aka getByText('y')\n\nCall log:\n  - expect.toHaveText with timeout 300ms\n`,
    `expect.toHaveText: strict mode violation: locator('a') resolved to 2 elements`,
  ],
  [
    "1.65.0",
    `TimeoutError: locator.click: Timeout 500ms exceeded.\nCall log:\n  - waiting for locator('#nope')\n`,
    `locator.click: Timeout 500ms exceeded, waiting for locator('#nope')`,
  ],
  [
    "1.28.1",
    `locator.click: Timeout 500ms exceeded.\n=========================== logs ===========================\nwaiting for locator('#nope')\n============================================================`,
    `locator.click: Timeout 500ms exceeded, waiting for locator('#nope')`,
  ],
  [
    "1.65.0",
    `page.goto: Timeout 500ms exceeded.\nCall log:\n  - navigating to "http://127.0.0.1:9/x", waiting until "load"\n`,
    `page.goto: Timeout 500ms exceeded, navigating to "http://127.0.0.1:9/x"`,
  ],
  [
    "1.65.0",
    `apiRequestContext.get: Timeout 300ms exceeded.\nCall log:\n  - → GET http://127.0.0.1:42565/slow\n    - user-agent: Playwright/1.65.0\n`,
    `apiRequestContext.get: Timeout 300ms exceeded, GET http://127.0.0.1:42565/slow`,
  ],
  [
    "1.65.0",
    `page.waitForEvent: Timeout 500ms exceeded while waiting for event "download"\n=========================== logs ===========================\nwaiting for event "download"\n`,
    `page.waitForEvent: Timeout 500ms exceeded while waiting for event "download"`,
  ],
  [
    "1.65.0",
    `Error: page.goto: net::ERR_CONNECTION_REFUSED at http://127.0.0.1:99/x\nCall log:\n  - navigating to "http://127.0.0.1:99/x", waiting until "load"\n`,
    `page.goto: net::ERR_CONNECTION_REFUSED at http://127.0.0.1:99/x`,
  ],
  ["1.65.0", "page.evaluate: Error: in the page", "page.evaluate: in the page"],
  ["1.65.0", "Test timeout of 800ms exceeded.", "Test timeout of 800ms exceeded."],
  ["any", "Error: the cart is empty", "the cart is empty"],
  ["any", "TypeError: Cannot read properties of undefined (reading 'x')", "TypeError: Cannot read properties of undefined (reading 'x')"],
];

describe("a message of Playwright in one line", () => {
  it.each(messages)("of %s: %j", (_version, message, sentence) => {
    expect(playwrightSentence(message)).toBe(sentence);
  });

  it("tells both sides of long values", () => {
    const [expected, received] = ["a".repeat(9_000), "b".repeat(900)];
    const sentence = playwrightSentence(`Error: expect(received).toBe(expected)\n\nExpected: "${expected}"\nReceived: "${received}"`);
    expect(sentence.length).toBeLessThanOrEqual(500);
    expect(sentence).toMatch(/expected "a+…, received "b+…$/);
  });

  it("takes no time over a message that was made to take some", () => {
    const bad = ["\n", "expect(", "expect().a", "- Expected  - 1\n", "→ a\n", "Received: <a\n", "waiting for ", "Timeout 1ms ", "Error: "];
    const startedAt = performance.now();
    for (const part of bad) playwrightSentence(part.repeat(10_000 / part.length));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
