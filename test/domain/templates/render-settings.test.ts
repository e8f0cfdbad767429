import { describe, expect, it } from "vitest";
import { ApiCheckSettings } from "#contract/checks/api.ts";
import { checkTypes } from "#contract/checks/index.ts";
import { renderSettings } from "#domain/templates/render-settings.ts";
import { context } from "./template-contexts.ts";

const values = context({ A: "a b", B: '"q"' });
const limits = { degradedResponseTime: null, maxResponseTime: null, shouldFail: false };
const api = (request: object) => ApiCheckSettings.parse({ ...limits, request: { method: "POST", url: "https://h/", ...request } });
const rendered = (request: object) => renderSettings("API", api(request), values);

describe("the templates of an API check", () => {
  it("are filled in its URL, body, values of headers and parameters, and basic auth", () => {
    const header = { key: "X-{{A}}", value: "{{A}}", locked: true };
    const parameter = { key: "{{A}}", value: "{{A}}&{{{A}}}", locked: false };
    const { settings, unknown } = rendered({
      url: "https://h/{{A}}/{{{A}}}",
      body: '{"b":{{B}}}',
      bodyType: "JSON",
      headers: [header],
      queryParameters: [parameter],
      basicAuth: { username: "{{A}}", password: "{{{B}}}" },
    });
    expect(unknown).toEqual([]);
    expect(settings).toEqual({
      ...limits,
      request: expect.objectContaining({
        url: "https://h/a%20b/a b",
        body: '{"b":"q"}',
        headers: [{ ...header, value: "a b" }],
        queryParameters: [{ ...parameter, value: "a b&a b" }],
        basicAuth: { username: "a b", password: '"q"' },
      }),
    });
  });

  it("are filled nowhere else, and the settings that were given stay as they were", () => {
    const assertion = { source: "TEXT_BODY", comparison: "CONTAINS", property: "{{A}}", target: "{{A}}" };
    const given = api({ url: "https://h/{{A}}", assertions: [assertion], basicAuth: null });
    const before = structuredClone(given);
    expect(renderSettings("API", given, values).settings.request).toEqual({ ...before.request, url: "https://h/a%20b" });
    expect(given).toEqual(before);
  });

  it("that nothing fills are named once for the whole request", () => {
    const { settings, unknown } = rendered({ url: "https://h/{{NOPE}}", body: "{{NOPE}} {{OTHER}} {{A}}" });
    expect(unknown).toEqual(["NOPE", "OTHER"]);
    expect(settings.request).toMatchObject({ url: "https://h/{{NOPE}}", body: "{{NOPE}} {{OTHER}} a b" });
  });

  it("may fill a request to 8 MB and not more", () => {
    const given = api({ headers: [1, 2, 3].map((n) => ({ key: `X-${n}`, value: "{{BIG}}" })) });
    const filled = (length: number) => renderSettings("API", given, context({ BIG: "x".repeat(length) }));
    expect(filled(2_000_000).unknown).toEqual([]);
    expect(() => filled(3_000_000)).toThrow("the request grows beyond 8 MB by the values of its templates");
  });
});

describe("the templates of other types", () => {
  it("are filled in the URL of a URL monitor", () => {
    const settings = checkTypes.URL.settings.parse({ ...limits, request: { url: "https://h/{{A}}/{{NOPE}}" } });
    const { request } = settings;
    expect(renderSettings("URL", settings, values)).toEqual({
      settings: { ...settings, request: { ...request, url: "https://h/a%20b/{{NOPE}}" } },
      unknown: ["NOPE"],
    });
  });

  it("are filled in target, call, message and values of metadata of gRPC monitors, and nothing is encoded", () => {
    const request = (text: string, key: string) => ({
      url: text,
      port: text,
      grpcConfig: { service: text, method: text, message: `{"a":${text}}`, metadata: [{ key, value: text }], protoContent: "{{A}}" },
    });
    const parse = (given: object) => checkTypes.GRPC.settings.parse({ ...limits, request: given });
    const { settings, unknown } = renderSettings("GRPC", parse(request("{{A}}", "{{A}}")), values);
    expect([settings, unknown]).toEqual([parse(request("a b", "{{A}}")), []]);
    const numbered = parse({ url: "{{A}}", port: 443 });
    expect(renderSettings("GRPC", numbered, values).settings).toMatchObject({ request: { url: "a b", port: 443 } });
  });

  it("are text in TCP, DNS, ICMP and SSL monitors", () => {
    const tcp = checkTypes.TCP.settings.parse({ ...limits, request: { hostname: "{{A}}", port: 1, data: "{{A}}" } });
    expect(renderSettings("TCP", tcp, values)).toEqual({ settings: tcp, unknown: [] });
    const dns = checkTypes.DNS.settings.parse({ ...limits, request: { query: "{{A}}", recordType: "A" } });
    expect(renderSettings("DNS", dns, values)).toEqual({ settings: dns, unknown: [] });
    const loss = { degradedPacketLossThreshold: null, maxPacketLossThreshold: null };
    const icmp = checkTypes.ICMP.settings.parse({ ...loss, request: { hostname: "{{A}}" } });
    expect(renderSettings("ICMP", icmp, values)).toEqual({ settings: icmp, unknown: [] });
    const ssl = checkTypes.SSL.settings.parse({ ...limits, request: { sslConfig: { hostname: "{{A}}" } } });
    expect(renderSettings("SSL", ssl, values)).toEqual({ settings: ssl, unknown: [] });
  });
});

describe("settings", () => {
  it("without templates come back themselves", () => {
    const given = api({ body: '{"a":{"b":1}}' });
    expect(renderSettings("API", given, values).settings).toBe(given);
  });
});
