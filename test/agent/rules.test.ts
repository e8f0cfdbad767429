import { describe, expect, it } from "vitest";
import { meaningOf } from "../../src/agent/contact/reply-meaning.ts";
import { isSpoiled } from "../../src/agent/runs/self-gate.ts";
import { proxyFor } from "../../src/daemon/proxy.ts";
import { Secret } from "../../src/daemon/secret.ts";

const json = { "content-type": "application/json" };
const html = { "content-type": "text/html" };
const decode = (body: unknown): unknown => {
  if (typeof body !== "object" || body === null || !("ok" in body)) throw new Error("not ours");
  return body;
};

describe("what a reply means (L-11, L-12)", () => {
  it.each([
    [200, json, '{"ok":1}', { is: "answer", value: { ok: 1 } }],
    [
      200,
      html,
      "<html>log in</html>",
      { is: "undecodable", reason: "200 with a body that is not the control plane's (text/html)", start: "<html>log in</html>" },
    ],
    [200, json, '{"ok":', { is: "undecodable" }],
    [401, json, '{"message":"Bad Token"}', { is: "unauthorized", status: 401, message: "Bad Token" }],
    [403, html, "<html>", { is: "unauthorized", status: 403, message: "(text/html)" }],
    [426, json, '{"message":"too old"}', { is: "incompatible", message: "too old" }],
    [400, json, '{"message":"bad"}', { is: "refused", status: 400, message: "bad" }],
    [413, html, "<html>", { is: "refused", status: 413 }],
    [431, html, "<html>", { is: "refused", status: 431 }],
    [404, html, "<html>", { is: "try_again", reason: "404 (text/html)" }],
    [429, { ...json, "retry-after": "7" }, "{}", { is: "try_again", retryAfter: "7" }],
    [502, html, "<html>", { is: "try_again", reason: "502 (text/html)", retryAfter: null }],
    [504, {}, "", { is: "try_again", reason: "504 (no content type)" }],
  ])("%d %o %s", (status, headers, text, expected) => {
    expect(meaningOf({ status, headers, text }, decode)).toMatchObject(expected);
  });
});

describe("the proxy of management traffic", () => {
  const settings = (noProxy: string[]) => ({ http: new Secret("http://plain:3128"), https: new Secret("http://tls:3128"), noProxy });
  it.each([
    ["https://cp.example.com/", [], "http://tls:3128"],
    ["http://cp.example.com/", [], "http://plain:3128"],
    ["https://cp.example.com/", ["*"], null],
    ["https://cp.example.com/", ["example.com"], null],
    ["https://cp.example.com/", [".example.com"], null],
    ["https://cp.example.com/", ["*.example.com"], null],
    ["https://cp.example.com/", ["EXAMPLE.com"], null],
    ["https://badexample.com/", ["example.com"], "http://tls:3128"],
    ["https://cp.example.com:8443/", ["cp.example.com:8443"], null],
    ["https://cp.example.com/", ["cp.example.com:8443"], "http://tls:3128"],
    ["https://10.1.2.3/", ["10.0.0.0/8"], null],
    ["https://11.1.2.3/", ["10.0.0.0/8"], "http://tls:3128"],
    ["https://[fd00::1]/", ["fd00::/8"], null],
    ["https://127.0.0.1/", ["127.0.0.1"], null],
  ])("to %s without %o is %s", (url, noProxy, expected) => {
    expect(proxyFor(new URL(url), settings(noProxy))?.reveal() ?? null).toBe(expected);
  });
});

describe("whether the agent's own side spoiled a run", () => {
  const took = (value: number) => ({ measures: [{ name: "response time", unit: "ms", value, degradedAbove: null, failedAbove: 1_000 }] });
  const good = { failure: null, loopDelayMs: 0, ...took(50) };
  it.each([
    ["its resolver failed", { failure: { side: "agent" as const } }, true],
    ["the target refused", { failure: { side: "target" as const } }, false],
    ["the target seemed silent while the loop stood still", { failure: { side: "target" as const }, loopDelayMs: 1_500 }, true],
    ["the loop was late, but nothing failed", { loopDelayMs: 900 }, false],
    ["too slow only because the loop was late", { ...took(1_200), loopDelayMs: 300 }, true],
    ["too slow, late loop or not", { ...took(2_000), loopDelayMs: 300 }, false],
  ])("%s", (_, run, expected) => {
    expect(isSpoiled({ ...good, ...run })).toBe(expected);
  });
});
