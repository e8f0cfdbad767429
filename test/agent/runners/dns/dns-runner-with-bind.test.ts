import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTrust } from "../../../../src/agent/net/tls.ts";
import { createDnsRunner } from "../../../../src/agent/runners/dns/dns-runner.ts";
import type { DnsRecordType, DnsRequest } from "../../../../src/contract/checks/dns.ts";
import { type Bind, noBind, startBind } from "../../../support/bind.ts";
import { fixedResolver, runContext } from "../../../support/run-context.ts";
import { dnsSettings } from "./dns-check.ts";

const reason = noBind ?? (existsSync("/usr/bin/dig") ? null : "/usr/bin/dig is not installed");
if (reason !== null) process.stdout.write(`DNS tests against BIND are skipped: ${reason}\n`);
const execute = promisify(execFile);

describe.skipIf(reason !== null)("a DNS monitor of a real BIND", () => {
  let bind: Bind;
  beforeAll(async () => {
    bind = await startBind();
  });
  afterAll(() => bind[Symbol.asyncDispose]());

  const run = (request: Partial<DnsRequest>, context = runContext()) => {
    const trust = createTrust([bind.certificates.ca]);
    return createDnsRunner(() => trust).run(dnsSettings({ nameServer: "127.0.0.1", port: bind.port, ...request }), context);
  };
  const dig = async (...args: string[]): Promise<string> => {
    const common = ["@127.0.0.1", "-p", String(bind.port), "+noall", "+answer", "+noidnout"];
    return (await execute("dig", [...common, ...args])).stdout.trimEnd();
  };
  /** BIND turns the records of a set around with each answer. */
  const sorted = (text: string): string[] => text.split("\n").toSorted();

  it.each<[string, DnsRecordType]>([
    ["www.example.test", "A"],
    ["www.example.test", "AAAA"],
    ["mapped.example.test", "AAAA"],
    ["zeros.example.test", "AAAA"],
    ["alias.example.test", "CNAME"],
    ["chain1.example.test", "A"],
    ["loop1.example.test", "A"],
    ["away.example.test", "A"],
    ["example.test", "MX"],
    ["example.test", "TXT"],
    ["example.test", "SOA"],
    ["example.test", "NS"],
    ["example.test", "HTTPS"],
    ["example.test", "CAA"],
    ["_sip._tcp.example.test", "SRV"],
    ["_443._tcp.example.test", "TLSA"],
    ["naptr.example.test", "NAPTR"],
    ["7.1.168.192.in-addr.arpa", "PTR"],
    ["odd\\.dot\\ space\\(x\\).example.test", "A"],
    ["a-very-long-label-that-goes-beyond-the-first-column.example.test", "A"],
    ["two-hundred.example.test", "A"],
    ["huge.example.test", "TXT"],
    ["nothing.example.test", "A"],
  ])("tells %s %s as dig does", async (query, recordType) => {
    const seen = await run({ query, recordType });
    expect(seen.failure).toBeNull();
    expect(sorted(seen.facts.text())).toEqual(sorted(await dig(query, recordType)));
  });

  it("gives the JSON answer, the flags and the sections", async () => {
    const { facts, result, metrics, responseTimeMs } = await run({ query: "alias.example.test" });
    expect(facts.json?.()).toMatchObject({
      Status: 0,
      TC: false,
      RD: true,
      RA: false,
      AA: true,
      Question: [{ name: "alias.example.test.", type: "A" }],
      Answer: [{ name: "alias.example.test.", type: "CNAME", TTL: 300, data: "www.example.test." }, { type: "A" }, { type: "A" }],
    });
    expect(facts.responseCode).toBe("NOERROR");
    expect(metrics).toEqual({ total: responseTimeMs });
    expect(result.response).toMatchObject({
      server: `127.0.0.1:${bind.port}`,
      protocolUsed: "UDP",
      edns: { version: 0, udpPayloadSize: 1232 },
      tried: [],
      timingPhases: { connection: 0, query: responseTimeMs, total: responseTimeMs },
    });
  });

  it("tells a name that does not exist by its code, with the SOA of its zone", async () => {
    const { failure, facts, result } = await run({ query: "no.example.test" });
    expect({ failure, code: facts.responseCode, text: facts.text() }).toEqual({ failure: null, code: "NXDOMAIN", text: "" });
    expect(result.response?.answer).toMatchObject({
      Status: 3,
      Authority: [{ type: "SOA", data: "ns1.example.test. host\\.master.example.test. 2024010101 3600 900 604800 60" }],
    });
  });

  it.skipIf(process.platform !== "linux")("measures by the kernel's clock what a busy event loop reads late", async () => {
    await run({});
    const busyMs = 150; // the server's own time is none of it, however busy the machine is
    const monotonicMs = (): number => {
      // Each look at the clock, the one at the sending included, is followed by a loop that does not read.
      queueMicrotask(() => {
        for (const endMs = performance.now() + busyMs; performance.now() < endMs; );
      });
      return performance.now();
    };
    const { responseTimeMs } = await run({}, runContext({ monotonicMs }));
    expect(responseTimeMs).toBeLessThan(busyMs / 2);
  });

  it("tells that the server does not answer for other zones", async () => {
    expect((await run({ query: "other.example" })).facts.responseCode).toBe("REFUSED");
  });

  it("turns an address into the name that its owner is asked for", async () => {
    const { facts, result } = await run({ query: "192.168.1.7", recordType: "PTR" });
    expect(facts.text()).toBe(await dig("-x", "192.168.1.7"));
    expect(result.request.query).toBe("192.168.1.7");
  });

  it("goes over to TCP for 64 KB, and says so", async () => {
    const { result } = await run({ query: "huge.example.test", recordType: "TXT" });
    expect(result.response).toMatchObject({ protocolUsed: "UDP>TCP" });
    expect(result.response?.bytes).toBeGreaterThan(60_000);
    expect(result.response?.answer.Answer).toHaveLength(240);
  });

  it("asks over IPv6", async () => {
    expect((await run({ nameServer: "[::1]" })).result.response).toMatchObject({ server: `[::1]:${bind.port}`, responseCode: "NOERROR" });
  });

  it.each([
    ["TCP", "port"],
    ["DOT", "tlsPort"],
    ["DOH", "httpsPort"],
  ] as const)("asks over %s, with the connection as a phase of its own", async (protocol, port) => {
    const { result, failure, responseTimeMs } = await run({ protocol, port: bind[port] });
    expect(failure).toBeNull();
    expect(result.response).toMatchObject({ protocolUsed: protocol, responseCode: "NOERROR", edns: { version: 0 } });
    const { connection, query, total } = result.response?.timingPhases ?? { connection: 0, query: 0, total: 0 };
    expect(connection).toBeGreaterThan(0);
    expect(connection + query).toBeCloseTo(total, 2);
    expect(total).toBe(responseTimeMs);
  });

  it("takes a whole URL for DNS over HTTPS, and says where its path is wrong", async () => {
    const url = `https://localhost:${bind.httpsPort}`;
    const resolver = fixedResolver({ localhost: ["127.0.0.1"] });
    const good = await run({ protocol: "DOH", nameServer: `${url}/dns-query{?dns}`, port: undefined }, runContext({ resolver }));
    expect(good.result.response?.responseCode).toBe("NOERROR");
    const bad = await run({ protocol: "DOH", nameServer: `${url}/elsewhere`, port: undefined }, runContext({ resolver }));
    expect(bad.failure).toMatchObject({ code: "EDNSHTTP", side: "target", message: expect.stringContaining("404") });
  });

  it.each(["DOT", "DOH"] as const)("does not ask over %s a server whose certificate is not trusted, unless told so", async (protocol) => {
    const runner = createDnsRunner(() => createTrust([]));
    const request = { protocol, nameServer: "127.0.0.1", port: protocol === "DOT" ? bind.tlsPort : bind.httpsPort };
    const distrusted = await runner.run(dnsSettings(request), runContext());
    expect(distrusted.failure).toMatchObject({ code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE", side: "target" });
    const told = await runner.run(dnsSettings({ ...request, skipSSL: true }), runContext());
    expect(told.result.response?.responseCode).toBe("NOERROR");
  });
});
