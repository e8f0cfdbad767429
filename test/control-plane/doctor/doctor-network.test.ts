import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeCertificates } from "../../support/certificates.ts";
import { installedProxies, startForwardProxy } from "../../support/forward-proxies.ts";
import { freePort } from "../../support/free-ports.ts";
import { type RawServer, serve } from "../../support/http-servers/raw-server.ts";
import { otlpReceiver } from "../../support/otlp-receiver.ts";
import { OutpostProcess } from "../../support/processes.ts";
import { hasS3Server, startS3Server } from "../../support/s3-server.ts";
import { mailServer } from "../alerting/channels/mail-server.ts";
import { oidcServer } from "../console/sign-in/oidc-server.ts";
import { modelEndpoint } from "../root-causes/model-endpoint.ts";
import { dataFolder, usual, worst } from "./staged.ts";

const folder = dataFolder();
afterAll(() => folder[Symbol.dispose]());
const env = usual(folder.path);
const web = (answer: RequestListener): Promise<RawServer> => serve(createServer(answer), "listening", () => undefined);

describe("the look at the mail server", () => {
  const mail = (url: string, more: Record<string, string> = {}) => worst("mail", { ...env, SMTP_URL: url, ...more });
  const login = { authMethods: ["PLAIN"] };

  it("is content with one that takes the login, and sends nothing", async () => {
    using certificates = makeCertificates();
    await using server = await mailServer({
      ...certificates.pair("good"),
      ...login,
      onAuth: (_auth, _session, done) => done(null, { user: "me" }),
    });
    expect(await mail(`smtp://me:s3cret-passw0rd@127.0.0.1:${server.port}`, { SMTP_TLS: "unverified" })).toMatchObject({
      verdict: "ok",
      text: expect.stringContaining("answers and accepts user and password") as unknown,
    });
    expect(server.mails).toEqual([]);
  });

  it("names a login that is refused", async () => {
    using certificates = makeCertificates();
    await using server = await mailServer({
      ...certificates.pair("good"),
      ...login,
      onAuth: (_auth, _session, done) => done(new Error("no")),
    });
    expect(await mail(`smtp://me:s3cret-passw0rd@127.0.0.1:${server.port}`, { SMTP_TLS: "unverified" })).toMatchObject({
      verdict: "fail",
      text: expect.stringContaining("refuses the login") as unknown,
    });
  });

  it("names a server that is away, one without STARTTLS, a certificate that nobody trusts, and one that is no mail server", async () => {
    expect((await mail(`smtp://127.0.0.1:${await freePort()}`)).text).toMatch(/cannot be reached \(.*ECONNREFUSED/);
    await using open = await mailServer();
    expect((await mail(`smtp://127.0.0.1:${open.port}`, { SMTP_TLS: "required" })).text).toContain("no encryption with the mail server");
    using certificates = makeCertificates();
    await using secure = await mailServer(certificates.pair("good"));
    expect((await mail(`smtp://localhost:${secure.port}`, { SMTP_TLS: "required" })).text).toContain("no encryption with the mail server");
    await using page = await web((_, response) => response.end("hello"));
    expect((await mail(`smtp://127.0.0.1:${page.port}`)).text).toContain("does not answer as one");
  });
});

describe("the look at the collector of telemetry", () => {
  it("is content with one that takes what it is sent, and names what is wrong with another", async () => {
    expect(await worst("telemetry", env)).toMatchObject({ verdict: "ok", text: expect.stringContaining("no collector") as unknown });
    await using takes = await otlpReceiver();
    expect(await worst("telemetry", { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: takes.endpoint })).toMatchObject({ verdict: "ok" });
    expect(takes.received.map(({ path }) => path)).toEqual(["/v1/traces", "/v1/metrics", "/v1/logs"]);
    await using refuses = await otlpReceiver(() => 404);
    const refused = await worst("telemetry", { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: refuses.endpoint });
    expect(refused).toMatchObject({ verdict: "warn", text: expect.stringContaining("it answers 404 to traces") as unknown });
    const metadata = await worst("telemetry", { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: "http://169.254.169.254:4318" });
    expect(metadata).toMatchObject({ verdict: "warn", text: expect.stringContaining("egress policy") as unknown });
  });
});

describe("the look at the model for root causes", () => {
  const model = (url: string, key: string) =>
    worst("root-cause model", { ...env, ROOT_CAUSE_MODEL_URL: url, ROOT_CAUSE_MODEL: "small", ROOT_CAUSE_MODEL_KEY: key });

  it("is content with one that answers, and sends it nothing of an account", async () => {
    expect(await worst("root-cause model", env)).toMatchObject({
      verdict: "ok",
      text: expect.stringContaining("no model is set") as unknown,
    });
    await using endpoint = await modelEndpoint();
    expect(await model(`${endpoint.url}/v1`, endpoint.key)).toMatchObject({ verdict: "ok" });
    expect(endpoint.asked).toHaveLength(1);
  });

  it("names a wrong key, a wrong address, one that is away and one that answers something else", async () => {
    await using endpoint = await modelEndpoint();
    const wrong = await model(`${endpoint.url}/v1`, "another-key");
    expect(wrong).toMatchObject({ verdict: "warn", text: expect.stringContaining("refuses the key (status 401)") as unknown });
    expect(JSON.stringify(wrong)).not.toContain("another-key");
    expect((await model(endpoint.url, endpoint.key)).text).toContain("no such address or model (status 404)");
    expect((await model(`http://127.0.0.1:${await freePort()}/v1`, "k")).text).toContain("cannot be reached");
    await using page = await web((_, response) => response.end("<html>Sign in</html>"));
    expect((await model(`http://127.0.0.1:${page.port}/v1`, "k")).text).toContain("not of the chat API");
  });
});

describe("the look at the OpenID provider", () => {
  const openid = (issuer: string) => worst("OpenID", { ...env, OIDC_ISSUER: issuer, OIDC_CLIENT_ID: "outpost" });

  it("is content with one that names itself as it should", async () => {
    await using provider = await oidcServer("a-secret-of-the-client");
    expect(await openid(provider.issuer)).toMatchObject({ verdict: "ok" });
    expect(await openid(`${provider.issuer}/`)).toMatchObject({
      verdict: "fail",
      text: expect.stringContaining(`the provider names itself ${provider.issuer}, and not`) as unknown,
    });
    expect(await openid(`${provider.issuer}/realms/x`)).toMatchObject({ verdict: "fail" });
  });

  it("names one that is away, one without a document, and another page", async () => {
    expect((await openid(`http://127.0.0.1:${await freePort()}`)).text).toContain("ECONNREFUSED");
    await using empty = await web((_, response) => response.writeHead(404).end());
    expect((await openid(`http://127.0.0.1:${empty.port}`)).text).toBe("the provider shows no discovery document (404)");
    await using page = await web((_, response) => response.end("<html>Sign in</html>"));
    expect((await openid(`http://127.0.0.1:${page.port}`)).text).toBe("what answers there is no discovery document");
  });

  it("compares its clock", async () => {
    await using late = await web((_, response) => response.writeHead(404, { date: new Date(Date.now() - 3_600_000).toUTCString() }).end());
    const settings = { ...env, OIDC_ISSUER: `http://127.0.0.1:${late.port}`, OIDC_CLIENT_ID: "outpost" };
    expect(await worst("system clock", settings)).toMatchObject({
      verdict: "warn",
      text: expect.stringMatching(/^this machine's clock is 36\d\d s ahead of the OpenID provider's$/) as unknown,
    });
  });
});

describe("the look at the S3 store", () => {
  it("names one that is away", async () => {
    const s3 = {
      ARTIFACT_STORE: "s3",
      S3_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
      S3_BUCKET: "bucket",
      S3_ACCESS_KEY_ID: "id",
      S3_SECRET_ACCESS_KEY: "a-passw0rd",
    };
    expect(await worst("artifacts", { ...env, ...s3 })).toMatchObject({
      verdict: "fail",
      text: expect.stringContaining("ECONNREFUSED") as unknown,
    });
  });

  it.skipIf(!hasS3Server())("names a bucket, a key and a secret that are wrong, and leaves nothing behind", async () => {
    await using server = await startS3Server();
    const s3 = (more: Record<string, string> = {}) => worst("artifacts", { ...env, ...server.env, ...more });
    expect(await s3()).toMatchObject({ verdict: "ok" });
    expect((await s3({ S3_BUCKET: "not-there" })).text).toContain("there is no such bucket");
    expect((await s3({ S3_ACCESS_KEY_ID: "somebody-else" })).text).toContain("the access key is unknown");
    expect((await s3({ S3_SECRET_ACCESS_KEY: "another-passw0rd" })).text).toContain("the secret is not that of the access key");
  });
});

describe("the look at the public URL", () => {
  const shown = (url: string, more: Record<string, string> = {}) => worst("public URL", { ...env, PUBLIC_URL: url, ...more });

  it("warns where there is none", async () => {
    expect(await worst("public URL", env)).toMatchObject({
      verdict: "warn",
      text: expect.stringContaining("PUBLIC_URL is not set") as unknown,
    });
  });

  it("names nobody, something else, a redirect, a proxy without a control plane, and another version", async () => {
    expect((await shown(`http://127.0.0.1:${await freePort()}`)).text).toMatch(/^nobody answers at PUBLIC_URL \(.*ECONNREFUSED/);
    expect((await shown("http://outpost.invalid")).text).toMatch(/^nobody answers at PUBLIC_URL \(.*(ENOTFOUND|EAI_AGAIN)/);
    await using page = await web((_, response) => response.setHeader("content-type", "text/html").end("<html>"));
    expect((await shown(`http://127.0.0.1:${page.port}`)).text).toBe("something else than Outpost answers there (200, text/html)");
    await using away = await web((_, response) => response.writeHead(301, { location: "https://outpost.example/" }).end());
    expect((await shown(`http://127.0.0.1:${away.port}`)).text).toBe("it leads on to https://outpost.example/ (301)");
    await using gateway = await web((_, response) => response.writeHead(502).end());
    expect((await shown(`http://127.0.0.1:${gateway.port}`)).text).toContain(
      "a proxy answers there, but cannot reach the control plane (502); no control plane answers",
    );
    await using other = await web((_, response) => response.end(JSON.stringify({ status: "ok", store: "ok", version: "0.0.1" })));
    expect((await shown(`http://127.0.0.1:${other.port}`)).text).toContain("an Outpost of version 0.0.1 answers there");
  });

  it("names a certificate that nobody vouches for, and who issued it", async () => {
    using certificates = makeCertificates();
    await using server = await serve(createSecureServer(certificates.pair("selfSigned")), "listening", () => undefined);
    expect(await shown(`https://localhost:${server.port}`)).toMatchObject({
      verdict: "fail",
      text: expect.stringContaining("(DEPTH_ZERO_SELF_SIGNED_CERT): CN=localhost, issued by CN=localhost") as unknown,
      next: expect.stringContaining("must trust its CA") as unknown,
    });
  });

  it.each([
    [
      "expired",
      /its certificate is refused \(CERT_HAS_EXPIRED\): CN=expired.* ended/,
      "renew the certificate, or correct this machine's clock",
    ],
    [
      "wrongHost",
      /its certificate is refused \(ERR_TLS_CERT_ALTNAME_INVALID\): CN=wrongHost/,
      "use a certificate for the host of PUBLIC_URL",
    ],
  ] as const)("names a certificate of a CA that is trusted, but that is %s", async (name, text, next) => {
    using certificates = makeCertificates();
    await using server = await serve(createSecureServer(certificates.pair(name)), "listening", () => undefined);
    const given = { ...env, PUBLIC_URL: `https://localhost:${server.port}`, NODE_EXTRA_CA_CERTS: join(certificates.folder, "ca.pem") };
    await using doctor = new OutpostProcess(["doctor", "control-plane"], given, folder.path);
    expect(await doctor.exit()).toBe(1);
    expect(doctor.stdout).toMatch(text);
    expect(doctor.stdout).toContain(next);
    expect(doctor.stdout).toContain("A control plane cannot work here until the marked points are put right.");
  });
});

describe("the look at files and proxies", () => {
  it("names a key that does not fit, a certificate that ended, one that ends soon, and one for another host", async () => {
    using certificates = makeCertificates({ goodDays: 9 });
    const tls = (cert: string, key: string, more: Record<string, string> = {}) =>
      worst("TLS files", {
        ...env,
        TLS_CERT_FILE: join(certificates.folder, `${cert}.pem`),
        TLS_KEY_FILE: join(certificates.folder, `${key}.key`),
        ...more,
      });
    expect((await tls("good", "expired")).text).toContain("of the certificate in TLS_CERT_FILE");
    expect((await tls("nowhere", "good")).text).toContain("cannot be read");
    expect(await tls("expired", "expired")).toMatchObject({ verdict: "fail", text: expect.stringContaining("ended") as unknown });
    expect(await tls("good", "good")).toMatchObject({ verdict: "warn", text: expect.stringMatching(/ends in [89] days/) as unknown });
    const other = await tls("selfSigned", "selfSigned", { PUBLIC_URL: "https://outpost.invalid" });
    expect(other).toMatchObject({ verdict: "warn", text: expect.stringContaining("it is not for outpost.invalid") as unknown });
  });

  it("names a forward proxy that is away", async () => {
    const HTTPS_PROXY = `http://me:s3cret-passw0rd@127.0.0.1:${await freePort()}`;
    expect(await worst("forward proxy", { ...env, HTTPS_PROXY })).toMatchObject({
      verdict: "fail",
      text: expect.stringMatching(/^HTTPS_PROXY is 127\.0\.0\.1:\d+, which cannot be reached/) as unknown,
    });
  });

  it.each(installedProxies())("names a wrong password of a real $name where something is asked through it", async (kind) => {
    await using proxy = await startForwardProxy(kind, "outpost:r1ght-passw0rd");
    await using page = await web((_, response) => response.end());
    const through = {
      HTTP_PROXY: proxy.url.replace("r1ght", "wr0ng"),
      OIDC_ISSUER: `http://127.0.0.1:${page.port}`,
      OIDC_CLIENT_ID: "outpost",
    };
    expect(await worst("forward proxy", { ...env, ...through })).toMatchObject({ verdict: "ok" });
    expect((await worst("OpenID", { ...env, ...through })).text).toMatch(/\((407|401)\)/);
  });
});
