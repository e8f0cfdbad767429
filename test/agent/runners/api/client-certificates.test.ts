import { createPrivateKey } from "node:crypto";
import { createServer } from "node:https";
import type { TLSSocket } from "node:tls";
import { afterAll, describe, expect, it } from "vitest";
import type { JobCertificate } from "#contract/agent-protocol.ts";
import { UrlCheckSettings } from "#contract/checks/url.ts";
import { createTrust } from "../../../../src/agent/net/tls.ts";
import { createApiRunner } from "../../../../src/agent/runners/api/api-runner.ts";
import { createUrlRunner } from "../../../../src/agent/runners/api/url-runner.ts";
import { proxyServer } from "../../../support/http-servers/proxy-server.ts";
import { serve } from "../../../support/http-servers/raw-server.ts";
import { noNginx } from "../../../support/nginx.ts";
import { fixedResolver, runContext } from "../../../support/run-context.ts";
import { Authority } from "../ssl/authority.ts";
import { nginxSites, opensslServer } from "../ssl/tls-servers.ts";
import { apiChecks } from "./api-check.ts";

// `root` signs servers, `clients` signs clients: alice and bob directly, carol by an intermediate.
const authority = new Authority();
afterAll(() => authority[Symbol.dispose]());
const hosts = ["a.x.example", "b.x.example", "c.y.example"];
authority.issue("server", { names: `${hosts.map((host) => `DNS:${host}`).join(",")},DNS:localhost,IP:127.0.0.1` });
authority.issue("clients", { isCa: true, names: null, signer: "clients" });
authority.issue("between", { isCa: true, names: null, signer: "clients" });
for (const name of ["alice", "bob"]) authority.issue(name, { signer: "clients", names: null });
authority.issue("carol", { signer: "between", names: null });
authority.issue("mallory", { signer: "mallory", names: null });
authority.bundle("carol-chain.pem", "carol", "between");

const run = apiChecks([authority.read("root.pem")]);
const resolver = fixedResolver({ ...Object.fromEntries(hosts.map((host) => [host, ["127.0.0.1"]])), localhost: ["127.0.0.1"] });

function certificate(host: string, name: string, more: Partial<JobCertificate> = {}): JobCertificate {
  return { host, cert: authority.read(`${name}.pem`), key: authority.read(`${name}.key`), ca: null, passphrase: null, ...more };
}

/** Answers whom it saw, by the subject's common name, and redirects to `?to=`. `seen` has the name of each request, in order. */
async function mutualServer(options: { readonly isRequired?: boolean } = {}) {
  const seen: string[] = [];
  const server = createServer({
    key: authority.read("server.key"),
    cert: authority.read("server.pem"),
    ca: authority.read("clients.pem"),
    requestCert: true,
    rejectUnauthorized: options.isRequired === true,
  });
  server.on("request", (request, response) => {
    const socket = request.socket as TLSSocket; // of a TLS server
    const name = socket.getPeerX509Certificate()?.subject.replace("CN=", "") ?? "nobody";
    seen.push(socket.authorized || name === "nobody" ? name : `${name}, untrusted`);
    const to = new URL(request.url ?? "", "https://h").searchParams.get("to");
    if (to === null) response.end(name);
    else response.writeHead(302, { location: to }).end();
  });
  return { ...(await serve(server, "listening", () => undefined)), seen };
}

