import type { CheckType, OneScriptType, ProbeType } from "#contract/checks/index.ts";

type Body = Readonly<Record<string, unknown>>;

/** The smallest accepted bodies; a test adds what it is about. */
export const apiCheckBody = (extra: Body = {}) => ({
  name: "shop",
  request: { method: "GET", url: "https://shop.example" },
  ...extra,
});

/** The request of `apiCheckBody` with more in it. */
export const apiRequestBody = (extra: Body = {}) => ({ method: "GET", url: "https://shop.example", ...extra });

/** The smallest request of each check type that has one. */
export const requests: { readonly [T in ProbeType]: Body } = {
  API: { method: "GET", url: "https://shop.example" },
  URL: { url: "https://shop.example" },
  TCP: { hostname: "shop.example", port: 5432 },
  DNS: { query: "shop.example", recordType: "A" },
  ICMP: { hostname: "shop.example" },
  SSL: { sslConfig: { hostname: "shop.example" } },
  GRPC: { url: "shop.example", grpcConfig: { service: "shop.Orders", method: "Get" } },
  TRACEROUTE: { url: "shop.example" },
};

const script =
  "import { test } from '@playwright/test';\ntest('the shop answers', async ({ request }) => { await request.get('https://shop.example/') });\n";

/** The smallest script of each check type that is one. */
export const scripts: { readonly [T in OneScriptType]: string } = {
  MULTI_STEP: script,
  BROWSER: script.replaceAll("request", "page").replace("get", "goto"),
};

/** What each check type needs beside a name. */
export const smallest: { readonly [T in CheckType]: Body } = {
  ...eachAs("request", requests),
  ...eachAs("script", scripts),
  PLAYWRIGHT: {},
  AGENTIC: {},
};

function eachAs<T extends string>(field: string, values: Readonly<Record<T, unknown>>): Readonly<Record<T, Body>> {
  return Object.fromEntries(Object.entries(values).map(([type, value]) => [type, { [field]: value }])) as Record<T, Body>; // the same keys
}
