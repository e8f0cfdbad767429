import { describe, expect, it } from "vitest";
import { maskSensitiveHeaders, sensitiveValues } from "#domain/scrub/sensitive.ts";

const request = { url: "https://example.com", headers: [], queryParameters: [] };

describe("maskSensitiveHeaders", () => {
  it("masks them whatever their case, each of several values, and nothing else", () => {
    expect(
      maskSensitiveHeaders({
        AUTHORIZATION: "Bearer x",
        "set-cookie": ["a=1", "b=2"],
        "X-Api-Key": "",
        accept: "*/*",
        "proxy-authorization": null,
      }),
    ).toEqual({
      AUTHORIZATION: "********",
      "set-cookie": ["********", "********"],
      "X-Api-Key": "",
      accept: "*/*",
      "proxy-authorization": null,
    });
  });
});

describe("sensitiveValues", () => {
  it.each([
    [
      "locked header",
      {
        headers: [
          { key: "x-a", value: "locked-1", locked: true },
          { key: "x-b", value: "open", locked: false },
        ],
      },
      ["locked-1"],
    ],
    ["locked parameter", { queryParameters: [{ key: "q", value: "locked-2", locked: true }] }, ["locked-2"]],
    ["bearer token", { headers: [{ key: "Authorization", value: "Bearer tok-123", locked: false }] }, ["Bearer tok-123", "tok-123"]],
    [
      "basic header",
      { headers: [{ key: "authorization", value: `Basic ${btoa("me:pw:1")}`, locked: false }] },
      [`Basic ${btoa("me:pw:1")}`, btoa("me:pw:1"), "me:pw:1", "pw:1"],
    ],
    ["API key", { headers: [{ key: "x-api-key", value: "key-123", locked: false }] }, ["key-123"]],
    ["cookies", { headers: [{ key: "Cookie", value: "on=true; sid=abcdefgh1", locked: false }] }, ["on=true; sid=abcdefgh1", "abcdefgh1"]],
    ["basic auth", { basicAuth: { username: "me", password: "pass" } }, ["pass", btoa("me:pass")]],
    ["URL password", { url: "https://me:p%40ss@example.com/a@b" }, ["p%40ss", "p@ss"]],
    ["no password", { url: "https://example.com/x:y@z", basicAuth: { username: "me", password: "" } }, []],
  ])("%s", (_name, given, expected) => {
    expect(new Set(sensitiveValues({ ...request, ...given }))).toEqual(new Set(expected));
  });

  it("takes passwords of other URLs, such as a proxy's", () => {
    expect(sensitiveValues(request, ["http://user:proxy-pw@proxy:3128"])).toEqual(["proxy-pw"]);
  });
});
