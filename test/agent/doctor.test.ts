import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { printFindings } from "#daemon/print-findings.ts";
import { readAgentConfig } from "../../src/agent/config.ts";
import { diagnose } from "../../src/agent/doctor/doctor.ts";
import { type Finding, subjects } from "../../src/agent/doctor/finding.ts";
import { makeCertificates } from "../support/certificates.ts";
import { FakeControlPlane, htmlPage } from "../support/fake-control-plane.ts";
import { otlpReceiver } from "../support/otlp-receiver.ts";
import { noPlaywright, runtimesFolder } from "../support/playwright-runtime.ts";
import { temporaryFolder } from "./agent-under-test.ts";

const key = `pl_${"0".repeat(32)}`;

async function diagnosed(env: Record<string, string>): Promise<Record<string, Finding>> {
  using folder = temporaryFolder();
  const findings = await diagnose(
    readAgentConfig({ API_KEY: key, DATA_DIR: folder.path, OUTBOX_MAX_MB: "1", AGENT_HEALTH_PORT: "0", ...env }),
    new AbortController().signal,
  );
  return Object.fromEntries(findings.map((finding) => [finding.about, finding]));
}

async function serverWith(listener: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Which may be installed for the test of compatibility. */
const hasOlderRuntimes = ["2022.10", "2023.02"].some((id) => existsSync(join(runtimesFolder, id, "runtime.json")));

describe("the doctor", () => {
  it("finds nothing wrong where an agent can work", async () => {
    await using fake = await FakeControlPlane.start();
    const found = await diagnosed({ API_URL: fake.url.href });
    expect(Object.values(found).filter(({ verdict }) => verdict === "fail")).toEqual([]);
    expect(found["session"]).toMatchObject({ verdict: "ok" });
    expect(found["clock"]).toMatchObject({ verdict: "ok" });
    expect(found["outbox"]).toMatchObject({ verdict: "ok" });
    expect(fake.seen("leaseJobs")).toEqual([]);
  });

  it.each([
    [401, "nobody issued this key"],
    [403, "may not be used for an agent"],
    [404, "no agent protocol at this address"],
    [426, "do not speak the same protocol"],
    [502, "control plane behind it does not"],
  ])("tells the cause of a %d", async (status, text) => {
    await using server = await serverWith((_, response) => response.writeHead(status, { "content-type": "application/json" }).end("{}"));
    const { session } = await diagnosed({ API_URL: server.url });
    expect(session).toMatchObject({ verdict: "fail" });
    expect(session?.text).toContain(text);
    expect(session?.next).toBeTruthy();
  });

  it("recognises a page that answers in the control plane's place", async () => {
    await using fake = await FakeControlPlane.start();
    fake.fail("openAgentSession", htmlPage(200));
    expect((await diagnosed({ API_URL: fake.url.href }))["session"]?.text).toContain(
      "something else than the control plane answered (200, text/html)",
    );
  });

  it("shows a clock that is wrong, as a warning", async () => {
    await using server = await serverWith((_, response) =>
      response.writeHead(401, { date: new Date(Date.now() + 3_600_000).toUTCString() }).end("{}"),
    );
    const { clock } = await diagnosed({ API_URL: server.url });
    expect(clock).toMatchObject({ verdict: "warn" });
    expect(clock?.text).toMatch(/(3599|3600|3601) s behind/);
  });

  it("stops at the layer that is broken", async () => {
    const closed = createTcpServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, "close");
    const found = await diagnosed({ API_URL: `http://127.0.0.1:${port}` });
    expect(found["TCP"]).toMatchObject({ verdict: "fail" });
    expect(found["TCP"]?.text).toContain("ECONNREFUSED");
    expect(found["session"]).toBeUndefined();
    expect(found["outbox"]).toBeDefined();
  });

  it("says that a port speaks no TLS", async () => {
    await using server = await serverWith((_, response) => response.end());
    const found = await diagnosed({ API_URL: server.url.replace("http:", "https:") });
    expect(found["TLS"]).toMatchObject({ verdict: "fail" });
    expect(found["TLS"]?.next).toContain("plain HTTP");
  });

  it("says that a proxy wants a password", async () => {
    await using proxy = await serverWith((_, response) => response.writeHead(407).end());
    const found = await diagnosed({ API_URL: "http://control-plane.test/", HTTP_PROXY: proxy.url });
    expect(found["proxy"]).toMatchObject({ verdict: "fail", text: "the proxy asks for a user and a password (407)" });
  });

  it.each([
    ["on", /^failures get (a packet capture$|no packet capture: \S)/],
    ["off", /^not wanted \(EVIDENCE is off\)$/],
  ])("says whether failures get a packet capture: EVIDENCE %s", async (evidence, text) => {
    await using fake = await FakeControlPlane.start();
    const { capture } = await diagnosed({ API_URL: fake.url.href, EVIDENCE: evidence });
    expect(capture).toMatchObject({ verdict: "ok", text: expect.stringMatching(text) as unknown });
  });

  it.each([
    [{}, /^no runtime with Playwright is installed/],
    [{ BROWSER_CONCURRENCY: "0", MULTI_STEP_CONCURRENCY: "0" }, /^not wanted/],
  ])("says that browser checks run elsewhere: %o", async (env, text) => {
    await using fake = await FakeControlPlane.start();
    const { browser } = await diagnosed({ API_URL: fake.url.href, ...env });
    expect(browser).toMatchObject({ verdict: "ok", text: expect.stringMatching(text) as unknown });
  });

  it.skipIf(noPlaywright !== null)("proves which browser checks run, and says what is missing", { timeout: 120_000 }, async () => {
    await using fake = await FakeControlPlane.start();
    const env = { API_URL: fake.url.href, RUNTIMES_DIR: runtimesFolder };
    const { browser } = await diagnosed(env);
    expect(browser).toMatchObject({
      verdict: expect.stringMatching(hasOlderRuntimes ? /^warn$/ : /^ok$/) as unknown, // older ones lack a type
      text: expect.stringMatching(/MULTI_STEP, BROWSER[.;].* chromium\/\d[^ ]*, level 2/) as unknown,
    });
    const { browser: without } = await diagnosed({ ...env, BROWSER_PATH: "/nowhere" });
    expect(without).toMatchObject({ verdict: "warn", next: expect.stringContaining("apt-get install chromium-headless-shell") as unknown });
  });

  it("says whether the collector of telemetry takes what it would be told, and never with what key", async () => {
    await using fake = await FakeControlPlane.start();
    await using takes = await otlpReceiver();
    await using refuses = await otlpReceiver(() => 401);
    const asked = async (endpoint: string) => {
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: "x-key=hunter2", OTEL_LOGS_EXPORTER: "none" };
      return (await diagnosed({ API_URL: fake.url.href, ...env }))["telemetry"];
    };
    expect((await diagnosed({ API_URL: fake.url.href }))["telemetry"]).toMatchObject({ verdict: "ok" });
    expect(await asked(takes.endpoint)).toMatchObject({ verdict: "ok", text: `the collector at ${takes.endpoint} takes traces, metrics` });
    expect(takes.received.map(({ path, headers, body }) => [path, headers["x-key"], body.length])).toEqual([
      ["/v1/traces", "hunter2", 0],
      ["/v1/metrics", "hunter2", 0],
    ]);
    const refused = await asked(refuses.endpoint);
    expect(refused).toMatchObject({ verdict: "warn", text: expect.stringContaining("it answers 401 to traces") as unknown });
    expect(JSON.stringify(refused)).not.toContain("hunter2");
  });

  it.each([
    [{}, /suites run at other agents$/],
    [{ SUITE_CONCURRENCY: "0" }, /^not wanted \(SUITE_CONCURRENCY is 0\)$/],
  ])("says that suites run elsewhere: %o", async (env, text) => {
    await using fake = await FakeControlPlane.start();
    const { suites } = await diagnosed({ API_URL: fake.url.href, ...env });
    expect(suites).toMatchObject({ verdict: "ok", text: expect.stringMatching(text) as unknown });
  });

  it.skipIf(noPlaywright !== null)("says what suites run in and on, and what is kept of them", { timeout: 120_000 }, async () => {
    await using fake = await FakeControlPlane.start();
    const env = { API_URL: fake.url.href, RUNTIMES_DIR: runtimesFolder, PATH: process.env["PATH"] ?? "" };
    const { suites } = await diagnosed(env);
    expect(suites).toMatchObject({
      verdict: "ok",
      text: expect.stringMatching(
        /^1 at a time with 2 workers and 2048 MB each, level 2, .* chromium\/\d.*Node\.js \d+\..*Package managers here: npm.*Kept: 0 bundles of 0 MB \(at most 512 MB\), 0 installs/,
      ) as unknown,
    });
    const { suites: without } = await diagnosed({ ...env, BROWSER_PATH: "/nowhere" });
    expect(without).toMatchObject({ verdict: "warn", next: expect.stringContaining("BROWSER_PATH") as unknown });
  });

  it("says which folder cannot be written, and that checks run all the same", async () => {
    await using fake = await FakeControlPlane.start();
    const { outbox } = await diagnosed({ API_URL: fake.url.href, OUTBOX_DIR: "/dev/null/outbox" });
    expect(outbox).toMatchObject({ verdict: "warn" });
    expect(outbox?.text).toContain("/dev/null/outbox cannot be written (ENOTDIR)");
  });

  it("says why a key file is of no use, without showing a key", async () => {
    const found = await diagnosed({ API_URL: "http://127.0.0.1:9", API_KEY_FILE: "/nowhere/key" });
    expect(found["key"]).toMatchObject({ verdict: "fail" });
    expect(JSON.stringify(found)).not.toContain(key);
  });
});

