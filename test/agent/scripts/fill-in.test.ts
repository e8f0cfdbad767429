import { describe, expect, it } from "vitest";
import { checkTypes, type ProbeType, type SettingsOf } from "#contract/checks/index.ts";
import { fillIn } from "../../../src/agent/scripts/fill-in.ts";

const sources = { nowMs: Date.UTC(2026, 0, 2), random: () => 0.5, uuid: () => "6d0c1f9e-4d6f-4a5f-8f0f-4f1f1c1d1e1f" };
const limits = { degradedResponseTime: null, maxResponseTime: null };

function api(request: object): SettingsOf<"API"> {
  return checkTypes.API.settings.parse({ request: { method: "GET", url: "http://x/", ...request }, ...limits });
}

describe("templates of a check", () => {
  it("are filled from the variables, with names that none has told", () => {
    const settings = api({ url: "http://{{HOST}}/?q={{Q}}", headers: [{ key: "X-A", value: "{{A}}{{MISSING}}" }] });
    const filled = fillIn("API", settings, "http://{{USER}}@proxy:1/", { HOST: "h", Q: "a b", A: "1", USER: "u" }, sources);
    expect(filled).toMatchObject({
      value: {
        settings: { request: { url: "http://h/?q=a%20b", headers: [{ key: "X-A", value: "1{{MISSING}}" }] } },
        proxyUrl: "http://u@proxy:1/",
        unknown: ["MISSING"],
      },
    });
  });

  it("fill the URL of the group too", () => {
    const variables = { GROUP_BASE_URL: "https://{{STAGE}}.example.com", STAGE: "test" };
    const filled = fillIn("API", api({ url: "{{GROUP_BASE_URL}}/orders" }), null, variables, sources);
    expect(filled).toMatchObject({ value: { settings: { request: { url: "https://test.example.com/orders" } } } });
  });

  it("tell names that only the URL of the group asks for, where it is used", () => {
    const variables = { GROUP_BASE_URL: "https://{{STAGE}}.example.com" };
    const unknown = (url: string): unknown => fillIn("API", api({ url }), null, variables, sources);
    expect(unknown("http://x/?u={{GROUP_BASE_URL}}")).toMatchObject({ value: { unknown: ["STAGE"] } });
    expect(unknown("http://x/")).toMatchObject({ value: { unknown: [] } });
  });

  it.each([
    [
      "an address that became too long",
      { url: "http://{{LONG}}/" },
      "request.url must have at most 2048 characters, received 3008 characters",
    ],
    ["an address that became empty", { url: "{{EMPTY}}" }, "request.url must not be empty"],
    [
      "a header that became too long",
      { headers: [{ key: "X", value: "{{LONG}}".repeat(30) }] },
      "request.headers[0].value must have at most 65536 characters, received 90000 characters",
    ],
    [
      "a text that grew beyond all bounds",
      { body: "{{LONG}}".repeat(2_000) },
      "a text of the request grows beyond 4 MB by the values of its templates",
    ],
  ])("make no request of %s", (_title, request, problem) => {
    expect(fillIn("API", api(request), null, { LONG: "secret".repeat(500), EMPTY: "" }, sources)).toEqual({ problem });
  });

  it("leave settings without any as they are, the very same", () => {
    const settings = api({ body: "{ {X}}" });
    const filled = fillIn("API", settings, null, {}, sources);
    expect("value" in filled && filled.value.settings).toBe(settings);
  });
});

describe("the schema of each check type reads what it made", () => {
  const requests: { readonly [T in ProbeType]: object } = {
    API: { method: "GET", url: "http://x/" },
    URL: { url: "http://x/" },
    TCP: { url: "x", port: 1, body: "data" },
    DNS: { query: "x", recordType: "A", nameServer: "" },
    ICMP: { hostname: "x" },
    SSL: { sslConfig: { hostname: "x" } },
    GRPC: { url: "x", port: "{{PORT}}", grpcConfig: { service: "a.B", method: "C" } },
    TRACEROUTE: { url: "x" },
  };
  const more = { degradedPacketLossThreshold: 10, maxPacketLossThreshold: 20, ...limits };
  it.each(Object.keys(requests) as ProbeType[])("%s", (type) => {
    const once = checkTypes[type].settings.parse({ request: requests[type], ...more });
    expect(checkTypes[type].settings.parse(once)).toEqual(once);
  });
});