describe("a client certificate", () => {
  it("is shown to its host, and to no other", async () => {
    await using server = await mutualServer();
    const certificates = [certificate("a.x.example", "alice"), certificate("c.y.example", "bob")];
    for (const host of ["a.x.example", "b.x.example", "c.y.example", "localhost"]) {
      expect((await run({ url: `https://${host}:${server.port}/` }, { certificates, resolver })).failure).toBeNull();
    }
    expect(server.seen).toEqual(["alice", "nobody", "bob", "nobody"]);
  });

  it("is chosen by an exact host before a wildcard, then the newest", async () => {
    await using server = await mutualServer();
    const certificates = [
      certificate("*.x.example", "alice"),
      certificate("*.x.example", "bob"),
      certificate("a.x.example", "bob"),
      certificate("a.x.example", "alice"),
    ];
    await run({ url: `https://a.x.example:${server.port}/` }, { certificates, resolver });
    await run({ url: `https://b.x.example:${server.port}/` }, { certificates, resolver });
    expect(server.seen).toEqual(["bob", "alice"]);
  });

  it("may be for an address", async () => {
    await using server = await mutualServer();
    await run({ url: `https://127.0.0.1:${server.port}/` }, { certificates: [certificate("127.0.0.1", "alice")] });
    expect(server.seen).toEqual(["alice"]);
  });

  it("is chosen anew for each hop of a redirect", async () => {
    await using server = await mutualServer();
    const certificates = [certificate("a.x.example", "alice"), certificate("c.y.example", "bob")];
    const back = encodeURIComponent(`https://c.y.example:${server.port}/`);
    const to = encodeURIComponent(`https://b.x.example:${server.port}/?to=${back}`);
    const seen = await run({ url: `https://a.x.example:${server.port}/?to=${to}` }, { certificates, resolver });
    expect(seen).toMatchObject({ failure: null, statusCode: 200 });
    expect(server.seen).toEqual(["alice", "nobody", "bob"]);
  });

  it("goes through a proxy to its host, and stays on the way to others", async () => {
    await using server = await mutualServer();
    await using proxy = await proxyServer();
    const given = { certificates: [certificate("127.0.0.1", "alice")], proxyUrl: `http://127.0.0.1:${proxy.port}` };
    await run({ url: `https://127.0.0.1:${server.port}/` }, given);
    await run({ url: `https://localhost:${server.port}/` }, given);
    expect(server.seen).toEqual(["alice", "nobody"]);
    expect(proxy.asked).toHaveLength(2);
  });

  it("comes with its intermediate certificates", async () => {
    await using server = await mutualServer({ isRequired: true });
    const certificates = [certificate("localhost", "carol", { cert: authority.read("carol-chain.pem") })];
    expect((await run({ url: `https://localhost:${server.port}/` }, { certificates, resolver })).failure).toBeNull();
    expect(server.seen).toEqual(["carol"]);
  });

  it.each(["aes-256-cbc", "des-ede3-cbc"])("may have a key that is encrypted with %s", async (cipher) => {
    await using server = await mutualServer({ isRequired: true });
    const plain = createPrivateKey(authority.read("alice.key"));
    const key = plain.export({ type: "pkcs8", format: "pem", cipher, passphrase: "hush" }).toString();
    const certificates = [certificate("localhost", "alice", { key, passphrase: "hush" })];
    expect((await run({ url: `https://localhost:${server.port}/` }, { certificates, resolver })).failure).toBeNull();
    expect(server.seen).toEqual(["alice"]);
  });

  it("is not shown by URL monitors", async () => {
    await using server = await mutualServer();
    const trust = createTrust([authority.read("root.pem")]);
    const runner = createUrlRunner(createApiRunner(() => trust));
    const settings = UrlCheckSettings.parse({
      request: { url: `https://localhost:${server.port}/` },
      degradedResponseTime: null,
      maxResponseTime: null,
    });
    const seen = await runner.run(settings, runContext({ certificates: [certificate("localhost", "alice")], resolver }));
    expect(seen.failure).toBeNull();
    expect(server.seen).toEqual(["nobody"]);
  });
});

