import { createPrivateKey } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CheckResult } from "../../src/contract/check-results.ts";
import { Authority } from "../agent/runners/ssl/authority.ts";
import { nginxSites, type TlsSites } from "../agent/runners/ssl/tls-servers.ts";
import { findSecret } from "../support/find-secret.ts";
import { noNginx } from "../support/nginx.ts";
import { makeScriptRuntime } from "../support/script-runtime.ts";
import { type AgentProcess, Site } from "../support/site.ts";

if (noNginx !== null) process.stdout.write(`client certificates are not tested end to end: ${noNginx}\n`);

describe.skipIf(noNginx !== null)("client certificates of an account", () => {
  const passphrase = "opens the key of bob";
  let authority: Authority;
  let sites: TlsSites;
  const made = new AsyncDisposableStack();
  let site: Site;
  let agent: AgentProcess;

  beforeAll(async () => {
    authority = made.use(new Authority());
    authority.issue("server").issue("clients", { isCa: true, names: null, signer: "clients" });
    for (const name of ["alice", "bob"]) authority.issue(name, { signer: "clients", names: null });
    const verify = [`ssl_client_certificate ${authority.path("clients.pem")};`, "ssl_verify_client on;"];
    const lines = [...verify, 'location / { return 200 "$ssl_client_verify $ssl_client_s_dn"; }'];
    sites = made.use(await nginxSites(authority, { strict: { certificate: "server", lines } }));
    const runtime = made.use(await makeScriptRuntime());
    site = made.use(await Site.start());
    agent = await site.agent(await site.location("north"), { RUNTIMES_DIR: runtime.folder }).ready();
  }, 120_000);
  afterAll(() => made.disposeAsync());

  async function certificate(host: string, name: string, more: object = {}): Promise<void> {
    const files = { cert: authority.read(`${name}.pem`), key: authority.read(`${name}.key`), ca: authority.read("root.pem") };
    await site.api("POST", "/v1/client-certificates", { host, ...files, ...more });
  }
  async function ran(url: string, body: object = {}): Promise<CheckResult> {
    const request = { method: "GET", url, assertions: [] };
    return resultOf(await site.check(url, ["north"], { runtimeId: "2026.04", request, ...body }));
  }
  async function resultOf(check: string): Promise<CheckResult> {
    const [session] = await site.trigger(check);
    if (session === undefined) throw new Error("nothing was triggered");
    await site.ended(session);
    const [result] = (await site.results(check)) as [CheckResult];
    return result;
  }
  const strict = (host: string): string => `https://${host}:${sites.port("strict")}/`;

  it("are shown to a real nginx by host, the newest first, also where a script chooses the host", async () => {
    await certificate("localhost", "alice");
    await certificate("other.example.com", "alice");
    const first = await ran(strict("localhost"));
    expect(first.apiCheckResult?.response).toMatchObject({ status: 200, body: "SUCCESS CN=alice" });
    const encrypted = createPrivateKey(authority.read("bob.key")).export({
      type: "pkcs8",
      format: "pem",
      cipher: "aes-256-cbc",
      passphrase,
    });
    await certificate("localhost", "bob", { key: encrypted, passphrase });
    expect((await ran(strict("localhost"))).apiCheckResult?.response).toMatchObject({ body: "SUCCESS CN=bob" });
    const moved = await ran("http://127.0.0.1:1/", { localSetupScript: `request.url = ${JSON.stringify(strict("localhost"))}` });
    expect(moved.apiCheckResult?.response).toMatchObject({ body: "SUCCESS CN=bob" });
  }, 120_000);

  it("are not shown to other hosts, nor by URL monitors; keys and passphrases stand nowhere", async () => {
    const other = await ran(strict("127.0.0.1"), { request: { method: "GET", url: strict("127.0.0.1"), skipSSL: true } });
    expect(other).toMatchObject({ hasFailures: true });
    expect(other.apiCheckResult?.response?.body).toContain("No required SSL certificate was sent");
    const request = { url: strict("localhost"), skipSSL: true, assertions: [] };
    const monitor = { name: "monitor", privateLocations: ["north"], frequency: 1440, retryStrategy: null, request };
    const { id } = await site.api<{ id: string }>("POST", "/v1/checks/url", monitor);
    expect((await resultOf(id)).apiCheckResult?.response?.status).toBe(400);
    const told = [JSON.stringify(await site.api("GET", "/v1/client-certificates")), JSON.stringify(other), agent.stderr];
    const lines = authority.read("alice.key").split("\n").slice(1, 2);
    for (const text of [...told, site.controlPlane.stderr])
      for (const secret of [passphrase, ...lines]) expect(findSecret(Buffer.from(text), secret)).toEqual([]);
  }, 120_000);
});
