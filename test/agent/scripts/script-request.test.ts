import { describe, expect, it } from "vitest";
import { ApiCheckSettings } from "#contract/checks/api.ts";
import type { ScriptRequest } from "../../../src/agent/sandbox/sandbox.ts";
import { seenRequest, withChanges } from "../../../src/agent/scripts/script-request.ts";

const settings = ApiCheckSettings.parse({
  request: {
    method: "POST",
    url: "https://{{HOST}}/",
    body: "text",
    bodyType: "RAW",
    headers: [
      { key: "Accept", value: "text/html" },
      { key: "Authorization", value: "Bearer {{TOKEN}}", locked: true },
      { key: "Accept", value: "text/plain" },
    ],
    queryParameters: [
      { key: "tag", value: "a" },
      { key: "tag", value: "b" },
      { key: "key", value: "k", locked: true },
    ],
  },
  degradedResponseTime: null,
  maxResponseTime: null,
});

function changed(change: (request: { -readonly [K in keyof ScriptRequest]: ScriptRequest[K] }) => void) {
  const before = seenRequest(settings);
  const after = { ...before, headers: { ...before.headers }, queryParameters: { ...before.queryParameters } };
  change(after);
  return withChanges(settings, before, after);
}

function requestAfter(change: Parameters<typeof changed>[0]) {
  const result = changed(change);
  if ("problem" in result) throw new Error(result.problem);
  return result.value.request;
}

describe("the request as setup scripts see it", () => {
  it("has its templates unfilled, joined headers, and the last of each parameter", () => {
    expect(seenRequest(settings)).toEqual({
      method: "POST",
      url: "https://{{HOST}}/",
      body: "text",
      headers: { Accept: "text/html, text/plain", Authorization: "Bearer {{TOKEN}}" },
      queryParameters: { tag: "b", key: "k" },
    });
  });

  it("takes names for what they are", () => {
    const odd = { ...settings, request: { ...settings.request, headers: [{ key: "__proto__", value: "1", locked: false }] } };
    expect(Object.entries(seenRequest(odd).headers)).toEqual([["__proto__", "1"]]);
  });
});

describe("what setup scripts changed", () => {
  it("is nothing where they left all as it was", () => {
    expect(changed(() => undefined)).toEqual({ value: settings });
    const result = changed(() => undefined);
    expect("value" in result && result.value).toBe(settings);
  });

  it("replaces fields, and nothing beside them", () => {
    const request = requestAfter((it) => {
      it.method = "put";
      it.url = "http://127.0.0.1/";
      it.body = "other";
    });
    expect(request).toEqual({ ...settings.request, method: "PUT", url: "http://127.0.0.1/", body: "other" });
  });

  it("keeps doubles, order and locks of headers and parameters that were left alone", () => {
    const request = requestAfter((it) => {
      it.headers = { ...it.headers, "X-Signature": "s" };
    });
    expect(request.headers).toEqual([...settings.request.headers, { key: "X-Signature", value: "s", locked: false }]);
    expect(request.queryParameters).toBe(settings.request.queryParameters);
  });

  it("keeps a lock under its name, whatever its case, and takes away what was deleted", () => {
    const request = requestAfter((it) => {
      it.headers = { authorization: "Bearer other" };
      it.queryParameters = { tag: "c" };
    });
    expect(request.headers).toEqual([{ key: "authorization", value: "Bearer other", locked: true }]);
    expect(request.queryParameters).toEqual([{ key: "tag", value: "c", locked: false }]);
  });

  it("sends a body that a check without one was given", () => {
    const bare = { ...settings, request: { ...settings.request, body: "", bodyType: "NONE" as const } };
    const before = seenRequest(bare);
    const result = withChanges(bare, before, { ...before, body: "new" });
    expect("value" in result && result.value.request).toMatchObject({ body: "new", bodyType: "RAW" });
  });

  it.each<[string, Parameters<typeof changed>[0], string]>([
    [
      "a method that is none",
      (it) => void (it.method = "fetch"),
      'request.method must be one of GET, POST, PUT, HEAD, DELETE, PATCH, OPTIONS; received "FETCH"',
    ],
    ["an empty address", (it) => void (it.url = ""), "request.url must not be empty"],
    [
      "an address that is too long",
      (it) => void (it.url = `http://x/${"secret".repeat(400)}`),
      "request.url must have at most 2048 characters, received 2409 characters",
    ],
    [
      "a body that is too long",
      (it) => void (it.body = "x".repeat(524_289)),
      "request.body must have at most 524288 characters, received 524289 characters",
    ],
    ["a header without a name", (it) => void (it.headers = { "": "secret" }), "request.headers: a name must not be empty"],
    [
      "a header that is too long",
      (it) => void (it.headers = { "X-Long": "x".repeat(65_537) }),
      'request.headers "X-Long" must have at most 65536 characters, received 65537 characters',
    ],
  ])("is refused when it is %s, without telling a value", (_title, change, problem) => {
    expect(changed(change)).toEqual({ problem });
  });
});
