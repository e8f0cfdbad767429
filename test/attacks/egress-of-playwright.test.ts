import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect } from "vitest";
import { EgressProxy } from "../../src/agent/egress/egress-proxy.ts";
import { createEgressPolicy } from "../../src/agent/net/egress-policy.ts";
import { EngineUnderTest, missing } from "../agent/playwright/engine-under-test.ts";
import type { ChildRun } from "../agent/playwright/run-child.ts";
import { openNetwork } from "../agent/sandbox/sandbox-under-test.ts";
import { httpServer } from "../support/http-servers/http-server.ts";
import { networkNamespace, noNamespaces } from "../support/namespace.ts";
import { runtimesFolder } from "../support/playwright-runtime.ts";
import { attack } from "./attack.ts";
import { cases } from "./cases.ts";

/** Counts what leaves a namespace: datagrams of runs, which have a user of their own (the agent, root, asks name servers), and connections. */
const counting = `table inet watched {
  counter datagrams { }
  counter connections { }
  chain output { type filter hook output priority 0;
    oifname "lo" accept
    meta l4proto udp meta skuid != 0 counter name datagrams
    tcp flags & (syn|ack) == syn counter name connections
  }
}`;

/** Everything that a page or a script might send past the proxy; it ends with a page that goes through it. */
const loud = `const { expect, test } = require("@playwright/test"); const dgram = require("node:dgram"); const dns = require("node:dns");
test("x", async ({ page }) => {
  const outside = process.env.OUTSIDE, host = new URL(outside).hostname;
  try { const socket = dgram.createSocket("udp4").on("error", () => {}); socket.send("x", 9, host, () => {}); } catch {}
  for (const way of [() => dns.promises.resolve4("leak.test"), () => new dns.promises.Resolver().resolve4("leak.test"), () => dns.promises.lookup("leak.test")])
    await Promise.race([Promise.resolve().then(way).catch(() => {}), new Promise((next) => setTimeout(next, 1500))]);
  expect((await page.goto(outside)).status()).toBe(200);
  await page.evaluate(async (host) => {
    const pause = (ms) => new Promise((next) => setTimeout(next, ms));
    const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:" + host + ":3478" }, { urls: "turn:" + host + ":3478?transport=udp", username: "a", credential: "b" }] });
    peer.createDataChannel("x"); await peer.setLocalDescription(await peer.createOffer());
    try { await Promise.race([new WebTransport("https://" + host + ":4433/").ready.catch(() => {}), pause(1500)]); } catch {}
    for (const url of ["https://" + host + ":443/", "http://leak.test/"]) await Promise.race([fetch(url).catch(() => {}), pause(1500)]);
    const link = Object.assign(document.createElement("link"), { rel: "dns-prefetch", href: "//prefetched.test" }); document.head.append(link);
    await pause(1500);
  }, host);
});`;

describe.skipIf(missing !== null)("the way of browser checks into the network", { timeout: 120_000 }, () => {
  const isSkipped = noNamespaces !== null;
  if (isSkipped) process.stdout.write(`packets of browser checks are not counted: ${noNamespaces}\n`);
  if (!isSkipped)
    attack("S4", cases.S4.what, async (held) => {
      await using space = await networkNamespace();
      await using server = await httpServer((_request, response) => response.end("<h1>outside</h1>"), space.outside.ipv4);
      await space.nft(counting);
      const folder = mkdtempSync(join(tmpdir(), "outpost-silence-"));
      chmodSync(folder, 0o711);
      try {
        const child = join(import.meta.dirname, "../agent/playwright/run-child.ts");
        const words = ["--disable-warning=ExperimentalWarning", "--conditions=source", child, "BROWSER", loud];
        const env = { ...process.env, TMPDIR: folder, OUTPOST_TEST_RUNTIMES: runtimesFolder, OUTSIDE: server.url };
        const started = spawn(...space.command(process.execPath, words), { env, stdio: ["ignore", "pipe", "inherit"] });
        const told = JSON.parse(await text(started.stdout)) as ChildRun;
        expect(told).toMatchObject({ outcome: "passed", errors: [] });
      } finally {
        rmSync(folder, { recursive: true });
      }
      const { datagrams, connections } = await space.counters();
      expect(connections?.packets).toBeGreaterThan(0); // or nothing was counted
      expect(datagrams?.packets).toBe(0);
      const send = `require("node:dgram").createSocket("udp4").send("x", 9, "${space.outside.ipv4}", () => process.exit())`;
      await space.run("setpriv", ["--reuid", "64123", "--clear-groups", process.execPath, "-e", send]);
      expect((await space.counters())["datagrams"]?.packets).toBe(1); // or a datagram would not have been
      held("Landlock and filter: no datagram leaves", `0 datagrams, ${connections?.packets} connections of the agent`);
    });

  attack("S5", "the proxy of another run, with this run's password and with none", async (held) => {
    const [own, other] = [await EgressProxy.open(), await EgressProxy.open()];
    try {
      const server = await httpServer((_request, response) => response.end());
      await using _server = server;
      for (const proxy of [own, other]) proxy.serve({ ...openNetwork(), trust: () => ({ context: {} }) });
      const answered = async (authorization: string | null): Promise<string> => {
        const socket = connect(other.port, "127.0.0.1");
        const header = authorization === null ? "" : `Proxy-Authorization: ${authorization}\r\n`;
        socket.end(`CONNECT 127.0.0.1:${server.port} HTTP/1.1\r\n${header}\r\n`);
        return (await text(socket)).slice(9, 12);
      };
      expect([await answered(own.authorization), await answered(null), await answered(other.authorization)]).toEqual(["407", "407", "200"]);
    } finally {
      own.close();
      other.close();
    }
    held("407 without its own password");
  });

  attack("S5", "the agent's own port and the proxies of others, from a script and a page", async (held) => {
    await using health = await httpServer((_request, response) => response.end("healthy"));
    const other = await EgressProxy.open();
    try {
      const egress = createEgressPolicy({
        allowCidrs: [],
        denyCidrs: [],
        mode: "default",
        ownPorts: [health.port],
        isOwnPort: EgressProxy.isOpenAt,
      });
      await using tested = await EngineUnderTest.start();
      const script = `const { test } = require("@playwright/test"); const net = require("node:net");
        const says = (port) => new Promise((resolve) => net.connect(port, "127.0.0.1", () => resolve("open")).on("error", ({ code }) => resolve(code)));
        test("x", async ({ page, request }) => {
          const said = [];
          for (const port of [${health.port}, ${other.port}]) {
            said.push(await says(port), (await request.get("http://127.0.0.1:" + port + "/").catch(({ message }) => message)));
            said.push((await page.goto("http://127.0.0.1:" + port + "/").then((one) => one.status(), ({ message }) => message)));
          }
          console.log(JSON.stringify(said.map((one) => /EPOLICY/.test(one) || one === 403 ? "refused" : one)));
        });`;
      const { result } = await tested.run("BROWSER", script, { egress });
      expect(JSON.parse(result.jobLog[0]?.msg ?? "[]")).toEqual(Array.from({ length: 6 }, () => "refused"));
    } finally {
      other.close();
    }
    held("EPOLICY: own ports are no targets", "6 of 6 refused");
  });
});
