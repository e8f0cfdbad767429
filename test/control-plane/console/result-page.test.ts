import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CheckType, ResultOf } from "#contract/checks/index.ts";
import { traceIdOfRun } from "#domain/trace-context.ts";
import { checkDetails } from "../../support/check-details.ts";
import { withoutOurScripts } from "../../support/our-scripts.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import type { Browser } from "./browser.ts";
import { evil } from "./key-holder.ts";
import { firstOwner } from "./people.ts";

const shown = "&lt;img src=x onerror=alert(1)&gt;&quot;&#39;";

type Hop = NonNullable<ResultOf<"TRACEROUTE">["response"]>["hops"][number];
function hop(number: number, address: string): Hop {
  const latency = { avg: 0.5, min: 0.4, max: 0.6, stdDev: 0.1 };
  const packets = { packetsSent: 3, packetsReceived: 3, packetLoss: 0 };
  return { hop: number, address, hostname: null, addresses: [address], alternatives: [], ...packets, latency };
}

function silentHop(number: number): Hop {
  const none = { packetsReceived: 0, packetLoss: 100, latency: { avg: null, min: null, max: null, stdDev: null } };
  return { ...hop(number, ""), address: null, addresses: [], ...none };
}

describe("the page of a run", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let agent: FakeAgent;
  beforeEach(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), {
      checkTypes: ["API", "TCP", "DNS", "ICMP", "SSL", "URL", "GRPC", "TRACEROUTE"],
    });
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  const make = async (path: string, body: object): Promise<string> => {
    const made = await plane.call("POST", path, { body });
    expect([made.status < 300, made.text]).toEqual([true, made.text]);
    return made.body.id;
  };
  async function run(checkId: string, changes: object): Promise<string> {
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
    const [job] = await agent.lease(1, 5);
    await agent.report(reportOf(job!, changes));
    return (await plane.call("GET", `/v2/check-results/${checkId}?limit=1`)).body.entries[0].id;
  }
  /** Text without markup, as a person reads it. */
  const read = (text: string): string =>
    withoutOurScripts(text)
      .replaceAll(/<(?:style|title)>[^]*?<\/(?:style|title)>/g, "")
      .replaceAll(/<[^>]+>/g, " ")
      .replaceAll(/\s+/g, " ");

  it("says how late a run began, where it saw another moment than it was due at", async () => {
    const id = await make("/v1/checks/api", apiCheck());
    const results: string[] = [];
    for (const lateMs of [4_000, 12_340]) {
      plane.advance(-60_000);
      await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
      plane.advance(60_000);
      const [job] = await agent.lease(1, 5);
      const dueMs = job!.leasedAt - job!.queuedMs;
      await agent.report(reportOf(job!, { startedAt: dueMs + lateMs, stoppedAt: dueMs + lateMs + 10 }));
      results.push((await plane.call("GET", `/v2/check-results/${id}?limit=1`)).body.entries[0].id);
    }
    const pages = await Promise.all(results.map(async (result) => read((await owner.get(`/checks/${id}/results/${result}`)).text)));
    expect(pages[0]).not.toMatch(/started [\d.]+ s late/);
    expect(pages[1]).toMatch(/started 12\.\d s late/);
  });

  it("leads to the trace of a run whose target was told of it, where the operator said where traces are", async () => {
    await using traced = await controlPlaneUnderTest({ TRACE_URL_TEMPLATE: "https://grafana.example.com/explore?q={traceId}&x=1" });
    const person = await firstOwner(traced);
    const one = await FakeAgent.open(traced.base, await traced.locationKey("eu-west-1"), { checkTypes: ["API"] });
    const checkId = (await traced.call("POST", "/v1/checks/api", { body: apiCheck() })).body.id as string;
    const pageOf = async (sent: (traceId: string) => string) => {
      await traced.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
      const [job] = await one.lease(1, 5);
      const traceId = traceIdOfRun(job!.payload.checkSessionId);
      const { request, ...rest } = checkDetails.API;
      const headers = { ...request.headers, traceparent: sent(traceId) };
      await one.report(reportOf(job!, { detail: { ...rest, request: { ...request, headers } } }));
      const [result] = (await traced.call("GET", `/v2/check-results/${checkId}?limit=1`)).body.entries;
      return { traceId, result, text: (await person.get(`/checks/${checkId}/results/${result.id}`)).text };
    };
    const { traceId, result, text } = await pageOf((id) => `00-${id}-00f067aa0ba902b7-01`);
    expect(result.traceId).toBe(traceId);
    expect(text).toContain(
      `<a href="https://grafana.example.com/explore?q=${traceId}&amp;x=1" rel="noreferrer"><code>${traceId}</code></a>`,
    );
    const other = await pageOf(() => "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    expect(other.result.traceId).toBeNull();
    expect(other.text).not.toContain("grafana.example.com");
  });

  it("tells request and response of HTTP, JSON with a member to a line, and what assertions saw", async () => {
    const id = await make("/v1/checks/api", apiCheck());
    const { request, response, ...rest } = checkDetails.API;
    const detail: ResultOf<"API"> = {
      ...rest,
      request: { ...request, method: "POST", data: '{"q":1}', params: { cart: "42" }, headers: { "x-sent": evil } },
      response: { ...response!, body: `{"total":7,"name":${JSON.stringify(evil)}}`, headers: { "X-Seen": ["a", evil] } },
      assertions: [
        { source: "STATUS_CODE", comparison: "EQUALS", property: "", target: 200 },
        { source: "JSON_BODY", comparison: "GREATER_THAN", property: "$.total", target: "5" },
        { source: "HEADERS", comparison: "NOT_EMPTY", property: "x-seen", target: "" },
        { source: "JSON_BODY", comparison: "EQUALS", property: "$.name", target: "b", error: `got ${evil}`, actual: evil },
      ],
      jobLog: { setup: [{ time: Date.now(), msg: evil, level: "WARN" }], request: [], teardown: [] },
      sandboxLevel: 2,
      requestError: "the target hung up",
    };
    const resultId = await run(id, { detail, hasFailures: true, errorMessage: evil });
    const { text } = await owner.get(`/checks/${id}/results/${resultId}`);
    const words = read(text);
    for (const part of ["cart 42", "yes status code equals 200 200", "JSON body $.total greater than 5 7", "level 2", "the target hung up"])
      expect(words).toContain(part);
    expect(words).toContain(`headers x-seen not empty a, ${shown}`);
    expect(text).toContain("{\n  &quot;total&quot;: 7,\n");
    expect(text).toContain("{&quot;total&quot;:7,");
    expect(words).toMatch(/Time Phase Level Message [\d−.]+ m?s setup WARN/);
    expect(withoutOurScripts(text)).not.toMatch(/<img|<script/);
  });

  const certificate = {
    subject: `CN=${evil}`,
    issuer: "CN=Test CA",
    subjectAlternativeNames: ["shop.example", evil],
    serialNumber: "0A:1B",
    fingerprint256: "AA:BB",
    validFrom: "2026-01-01T00:00:00.000Z",
    validTo: "not a time",
    daysUntilExpiry: 42,
    keyType: "rsa",
    keySizeBits: 2048,
    signatureAlgorithm: "sha256",
    isCa: false,
    selfSigned: false,
  };
  const ssl: ResultOf<"SSL"> = {
    ...checkDetails.SSL,
    response: {
      resolvedIp: "::1",
      port: 443,
      serverName: "shop.example",
      protocol: "TLSv1.3",
      alpn: "h2",
      ocspStapled: true,
      ocspStatus: "good",
      sctCount: 2,
      chainTrustReason: "UNABLE_TO_GET_ISSUER",
      chainTrustDetail: "no issuer",
      intermediateDaysUntilExpiry: 9,
      incompleteChain: true,
      missingIntermediate: "CN=Middle",
      certificate,
      chain: [certificate],
      chainTrusted: false,
      securityBaseline: {
        verdict: "fail",
        grade: "F",
        score: 20,
        findings: [{ rule: "sctPresent", severity: "ignore", passed: true, message: "2 timestamps" }],
      },
      timingPhases: { dns: 1, connection: 2, startTls: 0, handshake: 4.5, total: 7.5 },
    },
  };
  const ofTypes: readonly { type: CheckType; path: string; request: object; detail: ResultOf<CheckType>; told: readonly string[] }[] = [
    {
      type: "TCP",
      path: "/v1/checks/tcp",
      request: { hostname: "127.0.0.1", port: 5432 },
      detail: checkDetails.TCP,
      told: ["127.0.0.1:5432, IPv4", "TLS from the first byte", "quiet", "TLS_AES_128_GCM_SHA256", "1 Jan 2027", "5 bytes", "Total 6 ms"],
    },
    {
      type: "DNS",
      path: "/v1/checks/dns",
      request: { query: "shop.example", recordType: "A" },
      detail: checkDetails.DNS,
      told: ["Answer Type TTL Data shop.example. A 60 s 192.0.2.1", "RD RA", "46 bytes", "up to 1,232 bytes", "NOERROR", "dig output"],
    },
    {
      type: "ICMP",
      path: "/v1/checks/icmp",
      request: { hostname: "127.0.0.1" },
      detail: checkDetails.ICMP,
      told: ["0 %: 1 of 1 received", "Standard deviation 0 ms", "56 bytes", "1 0.05 ms 64 reply"],
    },
    {
      type: "SSL",
      path: "/v1/checks/ssl",
      request: { sslConfig: { hostname: "shop.example", port: 443 } },
      detail: ssl,
      told: [
        "not trusted: no issuer (UNABLE_TO_GET_ISSUER)",
        "CN=Middle",
        "stapled: good",
        "[::1]:443",
        "F (20 of 100)",
        "sctPresent",
        "TLSv1.3",
        "in 9 days",
        "2 signed timestamps",
        "Issued by CN=Test CA",
        `shop.example, ${shown}`,
        "not a time",
        "0A:1B",
        "expired",
        "h2",
      ],
    },
    {
      type: "GRPC",
      path: "/v1/checks/grpc",
      request: { url: "127.0.0.1", port: 50_051, grpcConfig: { service: "shop.Orders", method: "Get" } },
      detail: {
        ...checkDetails.GRPC,
        response: {
          ...checkDetails.GRPC.response!,
          responseMessage: `{"id":"42","note":${JSON.stringify(evil)}}`,
          grpcStatusMessage: evil,
          metadata: [
            { key: "served-by", value: evil, trailer: false },
            { key: "cost", value: "3", trailer: true },
          ],
        },
      },
      told: [
        "127.0.0.1:50051",
        "shop.Orders/Get",
        "NOT_FOUND (5)",
        `Status message ${shown}`,
        "Metadata (2)",
        "cost 3 trailers",
        "&quot;id&quot;: &quot;42&quot;",
        "Service methods (1)",
        "Total 7.5 ms",
      ],
    },
    {
      type: "TRACEROUTE",
      path: "/v1/checks/traceroute",
      request: { url: "shop.example", protocol: "UDP" },
      detail: {
        ...checkDetails.TRACEROUTE,
        destinationReached: false,
        finalHopLatency: null,
        response: {
          ...checkDetails.TRACEROUTE.response!,
          hostname: evil,
          destinationReached: false,
          destinationState: null,
          truncationReason: "max_unknown_hops",
          refusal: { hop: 7, address: null, says: evil },
          finalHopLatency: null,
          packetLoss: 100,
          hops: [
            { ...hop(1, "10.0.0.1"), hostname: evil, alternatives: ["10.0.0.3"] },
            silentHop(2),
            silentHop(3),
            { ...hop(4, "10.0.4.1"), addresses: ["10.0.4.1", "10.0.4.2"], packetsReceived: 2, packetLoss: 33.33 },
            silentHop(5),
          ],
        },
      },
      told: [
        `${shown} (127.0.0.1), IPv4`,
        "Probes TCP SYN to port 443",
        "not reached: too many silent hops",
        `a host on the path, at hop 7: ${shown}`,
        `1 10.0.0.1 ${shown} other paths: 10.0.0.3 0 %, 3 of 3 0.5 ms`,
        "2 to 3 2 hops silent",
        "4 10.0.4.1 also 10.0.4.2 33.33 %, 2 of 3",
        "5 silent",
        "the target was not reached",
      ],
    },
  ];
  it.each(ofTypes)("tells all that a result of $type holds", async ({ path, request, detail, told }) => {
    const id = await make(path, { name: "One", request, frequency: 1440, locations: ["eu-west-1"] });
    const { text, status } = await owner.get(`/checks/${id}/results/${await run(id, { detail })}`);
    expect(status).toBe(200);
    const words = read(text);
    for (const part of told) expect(words).toContain(part);
    expect(withoutOurScripts(text)).not.toMatch(/<img|<script/);
  });

  it("draws a path that was traced to its end, and says where it is another way than before", async () => {
    const id = await make("/v1/checks/traceroute", {
      name: "Way",
      request: { url: "127.0.0.1" },
      frequency: 1440,
      locations: ["eu-west-1"],
    });
    const path = (router: string | null) => {
      const { response, ...rest } = checkDetails.TRACEROUTE;
      const first = router === null ? silentHop(1) : hop(1, router);
      return { detail: { ...rest, response: { ...response!, hops: [first, ...response!.hops.slice(1)] } } };
    };
    const change = async (resultId: string): Promise<unknown> =>
      (await plane.call("GET", `/v1/check-results/${id}/${resultId}`)).body.tracerouteCheckResult.pathChange;
    expect(await change(await run(id, path("10.0.0.1")))).toBeNull();
    expect(await change(await run(id, path(null)))).toBeNull();
    expect(await change(await run(id, { ...path("10.0.0.1"), detail: { ...path(null).detail, response: null } }))).toBeUndefined();
    const changed = await run(id, path("10.0.9.9"));
    expect(await change(changed)).toBeNull(); // the last one with a path is silent there
    const again = await run(id, path("10.0.0.1"));
    expect(await change(again)).toBe("hop 1 is 10.0.0.1 instead of 10.0.9.9");
    const listed = (await plane.call("GET", `/v2/check-results/${id}?limit=1`)).body.entries[0];
    expect(listed.tracerouteCheckResult).not.toHaveProperty("pathChange");
    const { text } = await owner.get(`/checks/${id}/results/${again}`);
    const words = read(text);
    expect(words).toContain("Path changed since the previous run hop 1 is 10.0.0.1 instead of 10.0.9.9");
    expect(words).toContain("reached after 2 hops: open");
    expect(words).toContain("2 127.0.0.1 target 0 %, 3 of 3 8 ms 7 ms to 9 ms");
    expect(text.match(/<svg class="(?:router|target)"/g)).toEqual(['<svg class="router"', '<svg class="target"']);
  });

  it("shows the path that an agent traced, and gives its capture", async () => {
    const id = await make("/v1/checks/api", apiCheck());
    const trace = `traceroute to 192.0.2.9, TCP SYN to port 443, 30 hops at most\n 1  10.0.0.1  0.400 ms\n 2-30  *\n\nsilence after hop 1 (${evil})\n`;
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    const evidence = [
      { name: "traceroute.txt", type: "log", contentType: "text/plain; charset=utf-8", data: base64(trace) },
      { name: "tls.txt", type: "log", contentType: "text/plain; charset=utf-8", data: base64(evil) },
      { name: "capture.pcap", type: "pcap", contentType: "application/vnd.tcpdump.pcap", data: base64("pcap") },
    ];
    const resultId = await run(id, { hasFailures: true, hasErrors: true, errorMessage: "ETIMEDOUT", evidence });
    const { text } = await owner.get(`/checks/${id}/results/${resultId}`);
    expect(read(text)).toContain("1 10.0.0.1 0.4 ms 2-30 – – no answer");
    expect(read(text)).toContain(`silence after hop 1 (${shown})`);
    expect(text).toContain(`href="/checks/${id}/results/${resultId}/files/capture.pcap" download`);
    expect(withoutOurScripts(text)).not.toMatch(/<img|<script/);
  });

  it("leads to the runs before and after at the same location, and tells what is usual there", async () => {
    const id = await make("/v1/checks/api", apiCheck());
    const first = await run(id, { responseTimeMs: 100 });
    const second = await run(id, { responseTimeMs: 230 });
    const third = await run(id, { responseTimeMs: 100 });
    const links = async (resultId: string) => {
      const { text } = await owner.get(`/checks/${id}/results/${resultId}`);
      return { text, to: [...text.matchAll(/results\/([^"]+)" rel="(prev|next)"/g)].map(([, to, rel]) => [rel, to]) };
    };
    expect((await links(first)).to).toEqual([["next", second]]);
    const middle = await links(second);
    expect(middle.to).toEqual([
      ["prev", first],
      ["next", third],
    ]);
    expect(middle.text).toContain("2.3 × as long as usual (7-day median: 100 ms)");
    expect((await links(third)).to).toEqual([["prev", second]]);
  });
});
