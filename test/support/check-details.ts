import type { CheckType, ResultOf } from "#contract/checks/index.ts";

/** What an attempt of each check type may have seen, as agents report it. */
export const checkDetails: { readonly [T in CheckType]: ResultOf<T> } = {
  API: httpDetail(),
  URL: httpDetail(),
  TCP: {
    request: { hostname: "127.0.0.1", port: 5432, ipFamily: "IPv4", data: "x", tls: true, startTls: null, expect: null },
    response: {
      data: "hello",
      truncated: false,
      bytesReceived: 5,
      endedBy: "quiet",
      timingPhases: { dns: 1, connection: 2, data: 3, total: 6 },
    },
    connection: {
      remoteAddress: "127.0.0.1",
      remotePort: 5432,
      ipFamily: "IPv4",
      tls: {
        protocol: "TLSv1.3",
        cipher: "TLS_AES_128_GCM_SHA256",
        authorized: true,
        trustError: null,
        validTo: "2027-01-01T00:00:00.000Z",
        daysRemaining: 42,
      },
    },
    assertions: [{ source: "RESPONSE_DATA", comparison: "CONTAINS", property: "", target: "ello" }],
    requestError: null,
    pcapDataUrl: null,
  },
  DNS: {
    request: { query: "shop.example", recordType: "A", nameServer: null, port: null, protocol: "UDP" },
    response: {
      responseCode: "NOERROR",
      answer: {
        Status: 0,
        TC: false,
        RD: true,
        RA: true,
        AD: false,
        CD: false,
        AA: false,
        Question: [{ name: "shop.example.", type: "A" }],
        Answer: [{ name: "shop.example.", type: "A", TTL: 60, data: "192.0.2.1" }],
        Authority: [],
        Additional: [],
      },
      text: "shop.example. 60 IN A 192.0.2.1",
      server: "127.0.0.1:53",
      protocolUsed: "UDP",
      bytes: 46,
      edns: { version: 0, udpPayloadSize: 1232, do: false, options: [] },
      tried: [],
      timingPhases: { connection: 0, query: 1.5, total: 1.5 },
    },
    assertions: [],
    requestError: null,
  },
  ICMP: {
    request: { hostname: "127.0.0.1", ipFamily: "IPv4", pingCount: 1 },
    response: {
      hostname: "127.0.0.1",
      resolvedIp: "127.0.0.1",
      ipFamily: "IPv4",
      pingCount: 1,
      packetsSent: 1,
      packetsReceived: 1,
      packetSize: 56,
      packetLoss: 0,
      dnsResolutionTime: 0,
      latency: { avg: 0.05, min: 0.05, max: 0.05, stdDev: 0 },
      pingResults: [{ sequence: 1, type: 0, code: 0, success: true, rtt: 0.05, ttl: 64 }],
    },
    assertions: [],
    requestError: null,
  },
  SSL: {
    tlsVersion: "TLSv1.3",
    cipherSuite: "TLS_AES_128_GCM_SHA256",
    daysUntilExpiry: -3,
    handshakeTimeMs: 4.5,
    chainTrusted: false,
    hostnameVerified: true,
    baselineVerdict: "fail",
    baselineGrade: "F",
    failureCategory: "expired",
    requestError: null,
    request: { sslConfig: { hostname: "shop.example" } },
    assertions: null,
    response: null,
  },
  GRPC: grpcDetail(),
  TRACEROUTE: pathDetail(),
  MULTI_STEP: scriptDetail(),
  BROWSER: browserDetail(),
  PLAYWRIGHT: suiteDetail(),
  AGENTIC: promptDetail(),
};

/** Metrics that go with `checkDetails`, by the names of the table. */
export const checkMetrics: { readonly [T in CheckType]: Readonly<Record<string, number | null>> } = {
  API: { wait: 0.1, dns: 1, tcp: 1, tls: 0, firstByte: 10, download: 0.4 },
  URL: { wait: 0.1, dns: 1, tcp: 1, tls: 0, firstByte: 10, download: 0.4 },
  TCP: { dns: 1, connection: 2, data: 3, total: 6 },
  DNS: { total: 1.5 },
  ICMP: { packetLoss: 0, latencyMin: 0.05, latencyMax: 0.05, latencyAvg: 0.05, latencyStdDev: 0 },
  SSL: { handshakeTimeMs: 4.5, daysUntilExpiry: -3, tlsVersion: 1.3, keySizeBits: 2048, baselineScore: 20, trustBits: 2 },
  GRPC: { dns: 1, tcp: 1, tls: 0, reflection: 2, firstByte: 3, download: 0.5 },
  TRACEROUTE: { hopCount: 2, packetLoss: 0, latencyMin: 7, latencyMax: 9, latencyAvg: 8, latencyStdDev: 0.8 },
  MULTI_STEP: {},
  BROWSER: { TTFB: 120, FCP: 900, LCP: 4_200, CLS: 0.02, TBT: 250, consoleErrors: 1 },
  PLAYWRIGHT: {},
  AGENTIC: {},
};

