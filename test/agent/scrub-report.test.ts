import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { reportScrubber } from "../../src/agent/scrub/scrub-report.ts";
import { type CheckType, checkTypes, type SettingsOf } from "../../src/contract/checks/index.ts";
import { findSecret } from "../support/find-secret.ts";

const canary = (name: string): string => `cnry-${name}/9+f3 &<"x">`;
const headers = [
  { key: "Authorization", value: `Bearer ${canary("token")}`, locked: false },
  { key: "x-own", value: canary("locked"), locked: true },
  { key: "Cookie", value: `sid=${encodeURIComponent(canary("cookie"))}`, locked: false },
];
const request = {
  method: "GET",
  url: "https://me:cnry-url-7f3a9c@shop.example/",
  headers,
  basicAuth: { username: "me", password: canary("basic") },
};
const settings = checkTypes.API.settings.parse({ request, degradedResponseTime: 5_000, maxResponseTime: 20_000 }) as SettingsOf<CheckType>;
const openSettings = checkTypes.API.settings.parse({
  request: { method: "GET", url: "https://shop.example/" },
  degradedResponseTime: 5_000,
  maxResponseTime: 20_000,
}) as SettingsOf<CheckType>;
const secrets = [canary("variable"), canary("script"), "-----BEGIN KEY-----\nMIIEvQIBADANBgkqcnry\nhkiG9w0BAQEFAAScnry\n-----END KEY-----"];
const planted = [
  canary("token"),
  canary("locked"),
  encodeURIComponent(canary("cookie")),
  canary("basic"),
  "cnry-url-7f3a9c",
  canary("variable"),
  canary("script"),
  "MIIEvQIBADANBgkqcnry",
  "hkiG9w0BAQEFAAScnry",
];

/** Each way in which a text may be in a result. */
function written(text: string): Record<string, string> {
  const ways = {
    raw: text,
    base64: Buffer.from(`.${text}`).toString("base64"),
    base64url: Buffer.from(text).toString("base64url"),
    percent: encodeURIComponent(text),
    percentTwice: encodeURIComponent(encodeURIComponent(text)),
    json: JSON.stringify({ text: [text] }),
    jsonInJson: JSON.stringify(JSON.stringify({ text })),
    html: text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`),
    hex: Buffer.from(text).toString("hex"),
    bytes: Buffer.from(text).toString("hex").replace(/../g, "\\x$&"),
    basic: Buffer.from(`me:${text}`).toString("base64"),
  };
  return { ...ways, [`key ${text}`]: "a key of an object" };
}

describe("reportScrubber (M-01)", () => {
  const scrub = reportScrubber(settings, "http://proxy:cnry-proxy-77aa21@proxy.example:3128", secrets);
  const all = [...planted, "cnry-proxy-77aa21"];

  it("leaves no secret of any source in any part of a detail, keys included", () => {
    const everything = Object.fromEntries(all.map((text, index) => [`${index}`, written(text)]));
    const jobLog = { setup: all.map((text) => ({ time: 1, level: "INFO", msg: `${text} ${JSON.stringify(written(text))}` })) };
    const detail = {
      ...everything,
      request: { headers: { authorization: `Bearer ${all[0]}`, other: all[5] }, url: `https://x/?a=${encodeURIComponent(all[6] ?? "")}` },
      response: { headers: { "set-cookie": ["anything at all"] }, body: all.join("\n") },
      jobLog,
      assertions: [{ target: all[1], actual: all[5], error: `expected ${all[6]}` }],
      redirects: [`https://x/#${all[5]}`],
      tls: { subject: all[6] },
    };
    const before = JSON.stringify(detail);
    const after = JSON.stringify(scrub.detail(detail));
    for (const text of all) {
      expect([text, findSecret(Buffer.from(before), text, 3)]).not.toEqual([text, []]);
      expect([text, findSecret(Buffer.from(after), text, 3)]).toEqual([text, []]);
    }
    expect(after).not.toContain("anything at all");
    expect(JSON.stringify(detail)).toBe(before);
  });

  it("leaves none in texts and bytes", () => {
    for (const text of all) {
      for (const form of Object.values(written(text))) {
        expect(findSecret(Buffer.from(scrub.text(`<< ${form} >>`)), text, 3)).toEqual([]);
        const bytes = Buffer.from(`\0${form}\0`);
        expect(scrub.bytes(bytes)).toHaveLength(bytes.length);
        expect(findSecret(scrub.bytes(bytes), text, 3)).toEqual([]);
      }
    }
  });

  it("scrubs the bytes that stand in base64 as bytes, and withholds packed ones", () => {
    const secret = canary("variable");
    const detailOf = (bytes: Buffer) => ({ response: { body: bytes.toString("base64"), bodyEncoding: "base64" } });
    const utf16 = Buffer.from(`\0${secret}`, "utf16le");
    expect(findSecret(utf16, secret)).not.toEqual([]);
    expect(findSecret(Buffer.from(JSON.stringify(scrub.detail(detailOf(utf16)))), secret)).toEqual([]);
    expect(scrub.detail(detailOf(gzipSync(secret)))).toMatchObject({
      response: { body: "(withheld: gzip may hide a secret of this check)" },
    });
    const data = gzipSync("what nobody hides").toString("base64");
    expect(reportScrubber(openSettings, null).detail({ response: { data, dataEncoding: "base64" } })).toMatchObject({ response: { data } });
  });

  it("knows what an answer made a secret", () => {
    expect(scrub.knowing(["cnry-cookie-77"]).detail({ response: { body: "Y25yeS1jb29raWUtNzc=" } })).toMatchObject({
      response: { body: "********c=" },
    });
    expect(scrub.knowing(["cnry-cookie-77"]).secrets).toContain("cnry-cookie-77");
  });

  it("hands on every secret, for what else leaves", () => {
    expect(scrub.secrets).toEqual(expect.arrayContaining([...secrets, canary("token"), canary("basic"), "cnry-proxy-77aa21"]));
  });
});

describe("the report of a gRPC call", () => {
  it("has no metadata that is secret by its name, nor its value where the server tells it elsewhere", () => {
    const grpcConfig = { metadata: [{ key: "Authorization", value: "Bearer cnry-grpc-5d1c" }] };
    const call = checkTypes.GRPC.settings.parse({ request: { url: "a", grpcConfig }, degradedResponseTime: null, maxResponseTime: null });
    const entry = (key: string, value: string) => ({ key, value, trailer: false });
    const detail = {
      request: { metadata: ["Authorization"] },
      response: {
        responseMessage: '{"who":"cnry-grpc-5d1c"}',
        metadata: [entry("set-cookie", "a=b"), entry("x", "cnry-grpc-5d1c"), entry("y", "z")],
      },
    };
    expect(reportScrubber(call, null).detail(detail)).toEqual({
      request: { metadata: ["Authorization"] },
      response: {
        responseMessage: '{"who":"********"}',
        metadata: [entry("set-cookie", "********"), entry("x", "********"), entry("y", "z")],
      },
    });
  });
});
