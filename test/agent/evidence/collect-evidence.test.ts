import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createEvidenceCollector, type EvidenceDeps } from "../../../src/agent/evidence/collect-evidence.ts";
import type { Inquiry } from "../../../src/agent/evidence/inquiry.ts";
import type { SkipReason } from "../../../src/agent/evidence/inquiry-limits.ts";
import { createEgressPolicy } from "../../../src/agent/net/egress-policy.ts";
import { createTrust } from "../../../src/agent/net/tls.ts";
import { EvidenceFile } from "../../../src/contract/agent-protocol.ts";
import { freePort } from "../../support/free-ports.ts";
import { rawServer } from "../../support/http-servers/raw-server.ts";
import { turnsUntil } from "../../support/turns.ts";

const trust = createTrust([]);
const policy = (...denyCidrs: string[]) => createEgressPolicy({ allowCidrs: [], denyCidrs, mode: "default", ownPorts: [] });

function collector(deps: Partial<EvidenceDeps> = {}) {
  const skipped: SkipReason[] = [];
  const made = createEvidenceCollector({
    enabled: true,
    egress: () => policy(),
    trust: () => trust,
    dnsTranscript: (host, family) => Promise.resolve(`${host} over IPv${family}: NXDOMAIN\n`),
    clock: { monotonicMs: () => performance.now(), wallMs: () => Date.now() },
    onSkipped: (why) => skipped.push(why),
    ...deps,
  });
  const collect = async (inquiry: Inquiry, signal = new AbortController().signal): Promise<Record<string, string>> => {
    const files = await made.collect(inquiry, signal);
    for (const file of files) EvidenceFile.parse(file);
    return Object.fromEntries(files.map(({ name, data }) => [name, Buffer.from(data, "base64").toString()]));
  };
  return { made, collect, skipped };
}

function inquiry(trail: Partial<Inquiry["trail"]> = {}, mask: Inquiry["mask"] = (text) => text): Inquiry {
  const seen: Inquiry["trail"] = { host: "app.test", port: 443, ipFamily: "IPv4", address: null, tls: true, code: "ENOTFOUND", ...trail };
  return { jobId: randomUUID(), startedMs: performance.now(), trail: seen, mask, maskBytes: (bytes) => bytes };
}