/** Of a project: the same, with what was done before. */
function promptDetail(): ResultOf<"AGENTIC"> {
  const at = "2026-11-22T10:00:00.000Z";
  return {
    summary: "The shop greets Ann.",
    prompt: "Open https://shop.example/ and look for a greeting.",
    assertions: [{ condition: "a greeting is shown", passed: true, expected: "Hello, Ann", actual: "Hello, Ann" }],
    suggestions: [{ summary: "Name the page to begin at.", category: "configuration", promptReplacement: "Open https://shop.example/in." }],
    steps: [
      { type: "tool_call", name: "browser_open", input: { url: "https://shop.example/" }, output: "", timestamp: at, sequenceNumber: 0 },
      { type: "tool_result", name: "browser_open", input: {}, output: "status 200\nHello, Ann", timestamp: at, sequenceNumber: 1 },
    ],
    errors: [],
    artifactManifest: null,
    jobLog: [{ time: Date.parse(at), level: "INFO", msg: "turn 1: browser_open" }],
    jobAssets: [],
    mode: "model",
    startTime: Date.parse(at),
    endTime: Date.parse(at) + 1_500,
    runtimeVersion: "2026.04",
    browserVersion: "chromium/156.0.8078.79",
    sandboxLevel: 2,
    scriptEgress: "kernel",
    playwrightTestTraces: [],
  };
}

function suiteDetail(): ResultOf<"PLAYWRIGHT"> {
  const { type: _type, ...seen } = browserDetail();
  const around = { packageManager: "npm", cachedPackages: true, preparationMs: { bundle: 40, packages: 120 } };
  return { ...seen, ...around, playwrightTraceFiles: [] };
}

/** A run whose second step failed. */
function scriptDetail(): ResultOf<"MULTI_STEP"> {
  const location = { file: "check.spec.ts", line: 4, column: 3 };
  const timings = { dns: 1, connect: 2, tls: 3, firstByte: 20, download: 1 };
  const request = { method: "GET", durationMs: 27, timings, type: "api", fromCache: false, error: null, page: null };
  const message = "Error: expect(received).toBe(expected)\n\nExpected: 200\nReceived: 503";
  return {
    startTime: 1_777_593_600_000,
    endTime: 1_777_593_601_000,
    runtimeVersion: "2026.04",
    playwrightVersion: "1.58.2",
    errors: [
      {
        message,
        stack: "at check.spec.ts:4:3",
        location,
        snippet: "> 4 |   expect(order.status()).toBe(200);",
        title: "the shop takes an order",
        project: null,
        retry: 0,
        isSoft: false,
        screenshot: null,
      },
    ],
    jobLog: [{ time: 1_777_593_600_100, level: "INFO", msg: "order 42" }],
    jobAssets: [],
    playwrightTestVideos: [],
    playwrightTestTraces: [],
    tests: [
      {
        title: "the shop takes an order",
        project: null,
        file: "check.spec.ts",
        line: 3,
        status: "failed",
        retries: 0,
        startMs: 0,
        durationMs: 1_000,
        annotations: [],
      },
    ],
    steps: [
      { title: "sign in", category: "test.step", test: 0, depth: 0, startMs: 10, durationMs: 400, error: null, location },
      { title: "order a book", category: "test.step", test: 0, depth: 0, startMs: 420, durationMs: 500, error: message, location },
    ],
    requests: [
      { ...request, url: "https://shop.example/api/login", status: 200, startMs: 20, bytes: 64, step: 0 },
      { ...request, url: "https://shop.example/api/orders", status: 503, startMs: 430, bytes: 12, step: 1 },
    ],
    sandboxLevel: 2,
    scriptEgress: "kernel",
  };
}

