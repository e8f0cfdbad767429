import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeCertificates } from "../support/certificates.ts";
import { FakeControlPlane, fakeJob, htmlPage } from "../support/fake-control-plane.ts";
import { clockAt, clockBy, noFaketime } from "../support/faketime.ts";
import { httpServer } from "../support/http-servers/http-server.ts";
import { type LogLine, OutpostProcess, until } from "../support/processes.ts";
import { temporaryFolder } from "./agent-under-test.ts";
import { probedAgent as agent, type ProbedAgent } from "./probed-agent.ts";

const key = `pl_${"0".repeat(32)}`;
const nowhere = "http://127.0.0.1:9";

/** Starts an agent or `command` to its end. */
async function ended(
  env: Record<string, string>,
  command = "agent",
): Promise<{ readonly code: number | string; readonly stdout: string; readonly stderr: string }> {
  using folder = temporaryFolder();
  const all = { API_KEY: key, API_URL: nowhere, AGENT_HEALTH_PORT: "0", AGENT_HEALTH_HOST: "127.0.0.1", DATA_DIR: folder.path, ...env };
  await using process = new OutpostProcess([command], all, folder.path);
  const code = await process.exit();
  return { code, stdout: process.stdout, stderr: process.stderr };
}

async function httpsServer(
  tls: { readonly key: string; readonly cert: string },
  listener: RequestListener,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(tls, listener).listen(0, "127.0.0.1");
  server.on("tlsClientError", () => undefined);
  await once(server, "listening");
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

describe.concurrent("an agent that cannot start as told ends with 2 and a sentence", () => {
  const folder = temporaryFolder();
  afterAll(() => folder[Symbol.dispose]());
  const file = (name: string, text: string, mode: number): string => {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  it.each<[string, () => Record<string, string>, RegExp]>([
    ["no key", () => ({ API_KEY: "" }), /API_KEY: is required: .*API_KEY_FILE/],
    [
      "a service key",
      () => ({ API_KEY: `sv_${"0".repeat(32)}` }),
      /API_KEY holds a service key; an agent needs the key of a location \(pl_…\)/,
    ],
    ["a text that is no key", () => ({ API_KEY: "hunter2" }), /API_KEY holds no key of Outpost/],
    [
      "a service key in a file",
      () => ({ API_KEY_FILE: file("service", `sv_${"0".repeat(32)}`, 0o600) }),
      /API_KEY_FILE: \S+ holds a service key/,
    ],
    [
      "a key file open to all",
      () => ({ API_KEY_FILE: file("open", key, 0o644) }),
      /API_KEY_FILE: (\S+) is open to every user .*\(mode 0644\); run: chmod 600 \1/,
    ],
    ["no key file", () => ({ API_KEY_FILE: join(folder.path, "none") }), /API_KEY_FILE: \S+ cannot be read \(ENOENT\); check the path/],
    ["an empty key file", () => ({ API_KEY_FILE: file("empty", " \n", 0o600) }), /API_KEY_FILE: \S+ is empty/],
    ["a folder for a key file", () => ({ API_KEY_FILE: folder.path }), /API_KEY_FILE: \S+ is no file/],
    [
      "CAs that are not there",
      () => ({ NODE_EXTRA_CA_CERTS: "/nowhere/ca.pem" }),
      /NODE_EXTRA_CA_CERTS: \/nowhere\/ca\.pem cannot be read/,
    ],
    [
      "an address of another machine",
      () => ({ AGENT_HEALTH_HOST: "198.51.100.1" }),
      /AGENT_HEALTH_HOST: 198\.51\.100\.1 is not an address of this machine/,
    ],
  ])("%s", { timeout: 120_000 }, async (_title, env, sentence) => {
    const { code, stderr } = await ended(env());
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/hunter2|\n +at /);
    expect(code).toBe(2);
  });

  it("a setting whose name is misspelt is told by the log and the doctor, without its value", { timeout: 120_000 }, async () => {
    const env = { JOB_CONCURENCY: "4711", AGENT_HEALTH_PORT: "0" };
    const { stdout } = await ended({ ...env, API_URL: nowhere }, "doctor");
    expect(stdout).toMatch(/! settings +JOB_CONCURENCY is set, but no setting has this name[^]*did you mean JOB_CONCURRENCY\?/);
    expect(stdout).not.toContain("4711");
  });

  it("a taken health port", { timeout: 120_000 }, async () => {
    await using other = await httpServer((_, response) => response.end("mine"));
    const port = new URL(other.url).port;
    const { code, stderr } = await ended({ AGENT_HEALTH_PORT: port });
    expect(stderr).toContain(`AGENT_HEALTH_PORT: port ${port} of 127.0.0.1 is taken by another program; stop it or choose another port`);
    expect(code).toBe(2);
    const { stdout } = await ended({ AGENT_HEALTH_PORT: port }, "doctor");
    expect(stdout).toMatch(new RegExp(`✗ health port +AGENT_HEALTH_PORT: port ${port} of 127\\.0\\.0\\.1 is taken`));
  });
});

describe.concurrent("an agent that gets no session is alive and not ready, and says why in one line", () => {
  it.each<[string, string, RegExp]>([
    ["refuses connections", nowhere, /^ECONNREFUSED/],
    ["has a name that nobody knows", "http://control-plane.invalid", /^(ENOTFOUND|EAI_AGAIN)/],
  ])("the control plane %s", { timeout: 120_000 }, async (_title, url, reason) => {
    await using under = await agent({ API_URL: url });
    await until("a warning", () => under.warnings().length > 0);
    expect((await notReady(under, reason, "the control plane does not respond")).msg).toContain("`outpost doctor`");
  });

  it.each<[string, Parameters<FakeControlPlane["failAlways"]>[0], RegExp, string]>([
    [
      "is a login page",
      htmlPage(200),
      /^200 with a body that is not the control plane's \(text\/html\)/,
      "the control plane does not respond",
    ],
    [
      "has another path",
      { kind: "answer", status: 404, body: '{"message":"Not Found"}' },
      /^404 Not Found/,
      "the control plane does not respond",
    ],
    [
      "does not know the key",
      { kind: "answer", status: 401, body: '{"message":"Bad Token"}' },
      /^Bad Token/,
      "the control plane rejects the key",
    ],
    [
      "does not take the key",
      { kind: "answer", status: 403, body: '{"message":"Not yours"}' },
      /^Not yours/,
      "the control plane rejects the key",
    ],
  ])("what answers %s", { timeout: 120_000 }, async (_title, fault, reason, message) => {
    await using fake = await FakeControlPlane.start();
    fake.failAlways(fault);
    await using under = await agent({ API_URL: fake.url.href });
    await until("a warning", () => under.warnings().some(({ msg }) => msg.startsWith(message)));
    await notReady(under, reason, message);
    expect(fake.requests.length).toBeLessThan(5);
  });

  it("a certificate that is not trusted (L-20)", { timeout: 120_000 }, async () => {
    using certificates = makeCertificates();
    await using server = await httpsServer(certificates.pair("good"), (_, response) => response.end());
    await using under = await agent({ API_URL: server.url });
    await until("a warning", () => under.warnings().length > 0);
    const line = await notReady(under, /^UNABLE_TO_VERIFY_LEAF_SIGNATURE/, "the control plane does not respond");
    expect(line["next"]).toContain("set NODE_EXTRA_CA_CERTS");
  });

  /** Holds what each of them shows. @returns its one line */
  async function notReady(under: ProbedAgent, reason: RegExp, message: string): Promise<LogLine> {
    expect((await under.probe("/-/readiness")).status).toBe(503);
    expect((await under.probe("/-/liveness")).status).toBe(200);
    expect(await under.health()).toMatchObject({
      ready: false,
      trouble: expect.stringMatching(new RegExp(reason.source.replace("^", ""))) as unknown,
    });
    const lines = under.warnings().filter(({ msg }) => msg.startsWith(message));
    expect(lines).toMatchObject([{ reason: expect.stringMatching(reason) as unknown }]);
    const [line] = lines as [LogLine];
    expect(`${line.msg} ${String(line["next"])}`).toMatch(/outpost doctor|a new key|another key|use a key/);
    return line;
  }
});

describe("a key file that becomes bad while the agent runs", () => {
  it("keeps the agent on its last key, with one warning, until the control plane refuses that one", { timeout: 120_000 }, async () => {
    await using fake = await FakeControlPlane.start();
    fake.session = { ...fake.session, sessionSeconds: 1 };
    using folder = temporaryFolder();
    const file = join(folder.path, "key");
    writeFileSync(file, fake.key, { mode: 0o600 });
    await using under = await agent({ API_URL: fake.url.href, API_KEY_FILE: file });
    await until("a ready agent", async () => (await under.probe("/-/readiness")).status === 200);
    chmodSync(file, 0o644);
    await under.process.logged("cannot use the key file; keeping the previous key");
    const before = fake.introductions.length;
    await fake.until(() => fake.introductions.length > before + 1);
    expect((await under.probe("/-/readiness")).status).toBe(200);
    fake.keys = ["pl_another"];
    await until("an agent that is not ready", async () => (await under.probe("/-/readiness")).status === 503);
    expect((await under.probe("/-/liveness")).status).toBe(200);
    const texts = under.warnings().map(({ msg, reason }) => `${msg} ${String(reason)}`);
    expect(texts.filter((text) => /keeping the previous key .*chmod 600/.test(text))).toHaveLength(1);
    expect(texts.filter((text) => text.startsWith("the control plane rejects the key"))).toHaveLength(1);
  });

  it("says which of two keys counts", { timeout: 120_000 }, async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "key");
    writeFileSync(file, key, { mode: 0o600 });
    await using under = await agent({ API_URL: nowhere, API_KEY_FILE: file });
    const { level } = await under.process.logged("API_KEY and API_KEY_FILE are both set; using the file");
    expect(level).toBe("warn");
  });
});