describe("the evidence collector", () => {
  afterEach(() => void vi.useRealTimers());

  it("tells what name servers say where no address was found, and asks nobody else", async () => {
    expect(await collector().collect(inquiry({ ipFamily: "IPv6" }))).toEqual({
      "dns.txt": "app.test over IPv6: NXDOMAIN\n\npacket capture: none, because not started\n",
    });
  });

  it("traces the path and repeats the handshake where a connection was made", async () => {
    await using server = await rawServer((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"));
    const files = await collector().collect(inquiry({ address: "127.0.0.1", port: server.port, code: "EPROTO" }));
    expect(Object.keys(files).sort()).toEqual(["dns.txt", "tls.txt", "traceroute.txt"]);
    expect(files["traceroute.txt"]).toContain(`reached 127.0.0.1 in 1 hop: port ${server.port} is open now`);
    expect(files["tls.txt"]).toContain(String.raw`no TLS: "SSH-2.0-OpenSSH_9.6\r\n"`);
  });

  it("does not repeat a handshake that was not reached, and asks no name server about an address", async () => {
    const gone = await freePort();
    const files = await collector().collect(inquiry({ host: "127.0.0.1", address: "127.0.0.1", port: gone, code: "ECONNREFUSED" }));
    expect(Object.keys(files)).toEqual(["traceroute.txt"]);
    expect(files["traceroute.txt"]).toContain(`port ${gone} is closed`);
  });

  it("traces an IPv4 address in IPv6's clothes as IPv4", async () => {
    const gone = await freePort();
    const files = await collector().collect(inquiry({ address: "::ffff:127.0.0.1", port: gone, code: "ECONNREFUSED" }));
    expect(files["traceroute.txt"]).toContain(`reached 127.0.0.1 in 1 hop: port ${gone} is closed`);
  });

  it("sends nothing to an address that the egress policy forbids by now", async () => {
    const connections: unknown[] = [];
    await using server = await rawServer((socket) => void connections.push(socket));
    const files = await collector({ egress: () => policy("127.0.0.0/8") }).collect(
      inquiry({ address: "127.0.0.1", port: server.port, code: "ETIMEDOUT" }),
    );
    for (const name of ["traceroute.txt", "tls.txt"]) expect(files[name]).toContain("egress policy does not allow app.test (127.0.0.1)");
    expect(connections).toEqual([]);
  });

  it("masks every text before it is cut", async () => {
    const dnsTranscript = (): Promise<string> => Promise.resolve(`${"x".repeat(16_382)}hunter2 and more`);
    const files = await collector({ dnsTranscript }).collect(inquiry({}, (text) => text.replaceAll("hunter2", "***")));
    expect(files["dns.txt"]).toBe(`${"x".repeat(16_382)}**`);
  });

  it("says why a part found nothing, and keeps the others", async () => {
    const dnsTranscript = (): Promise<string> => Promise.reject(new Error("no resolver"));
    const gone = await freePort();
    const files = await collector({ dnsTranscript }).collect(inquiry({ address: "127.0.0.1", port: gone, code: "ECONNREFUSED" }));
    expect(files["dns.txt"]).toBe("nothing was found: no resolver\n");
    expect(files["traceroute.txt"]).toContain("is closed");
  });

  it("ends in time although a part never does", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { made } = collector({ dnsTranscript: () => new Promise(() => undefined) });
    const files = made.collect(inquiry(), new AbortController().signal);
    await turnsUntil(() => vi.getTimerCount() > 0);
    vi.advanceTimersByTime(1_601);
    expect(Buffer.from((await files)[0]?.data ?? "", "base64").toString()).toContain("nothing was found in time");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends without evidence when the run is aborted, or the agent stops", async () => {
    const { made, collect } = collector({ dnsTranscript: () => new Promise(() => undefined) });
    const run = new AbortController();
    const aborted = collect(inquiry(), run.signal);
    run.abort(new Error("lease lost"));
    expect(await aborted).toEqual({});
    const stopped = collect(inquiry({ port: 444 }));
    made.stop();
    expect(await stopped).toEqual({});
    expect(await collect(inquiry({ port: 445 }))).toEqual({});
  });

  it("never throws, even where a mask does", async () => {
    const broken = inquiry({}, () => {
      throw new Error("a bug");
    });
    expect(await collector().collect(broken)).toEqual({});
  });

  it("is bounded in a storm, and counts what it left out", async () => {
    const ends: (() => void)[] = [];
    const dnsTranscript = (): Promise<string> => new Promise((resolve) => ends.push(() => resolve("done")));
    const { collect, skipped } = collector({ dnsTranscript });
    const storm = Array.from({ length: 100 }, (_, index) => collect(inquiry({ port: index })));
    const repeated = ends.length;
    expect(repeated).toBe(4);
    for (const end of ends) end();
    const found = (await Promise.all(storm)).filter((files) => "dns.txt" in files);
    expect(found).toHaveLength(4);
    expect(skipped).toEqual(Array(96).fill("busy"));
    expect(await collect(inquiry({ port: 0 }))).toEqual({});
    expect(skipped.at(-1)).toBe("repeated");
  });

  it("does nothing when it is off", async () => {
    const { made, collect } = collector({ enabled: false });
    made.start();
    expect(made.capability).toBe("off");
    expect(await collect(inquiry())).toEqual({});
    made.stop();
  });

  it("starts and stops twice", () => {
    const { made } = collector();
    made.start();
    made.start();
    made.stop();
    made.stop();
    expect(made.capability).toBe("traceroute, transcripts; no capture");
  });
});
