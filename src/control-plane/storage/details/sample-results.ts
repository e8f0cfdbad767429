import type { ApiCheckResult } from "#contract/checks/api.ts";

/*
 * Text that results of our check types look like. It only shapes a compression dictionary: changing it adds a new dictionary, and
 * results stored before keep the one they were packed with.
 */

const statusTexts: readonly (readonly [number, string])[] = [
  [404, "Not Found"],
  [500, "Internal Server Error"],
  [503, "Service Unavailable"],
  [302, "Found"],
  [201, "Created"],
  [200, "OK"],
];

const requestErrors = [
  "ENOTFOUND: the name api.example.com does not exist",
  "ETIMEDOUT: no answer within 30000 ms",
  "ECONNREFUSED: 192.0.2.1:443 refused the connection",
  "ECONNRESET: the connection was reset",
  "CERT_HAS_EXPIRED: the certificate has expired",
  "AGENT_LOST",
];

/** The likeliest shapes last, 4 KiB of them: twice as much saved no byte and cost a sixth more time to pack with. */
export function sampleText(): string {
  const failed = requestErrors.map((requestError) => ({ ...apiResult(0, ""), response: null, connection: null, requestError }));
  const answered = statusTexts.map(([status, text]) => apiResult(status, text));
  return [...failed, ...answered]
    .map((detail) => JSON.stringify({ errorMessage: null, detail }))
    .join("\n")
    .slice(-4_096);
}

function apiResult(status: number, statusText: string): ApiCheckResult {
  return {
    assertions: assertions(status),
    request: {
      method: "GET",
      url: "https://api.example.com/v1/",
      data: "",
      headers: {
        "user-agent": "Outpost/0.1.0",
        accept: "*/*",
        "accept-encoding": "gzip, deflate, br, zstd",
        "content-type": "application/json",
      },
      params: {},
    },
    response: response(status, statusText),
    connection: {
      remoteAddress: "192.0.2.1",
      remotePort: 443,
      ipFamily: "IPv4",
      tls: {
        protocol: "TLSv1.3",
        cipher: "TLS_AES_256_GCM_SHA384",
        authorized: true,
        trustError: null,
        validTo: "2026-01-01T00:00:00.000Z",
        daysRemaining: 60,
      },
    },
    redirects: [],
    requestError: null,
    jobLog: {
      setup: [],
      request: [{ time: 1_767_225_600_000, msg: "Sending GET request to https://api.example.com", level: "DEBUG" }],
      teardown: [],
    },
    jobAssets: null,
    pcapDataUrl: null,
  };
}

function assertions(status: number): ApiCheckResult["assertions"] {
  return [
    {
      source: "JSON_BODY",
      comparison: "EQUALS",
      property: "$.status",
      target: "ok",
      regex: null,
      error: "expected ok",
      actual: "failed",
    },
    { source: "HEADERS", comparison: "CONTAINS", property: "content-type", target: "application/json", regex: "" },
    { source: "TEXT_BODY", comparison: "NOT_EMPTY", property: "", target: "", regex: "" },
    { source: "RESPONSE_TIME", comparison: "LESS_THAN", property: "", target: 3000, regex: "" },
    { source: "STATUS_CODE", comparison: "EQUALS", property: "", target: status, regex: "" },
  ];
}

function response(status: number, statusText: string): ApiCheckResult["response"] {
  return {
    status,
    statusText,
    body: '{"status":"ok","items":[{"id":1,"name":"","active":true,"price":0,"createdAt":"2026-01-01T00:00:00.000Z"}],"error":null,"message":""}',
    truncated: false,
    bodyBytes: 812,
    headers: {
      date: "Thu, 01 Jan 2026 00:00:00 GMT",
      "content-type": "application/json; charset=utf-8",
      "transfer-encoding": "chunked",
      connection: "keep-alive",
      "cache-control": "no-store, no-cache, max-age=0, must-revalidate",
      vary: "Accept-Encoding, Origin",
      etag: 'W/"',
      "x-request-id": "",
      server: "nginx",
      "strict-transport-security": "max-age=31536000; includeSubDomains; preload",
      "x-content-type-options": "nosniff",
      "x-frame-options": "SAMEORIGIN",
      "access-control-allow-origin": "*",
      "content-encoding": "gzip",
      "content-length": "812",
      "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT",
    },
    timings: { socket: 0.1, lookup: 1.2, connect: 12.3, secureConnect: 34.5, response: 56.7, end: 78.9 },
    timingPhases: { wait: 0.1, dns: 1.1, tcp: 11.1, tls: 22.2, firstByte: 22.2, download: 22.2, total: 78.9 },
  };
}