describe("the authorities of a client certificate", () => {
  const unknowing = apiChecks();

  it.each([
    ["a root", "root.pem"],
    ["a server's own certificate among others", "both.pem"],
  ])("are trusted for its host alone, beside the agent's own (%s)", async (_title, file) => {
    authority.bundle("both.pem", "clients", "root");
    await using server = await mutualServer();
    const certificates = [certificate("a.x.example", "alice", { ca: authority.read(file) })];
    expect((await unknowing({ url: `https://a.x.example:${server.port}/` }, { certificates, resolver })).failure).toBeNull();
    const other = await unknowing({ url: `https://b.x.example:${server.port}/` }, { certificates, resolver });
    expect(other.failure).toMatchObject({ code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
    expect(server.seen).toEqual(["alice"]);
  });

  it("do not replace the agent's own", async () => {
    await using server = await mutualServer();
    const certificates = [certificate("localhost", "alice", { ca: authority.read("clients.pem") })];
    expect((await run({ url: `https://localhost:${server.port}/` }, { certificates, resolver })).failure).toBeNull();
  });
});

describe("a client certificate that cannot be used", () => {
  const encrypted = createPrivateKey(authority.read("alice.key"))
    .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "hush" })
    .toString();

  it.each<[string, Partial<JobCertificate>, string]>([
    ["has another's key", { key: authority.read("bob.key") }, "its key does not belong to the certificate in cert"],
    ["has a wrong passphrase", { key: encrypted, passphrase: "wrong-secret" }, "its key cannot be read with this passphrase"],
    ["lacks its passphrase", { key: encrypted }, "its passphrase is required: the key is encrypted"],
    ["has no key", { key: "" }, "its key must be PEM with one private key"],
    ["is none", { cert: "nonsense" }, "its cert must be PEM with at least one certificate"],
    ["has broken authorities", { ca: "nonsense" }, "its ca must be PEM with at least one certificate"],
  ])("because it %s fails the check before anything is sent, and names its host", async (_title, more, problem) => {
    await using server = await mutualServer();
    const certificates = [certificate("*.x.example", "alice", more)];
    const url = `https://a.x.example:${server.port}/`;
    for (let times = 0; times < 2; times += 1) {
      const { failure, result } = await run({ url }, { certificates, resolver });
      expect(failure).toEqual({
        code: "ECLIENTCERT",
        side: "target",
        message: `the client certificate for *.x.example cannot be used: ${problem}`,
      });
      expect(result.response).toBeNull();
    }
    expect(server.connections()).toBe(0);
    expect((await run({ url: `https://localhost:${server.port}/` }, { certificates, resolver })).failure).toBeNull();
  });

  it("because OpenSSL finds it too weak is told by OpenSSL's code", async () => {
    authority.issue("weak", { signer: "clients", names: null, key: ["rsa:1024"] });
    const { failure } = await run({ url: "https://localhost:1/" }, { certificates: [certificate("localhost", "weak")], resolver });
    expect(failure).toMatchObject({ code: "ECLIENTCERT", message: expect.stringMatching(/OpenSSL does not take it \(ERR_SSL_\w+\)$/) });
  });
});

describe("a server that requires a client certificate", () => {
  it("and gets none is EPROTO, in words that say so", async () => {
    await using server = await mutualServer({ isRequired: true });
    const { failure } = await run({ url: `https://localhost:${server.port}/` }, { resolver });
    expect(failure).toMatchObject({
      code: "EPROTO",
      message: expect.stringContaining(`127.0.0.1:${server.port} wants a client certificate`),
    });
    expect(server.seen).toEqual([]);
  });

  it.each(["-tls1_2", "-tls1_3"])("and does not know its issuer is EPROTO, in words that say so (openssl %s)", async (version) => {
    const files = ["-cert", authority.path("server.pem"), "-key", authority.path("server.key"), "-CAfile", authority.path("clients.pem")];
    const verify = ["-Verify", "2", "-verify_return_error"];
    await using server = await opensslServer([...files, ...verify, version, "-www"]);
    const url = `https://127.0.0.1:${server.port}/`;
    const known = await run({ url }, { certificates: [certificate("127.0.0.1", "alice")] });
    expect(known).toMatchObject({ failure: null, statusCode: 200 });
    const { failure } = await run({ url }, { certificates: [certificate("127.0.0.1", "mallory")] });
    expect(failure).toMatchObject({ code: "EPROTO", message: expect.stringContaining("does not accept the client certificate") });
  });

  it("as a real nginx sees the one that its host gets", async (context) => {
    context.skip(noNginx !== null, `skipped: ${noNginx}`);
    const verify = [`ssl_client_certificate ${authority.path("clients.pem")};`, "ssl_verify_client on;", "ssl_verify_depth 2;"];
    const lines = [...verify, 'location / { return 200 "$ssl_client_verify $ssl_client_s_dn"; }'];
    await using sites = await nginxSites(authority, { strict: { certificate: "server", lines } });
    const url = `https://localhost:${sites.port("strict")}/`;
    const body = async (certificates: readonly JobCertificate[]) => {
      const { result } = await run({ url }, { certificates, resolver });
      return [result.response?.status, result.response?.body];
    };
    expect(await body([certificate("localhost", "alice")])).toEqual([200, "SUCCESS CN=alice"]);
    expect(await body([certificate("localhost", "carol", { cert: authority.read("carol-chain.pem") })])).toEqual([200, "SUCCESS CN=carol"]);
    expect(await body([certificate("other.example", "alice")])).toEqual([
      400,
      expect.stringContaining("No required SSL certificate was sent"),
    ]);
    expect(await body([certificate("localhost", "mallory")])).toEqual([400, expect.stringContaining("The SSL certificate error")]);
  });
});
