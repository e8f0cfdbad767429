import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { icmpAbility } from "../../src/agent/net/icmp/icmp-ability.ts";
import type { CheckResult } from "../../src/contract/check-results.ts";
import { type DnsServer, dnsServer } from "../support/dns-server.ts";
import { freePort } from "../support/free-ports.ts";
import { type RawServer, rawServer } from "../support/http-servers/raw-server.ts";
import { type Nginx, noNginx, startNginx } from "../support/nginx.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { Site } from "../support/site.ts";

const noPings: string | null = icmpAbility().path === "none" ? "this user may not ping" : null;
for (const reason of [noNginx, noPings]) if (reason !== null) process.stdout.write(`checks of some types are skipped: ${reason}\n`);

interface Manifest {
  readonly assets: { readonly type: string; readonly name: string; readonly url: string }[];
}

describe.skipIf(noNginx !== null)("checks of every light type, from REST to their results", () => {
  let site: Site;
  let nginx: Nginx;
  let names: DnsServer;
  let echo: RawServer;

  beforeAll(async () => {
    nginx = await startNginx();
    names = await dnsServer((name) => (name === "www.example.test" ? { addresses: ["192.0.2.80"] } : { rcode: "NXDOMAIN" }));
    echo = await rawServer((socket) => void socket.on("data", (data) => socket.end(`you said ${String(data)}`)));
    site = await Site.start();
    await site.agent(await site.location("here")).ready();
  });

  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await echo[Symbol.asyncDispose]();
    await names[Symbol.asyncDispose]();
    await nginx[Symbol.asyncDispose]();
  });

  /** Creates, triggers, waits. @returns the FINAL result and the session's status */
  async function run(type: string, request: object, settings: object = {}): Promise<{ status: string; result: CheckResult }> {
    const body = { name: type, privateLocations: ["here"], frequency: 1440, retryStrategy: null, request, ...settings };
    const { id } = await site.api<{ id: string }>("POST", `/v1/checks/${type}`, body);
    const [session] = await site.trigger(id);
    if (session === undefined) throw new Error("nothing was triggered");
    const { status } = await site.ended(session);
    await expectNothingLost(site, { sessions: [session] });
    const [result] = await site.results(id, "FINAL");
    if (result === undefined) throw new Error("there is no result");
    return { status, result };
  }

  it("a URL monitor passes, and fills apiCheckResult", async () => {
    const assertions = [{ source: "STATUS_CODE", comparison: "EQUALS", target: "418" }];
    const { status, result } = await run("url", { url: `http://127.0.0.1:${nginx.httpPort}/teapot`, assertions });
    expect(status).toBe("PASSED");
    expect(result.apiCheckResult?.response?.status).toBe(418);
  });

  it("a TCP check sends, reads and asserts on what came", async () => {
    const assertions = [{ source: "RESPONSE_DATA", comparison: "CONTAINS", target: "you said hello" }];
    const { status, result } = await run("tcp", { url: "127.0.0.1", port: echo.port, data: "hello", assertions });
    expect(status).toBe("PASSED");
    expect(result.tcpCheckResult?.response).toMatchObject({ data: "you said hello", endedBy: "close" });
    const { total = 0, ...phases } = result.tcpCheckResult?.response?.timingPhases ?? {};
    expect(Object.values(phases).reduce((sum, phase) => sum + phase, 0)).toBeCloseTo(total, 1);
  });

  it("a TCP check of a closed port fails, with evidence; with shouldFail it passes", async () => {
    const port = await freePort();
    const { status, result } = await run("tcp", { hostname: "127.0.0.1", port });
    expect(status).toBe("FAILED");
    expect(result.tcpCheckResult?.requestError).toMatch(/^ECONNREFUSED/);
    const manifest = await site.api<Manifest>("GET", `/v1/check-results/${result.checkId}/${result.id}/assets`);
    expect(manifest.assets.map(({ name }) => name)).toContain("traceroute.txt");
    const pcap = manifest.assets.find(({ type }) => type === "pcap");
    expect(result.tcpCheckResult?.pcapDataUrl ?? null).toBe(pcap?.url ?? null);
    expect((await run("tcp", { hostname: "127.0.0.1", port }, { shouldFail: true })).status).toBe("PASSED");
  });

  it("a DNS monitor asks the given server, and NXDOMAIN fails it unless it is wanted", async () => {
    const [nameServer = "", port = ""] = names.address.split(":");
    const question = { query: "www.example.test", recordType: "A", nameServer, port: Number(port) };
    const { status, result } = await run("dns", question);
    expect(status).toBe("PASSED");
    expect(result.dnsCheckResult?.response?.answer.Answer).toMatchObject([{ name: "www.example.test.", type: "A", data: "192.0.2.80" }]);
    const missing = { ...question, query: "none.example.test" };
    expect((await run("dns", missing)).status).toBe("FAILED");
    const assertions = [{ source: "RESPONSE_CODE", comparison: "EQUALS", target: "NXDOMAIN" }];
    expect((await run("dns", { ...missing, assertions })).status).toBe("PASSED");
  });

  it.skipIf(noPings !== null)("an ICMP monitor tells every ping", async () => {
    const assertions = [{ source: "LATENCY", property: "avg", comparison: "LESS_THAN", target: "1000" }];
    const { status, result } = await run("icmp", { hostname: "127.0.0.1", pingCount: 3, assertions });
    expect(status).toBe("PASSED");
    expect(result.icmpCheckResult?.response).toMatchObject({ packetsSent: 3, packetsReceived: 3, packetLoss: 0 });
    expect(result.responseTime).toBe(Math.round(result.icmpCheckResult?.response?.latency.avg ?? -1));
  });

  it("an SSL monitor fails on an untrusted chain, unless that is not asked for", async () => {
    const sslConfig = { hostname: "localhost", port: nginx.tlsPorts.selfSigned };
    const { status, result } = await run("ssl", { sslConfig });
    expect(status).toBe("FAILED");
    expect(result.sslCheckResult).toMatchObject({ chainTrusted: false, failureCategory: "chain" });
    expect(result.sslCheckResult?.response?.certificate?.daysUntilExpiry).toBeGreaterThan(0);
    const relaxed = { ...sslConfig, skipChainValidation: true, alertDaysBeforeExpiry: 1, securityBaseline: { enabled: false } };
    expect((await run("ssl", { sslConfig: relaxed })).status).toBe("PASSED");
  });
});