describe("the doctor's look at settings", () => {
  const env = { API_URL: "http://127.0.0.1:9" };

  it("finds no fault with an agent's settings, in the order of the list", async () => {
    await using fake = await FakeControlPlane.start();
    expect(Object.keys(await diagnosed({ API_URL: fake.url.href }))).toEqual(
      subjects.filter((subject) => !["settings", "certificate"].includes(subject)),
    );
  });

  it("names another kind of key, and two keys at once", async () => {
    using folder = temporaryFolder();
    const API_KEY_FILE = join(folder.path, "key");
    writeFileSync(API_KEY_FILE, key, { mode: 0o600 });
    const service = await diagnosed({ ...env, API_KEY: `sv_${"0".repeat(32)}` });
    expect(service["key"]).toMatchObject({ verdict: "fail", text: expect.stringContaining("a service key") as unknown });
    expect(service["TCP"]).toBeUndefined();
    expect((await diagnosed({ ...env, API_KEY_FILE }))["key"]).toMatchObject({
      verdict: "warn",
      text: `a location key is in ${API_KEY_FILE} (API_KEY_FILE); API_KEY is set too, and not used`,
    });
  });

  it("counts the CAs, and warns when all of them ended", async () => {
    using certificates = makeCertificates();
    const ca = join(certificates.folder, "ca.pem");
    const found = await diagnosed({ ...env, NODE_EXTRA_CA_CERTS: ca });
    expect(found["CA bundle"]).toMatchObject({ verdict: "ok", text: `the usual CAs and 1 of ${ca} are trusted` });
    const expired = join(certificates.folder, "expired.pem");
    expect((await diagnosed({ ...env, NODE_EXTRA_CA_CERTS: expired }))["CA bundle"]).toMatchObject({ verdict: "warn" });
    expect((await diagnosed({ ...env, NODE_EXTRA_CA_CERTS: "/nowhere" }))["CA bundle"]).toMatchObject({ verdict: "fail" });
  });

  it.each([
    [{ HTTPS_PROXY: "http://proxy.test" }, /as its scheme has none \(HTTPS_PROXY is for the other\)/],
    [{ HTTP_PROXY: "http://proxy.test", NO_PROXY: "127.0.0.0/8" }, /as NO_PROXY lists it/],
    [{ HTTP_PROXY: "http://user:hunter2@proxy.test:3128" }, /goes through the proxy proxy\.test:3128$/],
  ])("says which way management traffic goes with %j", async (proxies, text) => {
    const { proxy } = await diagnosed({ ...env, ...proxies });
    expect(proxy).toMatchObject({ verdict: "ok", text: expect.stringMatching(text) as unknown });
  });
});

