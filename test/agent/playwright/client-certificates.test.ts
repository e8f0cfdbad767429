import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createTrust } from "../../../src/agent/net/tls.ts";
import { runtimeCatalog } from "../../../src/contract/runtime-catalog.ts";
import { proxyServer } from "../../support/http-servers/proxy-server.ts";
import { certificateOf, peoplesAuthority, StrictServer } from "../../support/http-servers/strict-server.ts";
import { playwrightRuntime, runtimesFolder } from "../../support/playwright-runtime.ts";
import { EngineUnderTest, missing } from "./engine-under-test.ts";

describe.skipIf(missing !== null)("client certificates of the account", { timeout: 180_000 }, () => {
  const authority = peoplesAuthority();
  const of = (name: string, host: string) => certificateOf(authority, name, host);
  const certificates = [of("alice", "localhost"), of("bob", "127.0.0.1")];
  let [alices, bobs]: StrictServer[] = [];
  let tested: EngineUnderTest;
  let environment: Record<string, string>;
  beforeAll(async () => {
    alices = await StrictServer.start(authority, "localhost", "alices");
    bobs = await StrictServer.start(authority, "127.0.0.1", "bobs");
    environment = { ALICES: alices.url, BOBS: bobs.url };
    const ca = authority.read("root.pem");
    tested = await EngineUnderTest.start({ extraCas: () => [ca], trust: () => createTrust([ca]) });
  });
  afterAll(async () => {
    await tested[Symbol.asyncDispose]();
    await alices?.[Symbol.asyncDispose]();
    await bobs?.[Symbol.asyncDispose]();
    authority[Symbol.dispose]();
  });

  it("are shown to each host its own by pages: after redirects, for what they load and fetch, and for WebSockets", async () => {
    const script = `import { test } from "@playwright/test";
      const { ALICES, BOBS } = process.env;
      const text = (page, url) => page.evaluate((one) => fetch(one).then((said) => said.text()), url);
      test("x", async ({ page }) => {
        await page.goto(ALICES + "/?to=" + BOBS + "/");
        console.log("redirect", await page.locator("body").innerText(), page.url().startsWith(BOBS));
        console.log("own", await text(page, "/"));
        console.log("other", await text(page, ALICES + "/"));
        console.log("moved", await text(page, ALICES + "/?to=" + BOBS + "/"));
        await page.addScriptTag({ url: ALICES + "/script.js" });
        console.log("part", await page.evaluate(() => window.who));
        console.log("socket", await page.evaluate((url) => new Promise((resolve, reject) => {
          const socket = new WebSocket(url);
          socket.onmessage = ({ data }) => resolve(data);
          socket.onerror = () => reject(new Error("no socket"));
        }), ALICES.replace("https", "wss")));
        await page.goto(ALICES);
        console.log("worker", await page.evaluate(async (url) => {
          await navigator.serviceWorker.register("/worker.js");
          const { active } = await navigator.serviceWorker.ready;
          return new Promise((resolve) => {
            navigator.serviceWorker.onmessage = ({ data }) => resolve(data);
            active.postMessage(url);
          });
        }, BOBS));
        console.log("request", await (await page.request.get(ALICES + "/?to=" + BOBS + "/")).text());
      });`;
    const { result } = await tested.run("BROWSER", script, { environment, certificates, scriptPath: "check.spec.js" });
    expect([result.errors, result.jobLog.map(({ msg }) => msg)]).toEqual([
      [],
      [
        "redirect CN=bob by HTTP/2.0 true",
        "own CN=bob by HTTP/2.0",
        "other CN=alice by HTTP/2.0",
        "moved CN=bob by HTTP/2.0",
        "part CN=alice by HTTP/2.0",
        "socket CN=alice by HTTP/1.1",
        "worker CN=bob by HTTP/2.0",
        "request CN=bob by HTTP/1.1",
      ],
    ]);
  });

  it("are shown by what a script sends itself, after redirects too; its own certificate counts for itself", async () => {
    const script = `import { test } from "@playwright/test";
      const https = require("node:https"), http2 = require("node:http2");
      const { ALICES, BOBS, CERT, KEY } = process.env;
      test("x", async ({ request }) => {
        console.log("request", await (await request.get(ALICES + "/?to=" + BOBS + "/")).text());
        console.log("fetch", await (await fetch(BOBS + "/?to=" + ALICES + "/")).text());
        console.log("https", await new Promise((resolve, reject) => https.get(ALICES, (one) => one.on("data", (data) => resolve(String(data)))).on("error", reject)));
        const session = http2.connect(BOBS);
        console.log("http2", await new Promise((resolve, reject) => session.on("error", reject).request({ ":path": "/" }).on("data", (data) => resolve(String(data)))));
        session.close();
        await new Promise((resolve) => https.get(ALICES, { cert: CERT, key: KEY }, (one) => one.on("data", (data) => resolve(String(data)))).on("error", (error) => resolve(error.code))).then((said) => console.log("own", said));
      });`;
    const own = { CERT: authority.read("bob.pem"), KEY: authority.read("bob.key") };
    const { result } = await tested.run("MULTI_STEP", script, { environment: { ...environment, ...own }, certificates });
    expect([result.errors, result.jobLog.map(({ msg }) => msg)]).toEqual([
      [],
      [
        "request CN=bob by HTTP/1.1",
        "fetch CN=alice by HTTP/1.1",
        "https CN=alice by HTTP/1.1",
        "http2 CN=bob by HTTP/2.0",
        expect.stringMatching(/^own E(?!CONNREFUSED)/),
      ],
    ]);
  });

  const both = `const { test } = require("@playwright/test");
    test("x", async ({ page, request }) => {
      await page.goto(process.env.ALICES);
      console.log("page", await page.locator("body").innerText());
      console.log("request", await (await request.get(process.env.BOBS)).text());
    });`;
  const shownByBoth = ["page CN=alice by HTTP/2.0", "request CN=bob by HTTP/1.1"];

  const older = runtimeCatalog
    .map(({ name }) => name)
    .filter((name) => name !== playwrightRuntime && existsSync(join(runtimesFolder, name, "runtime.json")));
  it.each(older)("are shown by the Playwright of runtime %s, too", async (runtimeId) => {
    const { result } = await tested.run("BROWSER", both, { environment, certificates, runtimeId, scriptPath: "check.spec.js" });
    expect([result.errors, result.jobLog.map(({ msg }) => msg)]).toEqual([[], shownByBoth]);
  });

  it("are shown through the proxy of a location, which sees no more than a tunnel", async () => {
    await using proxy = await proxyServer();
    const proxyUrl = `http://127.0.0.1:${proxy.port}`;
    const { result } = await tested.run("BROWSER", both, { environment, certificates, proxyUrl, scriptPath: "check.spec.js" });
    expect([result.errors, result.jobLog.map(({ msg }) => msg)]).toEqual([[], shownByBoth]);
    const wanted = [alices, bobs].map((one) => `CONNECT ${new URL(one?.url ?? "").host}`);
    expect(proxy.asked).toEqual(expect.arrayContaining(wanted));
  });

  it("stay in the agent: a script finds no key in its memory and its files, and none is in what the run leaves", async () => {
    const script = `import { test } from "@playwright/test";
      const fs = require("node:fs"), path = require("node:path");
      // In halves, the second one first: else this would find itself.
      const halvesOf = (text) => [text.slice(0, text.length / 2), text.slice(text.length / 2)].map((half) => Buffer.from(half).reverse());
      const [planted, key] = [halvesOf(process.env.PLANTED), halvesOf(process.env.PART_OF_KEY)];
      const has = (bytes, [second, first]) => {
        for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1))
          if (bytes.subarray(at + first.length, at + first.length + second.length).equals(second)) return true;
        return false;
      };
      function scan(look) {
        const memory = fs.openSync("/proc/self/mem");
        for (const line of fs.readFileSync("/proc/self/maps", "latin1").split("\\n")) {
          const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
          if (from === undefined) continue;
          const bytes = Buffer.alloc(1 << 20);
          for (let at = BigInt("0x" + from); at < BigInt("0x" + to); at += BigInt(bytes.length - 256)) {
            try { look(bytes.subarray(0, fs.readSync(memory, bytes, 0, bytes.length, at))); } catch {}
          }
        }
        for (const name of fs.readdirSync("..", { recursive: true }).map((one) => path.join("..", one)))
          if (fs.lstatSync(name, { throwIfNoEntry: false })?.isFile()) try { look(fs.readFileSync(name)); } catch {}
      }
      test("x", async ({ page, request }) => {
        await page.goto(process.env.ALICES);
        await request.get(process.env.ALICES);
        console.log(await page.locator("body").innerText());
        const times = { planted: 0, key: 0 };
        scan((bytes) => {
          if (has(bytes, planted)) times.planted += 1;
          if (has(bytes, key)) times.key += 1;
        });
        console.log(times.planted > 0, times.key);
      });`;
    const part = authority.read("alice.key").split("\n")[2] ?? "";
    const backwards = (text: string): string => text.split("").toReversed().join("");
    const wanted = { PLANTED: backwards("outpost-client-certificate"), PART_OF_KEY: backwards(part) };
    const more = { certificates, scriptPath: "check.spec.js", keepsAll: true };
    const { result, files } = await tested.run("BROWSER", script, { environment: { ...environment, ...wanted }, ...more });
    expect([part.length, result.errors, result.jobLog.map(({ msg }) => msg)]).toEqual([64, [], ["CN=alice by HTTP/2.0", "true 0"]]);
    expect(files.map(({ type }) => type)).toContain("trace");
  });

  it.each([
    ["out of date", { fromDays: -9, toDays: -1 }, /^the certificate of the target is out of date: renew it/],
    ["for another host", { names: "DNS:other.example" }, /^the certificate of the target is for another host/],
    ["of an unknown authority", { signer: "bobs" }, /^this agent does not know the authority .+ NODE_EXTRA_CA_CERTS/],
  ])("are no reason to take a server's certificate %s, unless the script does", async (_what, wish, said) => {
    await using server = await StrictServer.start(authority, "localhost", "alices", wish);
    const more = { environment: { URL: server.url }, certificates, scriptPath: "check.spec.js" };
    const script = (call: string, use = ""): string => `import { test } from "@playwright/test"; ${use}
      test("x", async ({ ${call.split(".")[0]} }) => { console.log(await (await ${call}(process.env.URL)).text()); });`;
    for (const [type, call] of [
      ["MULTI_STEP", "request.get"],
      ["BROWSER", "page.goto"],
    ] as const) {
      const refused = await tested.run(type, script(call), more);
      expect([type, refused.result.errors[0]?.message]).toEqual([type, expect.stringMatching(said)]);
      const taken = await tested.run(type, script(call, "test.use({ ignoreHTTPSErrors: true });"), more);
      expect([taken.result.errors, taken.result.jobLog[0]?.msg]).toEqual([[], expect.stringContaining("CN=alice")]);
    }
  });

  it("are named where a server does not take them", async () => {
    authority.issue("strict");
    const files = ["-cert", authority.path("strict.pem"), "-key", authority.path("strict.key")];
    const strict = ["-CAfile", authority.path("alices.pem"), "-Verify", "1", "-verify_return_error", "-www"];
    const server = spawn("openssl", ["s_server", "-accept", "127.0.0.1:0", ...files, ...strict], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void server.kill());
    let said = "";
    while (!/ACCEPT .+\n/.test(said)) said += String((await once(server.stdout, "data"))[0]);
    const url = `https://localhost:${/ACCEPT .*:(\d+)/.exec(said)?.[1]}`;
    const script = `import { test } from "@playwright/test"; test("x", async ({ page }) => { await page.goto(process.env.URL); });`;
    const more = { environment: { URL: url }, certificates: [of("bob", "localhost")], scriptPath: "check.spec.js" };
    const { result } = await tested.run("BROWSER", script, more);
    expect(result.errors[0]?.message).toMatch(/^localhost.* does not accept the client certificate/);
    expect(result.jobLog.map(({ msg }) => msg)).toEqual([expect.stringMatching(/^localhost.* does not accept the client certificate/)]);
  });
});
