import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { dnsTranscript } from "../../../../src/agent/net/dns/transcript.ts";
import { addressRecord, answerTo, dnsServer } from "../../../support/dns-server.ts";
import { freePort } from "../../../support/free-ports.ts";

const folder = mkdtempSync(join(tmpdir(), "transcript-"));
afterAll(() => rmSync(folder, { recursive: true }));
const { signal } = new AbortController();
const hostsPath = join(folder, "hosts");
const resolvConfPath = join(folder, "resolv.conf");
writeFileSync(hostsPath, "10.1.2.3 api\n");
writeFileSync(resolvConfPath, "search prod.svc\noptions ndots:5\n");

describe("a transcript of name resolution", () => {
  it("tells line by line what each server said", async () => {
    await using good = await dnsServer((name) => (name === "api" ? { addresses: ["10.0.0.1", "10.0.0.2"] } : { rcode: "NXDOMAIN" }));
    await using bad = await dnsServer(() => ({ rcode: "SERVFAIL" }));
    const gone = await freePort();
    const text = await dnsTranscript("api", 4, signal, {
      servers: [good.address, bad.address, `127.0.0.1:${gone}`],
      hostsPath,
      resolvConfPath,
    });
    expect(text.replace(/Query time: \d+\.\d\d msec/g, "Query time: 0 msec").split("\n")).toEqual([
      `; name servers: ${good.address}, ${bad.address}, 127.0.0.1:${gone}; search: prod.svc; ndots: 5`,
      "; hosts file: 10.1.2.3 api",
      "",
      `; <<>> api.prod.svc A @${good.address}`,
      ";; status: NXDOMAIN; flags: qr rd ra; ANSWER: 0, AUTHORITY: 0",
      ";; Query time: 0 msec; UDP; MSG SIZE rcvd: 30",
      "",
      `; <<>> api A @${good.address}`,
      ";; status: NOERROR; flags: qr rd ra; ANSWER: 2, AUTHORITY: 0",
      ";; ANSWER SECTION:",
      "api.\t\t\t60\tIN\tA\t10.0.0.1",
      "api.\t\t\t60\tIN\tA\t10.0.0.2",
      ";; Query time: 0 msec; UDP; MSG SIZE rcvd: 53",
      ...["api.prod.svc", "api"].flatMap((name) => [
        "",
        `; <<>> ${name} A @${bad.address}`,
        ";; status: SERVFAIL; flags: qr rd ra; ANSWER: 0, AUTHORITY: 0",
        `;; Query time: 0 msec; UDP; MSG SIZE rcvd: ${name.length + 18}`,
      ]),
      ...["api.prod.svc", "api"].flatMap((name) => [
        "",
        `; <<>> ${name} A @127.0.0.1:${gone}`,
        `;; ECONNREFUSED: 127.0.0.1:${gone} refused the question: nothing listens there over UDP`,
      ]),
      "",
    ]);
  });

  it("ends within 3 s and says so where nobody answers", async () => {
    await using silent = await dnsServer(() => "silence");
    const startedMs = performance.now();
    const text = await dnsTranscript("www.example.test", 6, signal, { servers: [silent.address], hostsPath, resolvConfPath: hostsPath });
    expect(text).toContain(`;; ETIMEDOUT: ${silent.address} did not answer over UDP`);
    expect(performance.now() - startedMs).toBeLessThan(5_500);
  });

  it("is cut at 16 KB", async () => {
    await using server = await dnsServer((_name, _type, { packet, transport }) => ({
      packets: [
        transport === "UDP"
          ? answerTo(packet, { flags: 0x8380 })
          : answerTo(packet, { answers: Array.from({ length: 2_000 }, (_, index) => addressRecord(`10.0.${index >> 8}.${index & 255}`)) }),
      ],
    }));
    const text = await dnsTranscript("www.example.test", 4, signal, { servers: [server.address], hostsPath, resolvConfPath: hostsPath });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024);
    expect(text).toMatch(/; … cut\n$/);
  });

  it("asks nobody about an address, and stops with the caller's reason", async () => {
    expect(await dnsTranscript("10.0.0.1", 4, signal)).toContain("is an address");
    await using silent = await dnsServer(() => "silence");
    const run = new AbortController();
    const telling = dnsTranscript("a.test", 4, run.signal, { servers: [silent.address], hostsPath, resolvConfPath: hostsPath });
    run.abort("cancelled");
    await expect(telling).rejects.toBe("cancelled");
  });
});