describe("its printed report", () => {
  const findings: Finding[] = [
    { about: "DNS", verdict: "ok", text: "fine" },
    { about: "outbox", verdict: "warn", text: "small", next: "make it larger" },
  ];
  const printed = (list: Finding[], isTTY: boolean): [string, number] => {
    const chunks: string[] = [];
    const stream = new Writable({
      write(chunk, _, done) {
        chunks.push(String(chunk));
        done();
      },
    });
    const code = printFindings(list, "An agent", Object.assign(stream, { isTTY }));
    return [chunks.join(""), code];
  };

  it("has a line for each finding and one for what to do next", () => {
    expect(printed(findings, false)).toEqual([
      "✓ DNS     fine\n! outbox  small\n          → make it larger\n\nAn agent can work here.\n",
      0,
    ]);
  });

  it("ends with 1 when something failed", () => {
    expect(printed([{ about: "TCP", verdict: "fail", text: "refused", next: "look" }], false)[1]).toBe(1);
  });

  it("lets nothing of what others said write to the terminal but letters", () => {
    const said: Finding = {
      about: "session",
      verdict: "fail",
      text: "the location \u001B]0;x\u0007berlin\n✓ all\u009B2J",
      next: "\u001B[1A",
    };
    expect(printed([said], false)[0].split("\n").slice(0, 2)).toEqual(["✗ session  the location ]0;x berlin ✓ all 2J", "           → [1A"]);
  });

  it("is coloured on a terminal only", () => {
    expect(printed(findings, true)[0]).toContain("\u001B[");
    expect(printed(findings, false)[0]).not.toContain("\u001B[");
  });
});
