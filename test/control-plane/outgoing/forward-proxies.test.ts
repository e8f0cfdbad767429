import { createServer as createSecureServer } from "node:https";
import { describe, expect, it, vi } from "vitest";
import { proxySettings } from "#daemon/proxy.ts";
import { emailSender } from "../../../src/control-plane/alerting/channels/email.ts";
import { createS3Store } from "../../../src/control-plane/blob-store/s3-store.ts";
import { readControlPlaneConfig } from "../../../src/control-plane/config.ts";
import { createEgress } from "../../../src/control-plane/outgoing/egress.ts";
import { createChannelHttp } from "../../../src/control-plane/outgoing/http-client.ts";
import { deliverByHttp } from "../../../src/control-plane/outgoing/http-outcome.ts";
import { makeCertificates } from "../../support/certificates.ts";
import { type ForwardProxy, installedProxies, startForwardProxy } from "../../support/forward-proxies.ts";
import { proxyServer } from "../../support/http-servers/proxy-server.ts";
import { rawServer, serve } from "../../support/http-servers/raw-server.ts";
import { hasS3Server, startS3Server } from "../../support/s3-server.ts";
import { sampleMessage } from "../../support/sample-alert.ts";
import { mailServer } from "../alerting/channels/mail-server.ts";
import { neverAborted, receiver } from "../alerting/channels/receiver.ts";
import { browser } from "../console/browser.ts";
import { connect } from "../console/connect.ts";
import { firstOwner } from "../console/people.ts";
import { oidcServer } from "../console/sign-in/oidc-server.ts";
import { controlPlaneUnderTest } from "../control-plane-under-test.ts";

/** A proxy writes of a tunnel when it has ended. */
const logged = (proxy: ForwardProxy, text: string) =>
  vi.waitFor(() => expect(proxy.asked()).toContain(text), { timeout: 20_000, interval: 50 });
const through = (proxy: string, noProxy = "") => proxySettings({ HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: noProxy });
const call = (url: string) => ({ call: { method: "POST", url: new URL(url), headers: {}, body: "{}" } as const, secrets: [] });
const everywhere = createEgress({ mode: "public-only", allowCidrs: ["127.0.0.1"] });

function client(
  proxy: string,
  more: { readonly noProxy?: string; readonly egress?: typeof everywhere; readonly cas?: readonly string[] } = {},
) {
  const { noProxy, egress = everywhere, cas } = more;
  const http = createChannelHttp({ egress, nowMs: Date.now, proxies: through(proxy, noProxy), ...(cas && { cas }) });
  return { deliver: (url: string) => deliverByHttp(http, call(url), neverAborted), [Symbol.asyncDispose]: () => http.close() };
}

describe.each(installedProxies())("messages through a real $name", (kind) => {
  it("to http are forwarded, and those to https get a tunnel", async () => {
    using certificates = makeCertificates();
    await using plain = await receiver();
    const secure = await serve(
      createSecureServer(certificates.pair("good"), (request, response) => void request.resume().on("end", () => response.end("ok"))),
      "listening",
      () => undefined,
    );
    await using proxy = await startForwardProxy(kind);
    await using http = client(proxy.url, { cas: [certificates.ca] });
    expect(await http.deliver(plain.url)).toMatchObject({ ok: true });
    expect(await http.deliver(`https://localhost:${secure.port}/hook`)).toMatchObject({ ok: true });
    await secure[Symbol.asyncDispose]();
    expect(plain.received).toMatchObject([{ method: "POST", body: "{}" }]);
    expect(plain.received[0]?.headers).not.toHaveProperty("proxy-authorization");
    await logged(proxy, "POST");
    await logged(proxy, `CONNECT localhost:${secure.port}`);
  });

  it("leave it out where NO_PROXY names the receiver", async () => {
    await using plain = await receiver();
    await using proxy = await startForwardProxy(kind);
    await using http = client(proxy.url, { noProxy: "127.0.0.0/8" });
    expect(await http.deliver(plain.url)).toMatchObject({ ok: true });
    expect(proxy.asked()).not.toContain("POST");
  });

  it.each(["http://169.254.169.254/latest", "http://metadata.google.internal/", "http://10.0.0.1/", "http://localhost:9/"])(
    "to %s are refused before the proxy is asked",
    async (url) => {
      await using proxy = await startForwardProxy(kind);
      await using http = client(proxy.url, { egress: createEgress({ mode: "public-only", allowCidrs: [] }) });
      expect(await http.deliver(url)).toMatchObject({ ok: false, isRetryable: false, status: expect.stringContaining("egress policy") });
      expect(proxy.asked()).not.toContain("POST");
    },
  );

  it("to a name that only the proxy could know are its to judge", async () => {
    await using proxy = await startForwardProxy(kind);
    await using http = client(proxy.url, { egress: createEgress({ mode: "public-only", allowCidrs: [] }) });
    expect(await http.deliver("http://hook.nowhere.invalid/")).toMatchObject({ ok: false, status: expect.stringMatching(/^50[0-4]/) });
    await logged(proxy, "hook.nowhere.invalid");
  });

  it("sign-in by OpenID goes the same way", async () => {
    await using provider = await oidcServer("top-secret");
    await using proxy = await startForwardProxy(kind);
    await using plane = await controlPlaneUnderTest({
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: "outpost",
      OIDC_CLIENT_SECRET: "top-secret",
      http_proxy: proxy.url,
    });
    await connect(await firstOwner(plane), provider);
    provider.claims = { email: "ADA@example.com", email_verified: true };
    const here = browser(plane.base);
    const { location } = await here.get("/sign-in/sso?to=/members");
    expect((await here.get(provider.authorize(location ?? ""))).location).toBe("/members");
    await logged(proxy, ".well-known/openid-configuration");
  });

  it.skipIf(!hasS3Server())("files go the same way to S3", async () => {
    await using server = await startS3Server();
    await using proxy = await startForwardProxy(kind);
    const store = createS3Store(server.settings, through(proxy.url), Date.now);
    expect(await store.begin("ab0123")).not.toBe("");
    await logged(proxy, "POST");
  });
});