describe.skipIf(noFaketime !== null)("a wrong clock (C-01)", () => {
  it.each([
    ["ahead", "+1d", 86_400],
    ["behind", "-1d", -86_400],
  ])("that jumps a day %s is shown, and nothing else changes", { timeout: 120_000 }, async (_title, jump, aheadSeconds) => {
    await using fake = await FakeControlPlane.start();
    using folder = temporaryFolder();
    const clock = join(folder.path, "clock");
    writeFileSync(clock, "+0\n");
    await using under = await agent({ API_URL: fake.url.href, ...clockBy(clock) });
    await until("a ready agent", async () => (await under.probe("/-/readiness")).status === 200);
    writeFileSync(clock, `${jump}\n`);
    const line = await under.process.logged(
      "this machine's clock is not the control plane's; set it by a time service, else certificates look invalid",
    );
    expect(Number(line["aheadSeconds"])).toBeCloseTo(aheadSeconds, -1);
    expect(Number((await under.health())["clockAheadSeconds"])).toBeCloseTo(aheadSeconds, -1);
    expect((await under.probe("/metrics")).text).toMatch(/^outpost_agent_clock_ahead_seconds -?86[34]\d\d/m);
    fake.enqueue(fakeJob(fake.url.href));
    await fake.until(() => fake.reports.length === 1);
    expect(fake.reports[0]).toMatchObject({ resultType: "FINAL" });
    expect((await under.probe("/-/readiness")).status).toBe(200);
    writeFileSync(clock, "+0\n");
    await under.process.logged("this machine's clock agrees with the control plane's again");
  });

  it("is named where the key is refused", { timeout: 120_000 }, async () => {
    await using fake = await FakeControlPlane.start(0, "pl_another");
    await using under = await agent({ API_URL: fake.url.href, ...clockAt("+1d") });
    const line = await until("the refusal", () => under.warnings().find(({ status }) => status === 401));
    expect(line["clock"]).toMatch(/^this machine's clock is 86\d{3} s ahead of the control plane's$/);
  });

  it.each([
    ["+60d", "CERT_HAS_EXPIRED"],
    ["-1d", "CERT_NOT_YET_VALID"],
  ])("is named where a certificate is refused for its dates: %s", { timeout: 120_000 }, async (offset, code) => {
    using certificates = makeCertificates();
    await using server = await httpsServer(certificates.pair("good"), (_, response) => response.end());
    const env = { API_URL: server.url, NODE_EXTRA_CA_CERTS: join(certificates.folder, "ca.pem"), ...clockAt(offset) };
    await using under = await agent(env);
    const line = await until("the warning", () => under.warnings().find(({ reason }) => String(reason).startsWith(code)));
    expect(line["next"]).toMatch(/^correct the clock of this machine/);
    expect(line["localTime"]).toMatch(/^\d{4}-/);
    const { code: exit, stdout } = await ended(env, "doctor");
    expect(stdout).toMatch(new RegExp(`✗ TLS +the certificate of the control plane is not trusted \\(${code}\\)`));
    expect(stdout).toMatch(/! clock +this machine's clock is \d+ s (ahead of|behind) the control plane's/);
    expect(exit).toBe(1);
  });
});
if (noFaketime !== null) process.stdout.write(`tests of wrong clocks are skipped: ${noFaketime}\n`);