function browserDetail(): ResultOf<"BROWSER"> {
  return {
    ...scriptDetail(),
    type: "PLAYWRIGHT_TEST",
    browserVersion: "chromium/156.0.8078.79",
    pages: [
      {
        url: "https://shop.example/",
        index: 0,
        webVitals: {
          CLS: { value: 0.02, score: "GOOD" },
          FCP: { value: 900, score: "GOOD" },
          LCP: { value: 4_200, score: "POOR" },
          TBT: { value: 250, score: "NEEDS_IMPROVEMENT" },
          TTFB: { value: 120, score: "GOOD" },
        },
      },
    ],
    traceSummary: { consoleErrors: 1, networkErrors: 1, documentErrors: 0, userScriptErrors: 0 },
    console: [{ atMs: 450, level: "error", text: "order failed", url: "https://shop.example/app.js", line: 12, page: 0 }],
  };
}

function pathDetail(): ResultOf<"TRACEROUTE"> {
  const near = { avg: 0.5, min: 0.4, max: 0.6, stdDev: 0.1 };
  const finalHopLatency = { avg: 8, min: 7, max: 9, stdDev: 0.8 };
  const all = { hostname: null, alternatives: [], packetsSent: 3, packetsReceived: 3, packetLoss: 0 };
  return {
    totalHops: 2,
    destinationReached: true,
    finalHopLatency,
    timingPhases: { dns: 1, trace: 40, names: 0, total: 41 },
    request: {
      url: "127.0.0.1",
      protocol: "TCP",
      port: 443,
      ipFamily: "IPv4",
      maxHops: 30,
      maxUnknownHops: 15,
      ptrLookup: false,
      timeout: 10,
    },
    response: {
      hostname: "127.0.0.1",
      resolvedIp: "127.0.0.1",
      ipFamily: "IPv4",
      port: 443,
      protocol: "TCP",
      probeProtocol: "TCP SYN",
      totalHops: 2,
      destinationReached: true,
      destinationState: "open",
      refusal: null,
      packetLoss: 0,
      finalHopLatency,
      hops: [
        { hop: 1, ...all, address: "10.0.0.1", addresses: ["10.0.0.1"], latency: near },
        { hop: 2, ...all, address: "127.0.0.1", addresses: ["127.0.0.1"], latency: finalHopLatency },
      ],
    },
    assertions: null,
    requestError: null,
  };
}

function grpcDetail(): ResultOf<"GRPC"> {
  const timingPhases = { dns: 1, tcp: 1, tls: 0, reflection: 2, firstByte: 3, download: 0.5, total: 7.5 };
  return {
    grpcStatusCode: 5,
    healthStatus: null,
    timingPhases,
    request: {
      url: "127.0.0.1",
      port: 50_051,
      ipFamily: null,
      tls: false,
      mode: "BEHAVIOR",
      service: "shop.Orders",
      method: "Get",
      message: '{"id":"42"}',
      metadata: ["tenant"],
    },
    response: {
      grpcMode: "BEHAVIOR",
      host: "127.0.0.1",
      resolvedIp: "127.0.0.1",
      port: 50_051,
      grpcMethod: "shop.Orders/Get",
      responseMessage: "",
      truncated: false,
      messageBytes: 0,
      grpcStatusCode: 5,
      grpcStatusName: "NOT_FOUND",
      grpcStatusMessage: "no order 42",
      healthStatus: null,
      healthStatusLabel: "",
      metadata: [{ key: "served-by", value: "orders-1", trailer: false }],
      discoveredMethods: ["shop.Orders/Get"],
      timingPhases,
    },
    connection: { remoteAddress: "127.0.0.1", remotePort: 50_051, ipFamily: "IPv4", tls: null },
    assertions: [],
    requestError: null,
  };
}

function httpDetail(): ResultOf<"API"> {
  return {
    assertions: [],
    request: { method: "GET", url: "http://127.0.0.1/", data: "", headers: {}, params: {} },
    response: {
      status: 200,
      statusText: "OK",
      body: "hello",
      truncated: false,
      bodyBytes: 5,
      headers: { "content-type": "text/plain" },
      timings: { socket: 0.1, lookup: 1.1, connect: 2.1, secureConnect: null, response: 12.1, end: 12.5 },
      timingPhases: { wait: 0.1, dns: 1, tcp: 1, tls: 0, firstByte: 10, download: 0.4, total: 12.5 },
    },
    connection: null,
    redirects: [],
    requestError: null,
    jobLog: null,
    jobAssets: null,
    pcapDataUrl: null,
  };
}
