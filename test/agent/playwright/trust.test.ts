import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createTrust } from "../../../src/agent/net/tls.ts";
import type { JobCertificate } from "../../../src/contract/agent-protocol.ts";
import { tries } from "../../attacks/cases.ts";
import { Authority } from "../runners/ssl/authority.ts";
import { EngineUnderTest, missing } from "./engine-under-test.ts";

const noCertutil = execFileSync("/bin/sh", ["-c", "command -v certutil || true"], { encoding: "utf8" }) === "";
if (noCertutil) process.stdout.write("pages with a private authority are not opened: there is no certutil (libnss3-tools)\n");

describe.skipIf(missing !== null)("an authority of NODE_EXTRA_CA_CERTS", { timeout: 120_000 }, () => {
  const authority = new Authority();
  authority.issue("server", { names: "DNS:localhost,IP:127.0.0.1" });
  authority.issue("clients", { isCa: true, names: null, signer: "clients" });
  authority.issue("alice", { signer: "clients", names: null });
  const alice = (): Omit<JobCertificate, "host"> => ({
    cert: authority.read("alice.pem"),
    key: authority.read("alice.key"),
    ca: null,
    passphrase: null,
  });
  let server: Server;
  let url: string;
  let tested: EngineUnderTest;
  beforeAll(async () => {
    const keys = { key: authority.read("server.key"), cert: authority.read("server.pem"), ca: authority.read("clients.pem") };
    server = createServer({ ...keys, requestCert: true, rejectUnauthorized: false }, (request, response) => {
      if (request.url === "/moved") return void response.writeHead(302, { location: "/", "set-cookie": "seen=yes" }).end();
      const socket = request.socket as TLSSocket; // of a TLS server
      response.end(`${socket.getPeerX509Certificate()?.subject ?? "CN=nobody"} ${request.headers.cookie ?? ""}`.trim());
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    url = `https://localhost:${(server.address() as AddressInfo).port}/`;
    const ca = authority.read("root.pem");
    tested = await EngineUnderTest.start({ extraCas: () => [ca], trust: () => createTrust([ca]) });
  });
  afterAll(async () => {
    await tested[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
    authority[Symbol.dispose]();
  });

  it("is trusted by pages, which show a client certificate to its host, also where what they ask for has moved", async () => {
    const script = `import { test } from "@playwright/test";
      test("x", async ({ page }) => {
        await page.goto(process.env.URL!);
        console.log(await page.locator("body").innerText(), "|", await page.evaluate(() => fetch("/moved").then((one) => one.text())));
        await page.goto(process.env.URL + "moved");
        console.log(await page.locator("body").innerText());
      });`;
    const shown = await tested.run("BROWSER", script, { environment: { URL: url }, certificates: [{ host: "localhost", ...alice() }] });
    expect([shown.result.errors, shown.result.jobLog.map(({ msg }) => msg)]).toEqual([
      [],
      ["CN=alice | CN=alice seen=yes", "CN=alice seen=yes"],
    ]);
  });

  it("is trusted by the request fixture, which shows a client certificate to its host", async () => {
    const script = `import { test } from "@playwright/test";
      test("x", async ({ request }) => { console.log(await (await request.get(process.env.URL!)).text()); });`;
    const shown = await tested.run("MULTI_STEP", script, { environment: { URL: url }, certificates: [{ host: "localhost", ...alice() }] });
    expect([shown.result.errors, shown.result.jobLog[0]?.msg]).toEqual([[], "CN=alice"]);
    const kept = await tested.run("MULTI_STEP", script, { environment: { URL: url }, certificates: [{ host: "*.example", ...alice() }] });
    expect(kept.result.jobLog[0]?.msg).toBe("CN=nobody");
    const wrong = tested.run("MULTI_STEP", script, { certificates: [{ host: "localhost", ...alice(), key: "none" }] });
    await expect(wrong).rejects.toThrow("ECLIENTCERT the client certificate for localhost cannot be used");
  });

  it.each([
    ["out of date", { fromDays: -9, toDays: -1 }, /^the certificate of the target is out of date: renew it/],
    ["for another host", { names: "DNS:other.example" }, /^the certificate of the target is for another host/],
    ["of an unknown authority", { signer: "clients" }, /^this agent does not know the authority .+ NODE_EXTRA_CA_CERTS/],
  ])(
    "makes of a certificate %s an error that names the setting",
    tries("F18", "the error names the problem and the setting"),
    async (_what, wish, said) => {
      authority.issue("wrong", wish);
      const wrong = createServer({ key: authority.read("wrong.key"), cert: authority.read("wrong.pem") }, (_request, response) =>
        response.end(),
      );
      await once(wrong.listen(0, "127.0.0.1"), "listening");
      onTestFinished(() => {
        wrong.close();
      });
      const environment = { URL: `https://localhost:${(wrong.address() as AddressInfo).port}/` };
      const script = (call: string): string =>
        `import { test } from "@playwright/test"; test("x", async ({ ${call.split(".")[0]} }) => { await ${call}(process.env.URL!); });`;
      for (const [type, call] of [["MULTI_STEP", "request.get"], ...(noCertutil ? [] : [["BROWSER", "page.goto"] as const])] as const) {
        const { outcome, result } = await tested.run(type, script(call), { environment });
        expect([type, outcome]).toEqual([type, "failed"]);
        expect(result.errors[0]?.message).toMatch(said);
      }
    },
  );

  it.skipIf(noCertutil)("is trusted by pages", async () => {
    const script = `import { test } from "@playwright/test";
      test("x", async ({ page }) => { console.log((await page.goto(process.env.URL!))!.status()); });`;
    const { result } = await tested.run("BROWSER", script, { environment: { URL: url } });
    expect([result.errors, result.jobLog[0]?.msg]).toEqual([[], "200"]);
  });
});
