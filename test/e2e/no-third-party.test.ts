import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CheckResult } from "../../src/contract/check-results.ts";
import { outpostProgram } from "../support/built-program.ts";
import { makeCertificates } from "../support/certificates.ts";
import { type DnsServer, dnsServer } from "../support/dns-server.ts";
import { type NetworkNamespace, networkNamespace, noNamespaces } from "../support/namespace.ts";
import { until } from "../support/processes.ts";

if (noNamespaces !== null) process.stdout.write(`the count of packets to third parties is skipped: ${noNamespaces}\n`);

const port = 3000;

/**
 * The control plane and an agent in a namespace whose only way out is one device with a default route: every name and address of the
 * world could be asked for. The other end is the resolver and all targets; a rule on the device counts what goes to anybody else,
 * also what packet sockets send.
 */
describe.skipIf(noNamespaces !== null)("a control plane and an agent that have the whole world before them", () => {
  let namespace: NetworkNamespace;
  let names: DnsServer;
  let folder: string;
  let etc: string;
  const servers: Server[] = [];
  const ports = { http: 0, tls: 0, tcp: 0 };

  beforeAll(async () => {
    namespace = await networkNamespace();
    const { ipv4: host, ipv6 } = namespace.outside;
    folder = mkdtempSync(join(tmpdir(), "outpost-egress-"));
    etc = join("/etc/netns", namespace.name);
    mkdirSync(etc, { recursive: true });
    writeFileSync(join(etc, "resolv.conf"), `nameserver ${host}\n`);
    writeFileSync(join(etc, "hosts"), "127.0.0.1 localhost\n");
    names = await dnsServer((name) => (name === "target.test" ? { addresses: [host] } : { rcode: "NXDOMAIN" }), { host, port: 53 });
    using certificates = makeCertificates();
    servers.push(
      createHttpServer((_request, response) => void response.end("well")),
      createTlsServer(certificates.pair("good")),
      createServer((socket) => void socket.on("error", () => undefined).end("hello")),
    );
    const found = await Promise.all(
      servers.map(async (server) => {
        server.listen(0, host);
        await once(server, "listening");
        return (server.address() as AddressInfo).port;
      }),
    );
    [ports.http = 0, ports.tls = 0, ports.tcp = 0] = found;
    await namespace.nft(`
      table netdev egress {
        counter strangers {}
        counter known {}
        set strangers4 { type ipv4_addr; flags dynamic; size 1024; }
        set strangers6 { type ipv6_addr; flags dynamic; size 1024; }
        chain out {
          type filter hook egress device "${namespace.inside.device}" priority 0; policy accept;
          ether type arp accept
          icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-solicit, mld-listener-report, mld2-listener-report } accept
          ip daddr ${host} counter name "known" accept
          ip6 daddr ${ipv6} counter name "known" accept
          counter name "strangers"
          add @strangers4 { ip daddr }
          add @strangers6 { ip6 daddr }
        }
      }`);
  });

  afterAll(async () => {
    for (const server of servers) server.close();
    await names?.[Symbol.asyncDispose]();
    await namespace?.[Symbol.asyncDispose]();
    for (const path of [etc, folder]) rmSync(path, { recursive: true, force: true });
  });

  async function strangers(): Promise<{ readonly packets: number; readonly who: readonly string[] }> {
    const lists = await Promise.all(
      ["strangers4", "strangers6"].map((set) => namespace.run("nft", ["-j", "list", "set", "netdev", "egress", set])),
    );
    const who = lists.flatMap(({ stdout }) => {
      const { nftables } = JSON.parse(stdout) as { nftables: { set?: { elem?: string[] } }[] };
      return nftables.flatMap(({ set }) => set?.elem ?? []);
    });
    return { packets: (await namespace.counters())["strangers"]?.packets ?? -1, who };
  }

  async function startUp(dataDir: string, env: Readonly<Record<string, string>>): Promise<ChildProcess> {
    const [program, args] = namespace.command(process.execPath, [...outpostProgram(), "up"]);
    const child = spawn(program, args, {
      cwd: folder,
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", DATA_DIR: dataDir, HOST: "0.0.0.0", PORT: String(port), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (text += chunk.toString()));
    await until("the summary of outpost up", () => text.includes("See results:") || child.exitCode !== null, 60_000);
    if (child.exitCode !== null) throw new Error(text);
    return child;
  }

  /** A check of each type, some that fail and so look closer; all by name. */
  function checks(): [string, object, string][] {
    const { ipv4: host } = namespace.outside;
    return [
      ["api", { method: "GET", url: `http://target.test:${ports.http}/` }, "PASSED"],
      ["url", { url: `http://target.test:${ports.http}/` }, "PASSED"],
      ["url", { url: "http://target.test:9/" }, "FAILED"],
      ["api", { method: "GET", url: "http://nobody.test/" }, "FAILED"],
      ["tcp", { hostname: "target.test", port: ports.tcp }, "PASSED"],
      ["dns", { query: "target.test", recordType: "A" }, "PASSED"],
      ["dns", { query: "target.test", recordType: "A", nameServer: host }, "PASSED"],
      ["icmp", { hostname: "target.test", pingCount: 2 }, "PASSED"],
      ["ssl", { sslConfig: { hostname: "target.test", port: ports.tls } }, "FAILED"], // its CA is nobody's
    ];
  }

  it.each(["on", "off"])(
    "send not one packet to anybody but the resolver and the targets, with EXTERNAL_OBSERVABILITY=%s",
    async (observability) => {
      const dataDir = join(folder, observability);
      const child = await startUp(dataDir, { EXTERNAL_OBSERVABILITY: observability, RATE_LIMIT_RESULTS: "100000/60" });
      const { apiKey } = JSON.parse(readFileSync(join(dataDir, "credentials.json"), "utf8")) as { apiKey: string };
      const api = async <T>(method: string, path: string, body?: object): Promise<T> => {
        const reply = await fetch(`http://${namespace.inside.ipv4}:${port}${path}`, {
          method,
          headers: { authorization: `Bearer ${apiKey}`, ...(body && { "content-type": "application/json" }) },
          ...(body && { body: JSON.stringify(body) }),
        });
        const text = await reply.text();
        if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
        return JSON.parse(text) as T;
      };
      const known = (await namespace.counters())["known"]?.packets ?? 0;
      const asked = names.asked.length;
      const made = await Promise.all(
        checks().map(async ([type, request, expected]) => {
          const body = { name: type, privateLocations: ["local"], frequency: 1440, retryStrategy: null, request };
          return { type, expected, id: (await api<{ id: string }>("POST", `/v1/checks/${type}`, body)).id };
        }),
      );
      await api("POST", "/v2/check-sessions/trigger", { target: { checkId: made.map(({ id }) => id) } });
      for (const { type, expected, id } of made) {
        const result = await until(`the result of the ${type} check`, async () => {
          const { entries } = await api<{ entries: CheckResult[] }>("GET", `/v2/check-results/${id}?resultType=FINAL`);
          return entries[0];
        });
        expect([type, result.hasFailures ? "FAILED" : "PASSED"]).toEqual([type, expected]);
      }
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
      // Something did go out: the rule sees the device.
      expect((await namespace.counters())["known"]?.packets ?? 0).toBeGreaterThan(known);
      expect(names.asked.length).toBeGreaterThan(asked);
      expect(new Set(names.asked.map((name) => name.toLowerCase()))).toEqual(new Set(["target.test", "nobody.test"]));
      expect(await strangers()).toEqual({ packets: 0, who: [] });
    },
    120_000,
  );

  it("would be caught by one connection attempt to anybody else", async () => {
    const attempt = "require('node:net').connect(443, '203.0.113.7').on('error', () => {}); setTimeout(() => process.exit(), 300)";
    await namespace.run(process.execPath, ["-e", attempt]);
    const seen = await strangers();
    expect(seen.who).toEqual(["203.0.113.7"]);
    expect(seen.packets).toBeGreaterThan(0);
  });
});