describe("a proxy that refuses", () => {
  it.each([
    [{ credentials: "Basic other" }, "the proxy asks for a user and a password (407); see HTTPS_PROXY"],
    [{ connectStatus: 403 }, "the proxy refused the connection (403); see HTTPS_PROXY"],
  ])("is named as the reason, without its password", async (options, text) => {
    await using proxy = await proxyServer(options);
    await using http = client(`http://user:canary-word@127.0.0.1:${proxy.port}`);
    const outcome = await http.deliver("https://127.0.0.1:9/hook");
    expect(outcome).toMatchObject({ ok: false, isRetryable: true, status: expect.stringContaining(text) });
    expect(JSON.stringify(outcome)).not.toContain("canary-word");
  });
});

const tinyproxy = installedProxies().filter(({ name }) => name === "tinyproxy");
describe.each(tinyproxy)("a $name with a password", (kind) => {
  it("takes the one in its URL, and no other", async () => {
    await using plain = await receiver();
    await using proxy = await startForwardProxy(kind, "watcher:open-sesame");
    await using right = client(proxy.url);
    await using wrong = client(proxy.url.replace("sesame", "barley"));
    expect(await right.deliver(plain.url)).toMatchObject({ ok: true });
    expect(await wrong.deliver(plain.url)).toMatchObject({ ok: false });
    expect(plain.received).toHaveLength(1);
  });
});

describe.each(installedProxies())("mail through a real $name", (kind) => {
  it("takes a tunnel to the mail server where SMTP_PROXY names it", async () => {
    await using mails = await mailServer();
    await using proxy = await startForwardProxy(kind);
    const { smtp } = readControlPlaneConfig({ SMTP_URL: `smtp://127.0.0.1:${mails.port}`, SMTP_PROXY: proxy.url }).channels;
    const sender = emailSender({ smtp, egress: createEgress({ mode: "default", allowCidrs: [] }) });
    expect(await sender.send({ address: "ada@example.com" }, sampleMessage(), "delivery-1", neverAborted)).toMatchObject({ ok: true });
    expect(mails.mails).toMatchObject([{ to: ["ada@example.com"] }]);
    await logged(proxy, `CONNECT 127.0.0.1:${mails.port}`);
  });
});

it("mail says that its proxy refused, and does not go straight", async () => {
  await using mails = await mailServer();
  await using proxy = await proxyServer({ connectStatus: 403 });
  const settings = { SMTP_URL: `smtp://127.0.0.1:${mails.port}`, SMTP_PROXY: `http://user:canary-word@127.0.0.1:${proxy.port}` };
  const sender = emailSender({
    smtp: readControlPlaneConfig(settings).channels.smtp,
    egress: createEgress({ mode: "default", allowCidrs: [] }),
  });
  const outcome = await sender.send({ address: "ada@example.com" }, sampleMessage(), "delivery-1", neverAborted);
  expect(outcome).toMatchObject({
    ok: false,
    isRetryable: true,
    status: expect.stringContaining("refused the connection (403); see SMTP_PROXY"),
  });
  expect(JSON.stringify(outcome)).not.toContain("canary-word");
  expect(mails.mails).toEqual([]);
});

it("mail gives up a proxy that never answers, and nothing is left that could end the process", async () => {
  await using proxy = await rawServer(() => undefined);
  const env = { SMTP_URL: "smtp://127.0.0.1:25", SMTP_PROXY: `http://127.0.0.1:${proxy.port}` };
  const limits = { connectMs: 100, idleMs: 60_000, wholeMs: 60_000 };
  const egress = createEgress({ mode: "default", allowCidrs: [] });
  const sender = emailSender({ smtp: readControlPlaneConfig(env).channels.smtp, egress, limits });
  expect(await sender.send({ address: "ada@example.com" }, sampleMessage(), "delivery-1", neverAborted)).toMatchObject({
    ok: false,
    isRetryable: true,
  });
});
