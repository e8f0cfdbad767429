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
};

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
