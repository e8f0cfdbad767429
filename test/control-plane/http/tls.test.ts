import { chmodSync, copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, describe, expect, it } from "vitest";
import { main as healthcheck } from "../../../src/healthcheck-main.ts";
import { type CertificateName, makeCertificates } from "../../support/certificates.ts";
import { controlPlaneUnderTest, eventually } from "../control-plane-under-test.ts";

const certificates = makeCertificates();
afterAll(() => certificates[Symbol.dispose]());

/** The two files, as an operator's tool replaces them: one after the other, each at once. */
function files(name: CertificateName) {
  const folder = mkdtempSync(join(tmpdir(), "tls-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const put = (file: string, from: string): void => {
    copyFileSync(join(certificates.folder, from), join(folder, `${file}.new`));
    chmodSync(join(folder, `${file}.new`), 0o600);
    renameSync(join(folder, `${file}.new`), join(folder, file));
  };
  const certificate = (from: string): void => put("tls.crt", from);
  const key = (from: string): void => put("tls.key", from);
  certificate(`${name}.pem`);
  key(`${name}.key`);
  return { env: { TLS_CERT_FILE: join(folder, "tls.crt"), TLS_KEY_FILE: join(folder, "tls.key") }, certificate, key };
}

interface Reply {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
}

function get(url: string, agent?: Agent): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  request(url, { ca: certificates.ca, ...(agent && { agent }) }, (response) => {
    response.resume().once("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
  })
    .once("error", reject)
    .end();
  return promise;
}

/** Subject of the certificate that new connections get. */
function shown(base: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ port: Number(new URL(base).port), host: "127.0.0.1", rejectUnauthorized: false }, () => {
    resolve(String(socket.getPeerCertificate().subject.CN));
    socket.destroy();
  });
  socket.once("error", reject);
  return promise;
}

describe("a control plane with TLS_CERT_FILE", { timeout: 120_000 }, () => {
  it("speaks TLS alone: links, cookies and browsers keep to it, and its healthcheck asks by it", async () => {
    const { env } = files("good");
    await using site = await controlPlaneUnderTest(env);
    expect(site.base).toMatch(/^https:/);
    const page = await get(`${site.base}/sign-in`);
    expect(page).toMatchObject({ status: 200, headers: { "strict-transport-security": "max-age=31536000" } });
    expect(String(page.headers["set-cookie"])).toMatch(/__Host-.*Secure/);
    await expect(fetch(site.base.replace("https:", "http:"))).rejects.toThrow("fetch failed");
    const { port } = new URL(site.base);
    expect(await healthcheck({ ...env, PORT: port }, ["control-plane"], { url: null, ready: false })).toBe(0);
    expect(await healthcheck({ PORT: port }, ["control-plane"], { url: null, ready: false })).toBe(1);
  });

  it("takes a new certificate without a restart, keeps connections, and stays with the old one while the new pair does not fit", async () => {
    const pair = files("good");
    await using site = await controlPlaneUnderTest(pair.env);
    using agent = Object.assign(new Agent({ keepAlive: true, maxSockets: 1 }), { [Symbol.dispose]: () => agent.destroy() });
    expect((await get(`${site.base}/health`, agent)).status).toBe(200);
    expect(await shown(site.base)).toBe("good");
    pair.certificate("selfSigned.pem");
    await eventually(async () => site.logLines.some((line) => line.includes("cannot be used; the one before stays in use")));
    expect(await shown(site.base)).toBe("good");
    pair.key("selfSigned.key");
    await eventually(async () => (await shown(site.base)) === "localhost");
    expect((await get(`${site.base}/health`, agent)).status).toBe(200);
    expect(site.logLines.join("\n")).not.toContain("PRIVATE KEY");
  });

  it.each([
    ["without its key", () => ({ ...files("good").env, TLS_KEY_FILE: "" }), /TLS_KEY_FILE:? is missing, as TLS_CERT_FILE is set/],
    [
      "that is not there",
      () => ({ ...files("good").env, TLS_CERT_FILE: "/nowhere.pem" }),
      /TLS_CERT_FILE: \/nowhere\.pem cannot be read \(ENOENT\)/,
    ],
    [
      "that is a key",
      () => ({ ...files("good").env, TLS_CERT_FILE: join(certificates.folder, "good.key") }),
      /TLS_CERT_FILE: .* is no certificate in PEM/,
    ],
    [
      "of another key",
      () => ({ ...files("good").env, TLS_KEY_FILE: files("expired").env.TLS_KEY_FILE }),
      /TLS_KEY_FILE: .* is no unencrypted key/,
    ],
    [
      "whose key everybody can read",
      () => {
        const { env } = files("good");
        chmodSync(env.TLS_KEY_FILE, 0o644);
        return env;
      },
      /TLS_KEY_FILE: .* is open to every user/,
    ],
  ])("does not start with a certificate %s", async (_what, env, problem) => {
    await expect(controlPlaneUnderTest(env())).rejects.toThrow(problem);
  });
});
