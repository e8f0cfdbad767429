import type { CheckTypeName } from "#contract/primitives.ts";

/** A check of each type with much of what its form shows. */
export const checkBodies: Readonly<Record<CheckTypeName, object>> = {
  URL: { request: { url: "https://shop.example.com/", ipFamily: "IPv6", followRedirects: false } },
  API: {
    request: {
      method: "POST",
      url: "https://api.example.com/",
      headers: [{ key: "Authorization", value: "Bearer s3cr3t", locked: true }],
      queryParameters: [{ key: "limit", value: "a=b", locked: false }],
      basicAuth: { username: "ada", password: " with blanks " },
      bodyType: "RAW",
      body: "\n  two\nlines  ",
      assertions: [{ source: "JSON_BODY", property: "$.a", comparison: "EQUALS", target: "<b>", regex: null }],
    },
    localSetupScript: "// <script>\n",
    runtimeId: "2025.04",
    retryStrategy: { type: "FIXED", baseBackoffSeconds: 5, maxRetries: 3, sameRegion: false, onlyOn: ["NETWORK_ERROR"] },
  },
  TCP: {
    request: { hostname: "mail.example.com", port: 25, startTls: "smtp", expect: "^220", data: "EHLO\r\n".replace("\r", "") },
    runParallel: true,
  },
  DNS: { request: { query: "shop.example.com", recordType: "MX", nameServer: "9.9.9.9", port: 53, protocol: "TCP" } },
  ICMP: { request: { hostname: "gateway.example.com", ipFamily: null, pingCount: 3 }, retryStrategy: null },
  SSL: {
    request: {
      sslConfig: {
        hostname: "shop.example.com",
        serverName: "www.example.com",
        securityBaseline: { enabled: false, minTLSVersion: { value: "TLS1.3", severity: "degrade" }, sctPresent: { severity: "fail" } },
      },
    },
  },
  HEARTBEAT: { heartbeat: { period: 2, periodUnit: "hours", grace: 5, graceUnit: "minutes" } },
  BROWSER: {
    script: "await page.goto('/')",
    sslCheckDomain: "shop.example.com",
    environmentVariables: [
      { key: "USER", value: "ada", locked: false, secret: false },
      { key: "TOKEN", value: "t0ken", locked: true, secret: false },
      { key: "PASSWORD", value: "pa55word", locked: false, secret: true },
    ],
  },
  MULTI_STEP: { script: "await go()", retryStrategy: { type: "SINGLE_RETRY", sameRegion: true, baseBackoffSeconds: 0, onlyOn: [] } },
  PLAYWRIGHT: {
    testCommand: "npx playwright test",
    browsers: ["chromium", "webkit"],
    engine: "bun",
    engineVersion: "1.2",
    workingDir: "shop",
  },
  AGENTIC: { script: "Buy a book", localTearDownScript: "done()", maxResponseTime: 9_000 },
  GRPC: {
    request: {
      url: "api.example.com",
      port: "{{PORT}}",
      timeout: 20,
      grpcConfig: { service: "shop.Orders", method: "List", serviceDefinition: "PROTO_FILE", protoContent: 'syntax = "proto3";' },
      assertions: [{ source: "GRPC_STATUS_CODE", property: "", comparison: "EQUALS", target: "0", regex: null }],
    },
  },
  TRACEROUTE: { request: { url: "shop.example.com", protocol: "TCP", port: 443, maxHops: 20, ptrLookup: true } },
};

/** What a browser would send of the form of a check where nobody touched it. */
export function formFields(page: string): Readonly<Record<string, readonly string[]>> {
  const form = /<form [^>]*class="edit">([\s\S]*?)<\/form>/.exec(page)?.[1] ?? "";
  const found = [...form.matchAll(/<input ([^>]*)>|<textarea ([^>]*)>\n?([\s\S]*?)<\/textarea>|<select ([^>]*)>([\s\S]*?)<\/select>/g)];
  const sent = found.flatMap(([, input, area, text = "", select, options = ""]): readonly [string, string][] => {
    const attributes = input ?? area ?? select ?? "";
    const name = attribute(attributes, "name");
    if (area !== undefined) return [[name, plain(text).replaceAll(/\r\n?|\n/g, "\r\n")]];
    if (select !== undefined) return [[name, chosenOf(options)]];
    const isOff = /type="checkbox"/.test(attributes) && !/ checked/.test(attributes);
    return isOff
      ? []
      : [
          [
            name,
            /type="checkbox"/.test(attributes) && !/value=/.test(attributes)
              ? "on"
              : attribute(attributes, "value").replaceAll(/[\r\n]/g, ""),
          ],
        ];
  });
  const fields = Map.groupBy(sent, ([name]) => name);
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.map(([, value]) => value)]));
}

function chosenOf(options: string): string {
  const all = [...options.matchAll(/<option([^>]*)>([^<]*)/g)];
  const [, attributes = "", text = ""] = all.find(([, of = ""]) => of.includes(" selected")) ?? all[0] ?? [];
  return attributes.includes("value=") ? attribute(attributes, "value") : plain(text);
}

function attribute(attributes: string, name: string): string {
  return plain(new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1] ?? "");
}

function plain(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  return text.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity);
}
